"""Inverses, determinants and systems of equations under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import number_of, tensor_of, together
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import flag_of
from tapeviz.engine.functions.linalg.products import conjugate_transpose
from tapeviz.engine.functions.math.complex import real
from tapeviz.engine.op_errors.reasons import failed
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import linalg as ops
from tapeviz.engine.ops import math, reduction
from tapeviz.errors import InvalidArgumentError


@export("linalg.inv")
def inv(input: object, adjoint: bool = False, name: str | None = None) -> Any:
    """The inverse of a square matrix, or of each one in a batch.

    Args:
        input: a tensor of shape (..., n, n).
        adjoint: whether the matrices are transposed and conjugated first.

    Raises:
        InvalidArgumentError: a matrix is singular.

    >>> import tapeviz as tf
    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    x = number_of(input, "inv")
    return ops.inv(conjugate_transpose(x) if flag_of(adjoint, "adjoint") else x)


@export("linalg.det")
def det(input: object, name: str | None = None) -> Any:
    """The determinant of a square matrix, or of each one in a batch.

    >>> import tapeviz as tf
    >>> float(tf.linalg.det([[2.0, 0.0], [0.0, 4.0]]))
    8.0
    """
    return ops.det(number_of(input, "det"))


@export("linalg.logdet")
def logdet(matrix: object, name: str | None = None) -> Any:
    """The logarithm of the determinant of a positive definite matrix, or of each one in a batch.

    >>> import tapeviz as tf
    >>> round(float(tf.linalg.logdet([[2.0, 0.0], [0.0, 4.0]])), 4)
    2.0794
    """
    factor = ops.cholesky(number_of(matrix, "logdet"))
    return 2.0 * reduction.reduce_sum(math.log(real(ops.diag_part(factor))), axis=-1, keepdims=False)


@export("linalg.cholesky")
def cholesky(input: object, name: str | None = None) -> Any:
    """The Cholesky factor of a positive definite matrix, or of each one in a batch.

    The factor times its adjoint is the matrix.

    Args:
        input: a tensor of shape (..., n, n), of which the lower triangle is read.

    Returns:
        Lower triangular matrices.

    Raises:
        InvalidArgumentError: a matrix is not positive definite.

    >>> import tapeviz as tf
    >>> tf.linalg.cholesky([[4.0, 0.0], [0.0, 9.0]]).numpy().tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    return ops.cholesky(number_of(input, "cholesky"))


@export("linalg.solve")
def solve(matrix: object, rhs: object, adjoint: bool = False, name: str | None = None) -> Any:
    """The solution x of `matrix @ x = rhs`.

    Args:
        matrix: a tensor of shape (..., n, n).
        rhs: the right-hand sides, a tensor of shape (..., n, m).
        adjoint: whether the matrices are transposed and conjugated first.

    Raises:
        InvalidArgumentError: a matrix is singular, or the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [8.0]]).numpy().tolist()
    [[1.0], [2.0]]
    """
    a, b = map(tensor_of, together("solve", matrix, rhs))
    require(a.ndim > 1, f"Input tensor 0 must have rank >= 2, got {a.ndim}. In solve.")
    for what, same in (("rank", a.ndim == b.ndim), ("outer dimensions", a.shape[:-2] == b.shape[:-2])):
        require(same, f"All input tensors must have the same {what}. In solve of {a.shape} and {b.shape}.")
    return ops.solve(conjugate_transpose(a) if flag_of(adjoint, "adjoint") else a, b)


@export("linalg.triangular_solve")
def triangular_solve(
    matrix: object, rhs: object, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Any:
    """The solution x of `matrix @ x = rhs` for triangular matrices.

    Args:
        matrix: a tensor of shape (..., n, n), of which one triangle is read.
        rhs: the right-hand sides, a tensor of shape (..., n, m). The leading axes are broadcast.
        lower: whether it is the lower triangle.
        adjoint: whether the matrices are transposed and conjugated first.

    Raises:
        InvalidArgumentError: the matrices are not square, or the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.linalg.triangular_solve([[2.0, 0.0], [1.0, 1.0]], [[2.0], [3.0]]).numpy().tolist()
    [[1.0], [2.0]]
    """
    a, b = map(tensor_of, together("triangular_solve", matrix, rhs))
    lower, adjoint = flag_of(lower, "lower", unless_told=True), flag_of(adjoint, "adjoint")
    if a.ndim < 2 or b.ndim < 2 or not a.shape[-2] == a.shape[-1] == b.shape[-2]:
        raise InvalidArgumentError(_unfit(a.shape, b.shape, lower, adjoint))
    if a.shape[:-2] != b.shape[:-2]:
        a, b = _of_one_batch(a, b)
    return ops.triangular_solve(conjugate_transpose(a) if adjoint else a, b, lower=lower is not adjoint)


def _of_one_batch(*matrices: Any) -> list[Any]:
    """Matrices stretched along the axes before their last two, so that their gradients are summed along these."""
    try:
        batch = np.broadcast_shapes(*(tuple(each.shape[:-2]) for each in matrices))
    except ValueError as error:
        raise failed("triangular_solve", error, [each._value for each in matrices]) from error
    return [math.broadcast_to(each, shape=(*batch, *each.shape[-2:])) for each in matrices]


def _unfit(a: Any, b: Any, lower: bool, adjoint: bool) -> str:
    """What is said of a triangle and a right side that do not fit one another."""
    given = f"In triangular_solve of {a} and {b}."
    for slot, shape in enumerate((a, b)):
        if len(shape) < 2:
            return f"In[{slot}] ndims must be >= 2: {len(shape)}. {given}"
    if a[-2] != a[-1]:
        return f"In[0] matrices in the last dimensions must be square ({a[-1]} =/= {a[-2]}). {given}"
    shapes = f"{a[-1]} vs. {b[-2]}: {listed(a)} {listed(b)} {int(lower)} {int(adjoint)}"
    return f"In[0] mismatch In[1] shape: {shapes}. {given}"


@export("linalg.cholesky_solve")
def cholesky_solve(chol: object, rhs: object, name: str | None = None) -> Any:
    """The solution x of `A @ x = rhs`, given the Cholesky factor of A.

    Args:
        chol: the factor, as `tf.linalg.cholesky` returns it.
        rhs: the right-hand sides, a tensor of shape (..., n, m).

    >>> import tapeviz as tf
    >>> tf.linalg.cholesky_solve([[2.0, 0.0], [0.0, 1.0]], [[4.0], [3.0]]).numpy().tolist()
    [[1.0], [3.0]]
    """
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)
