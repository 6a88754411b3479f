"""Inverses, determinants and systems of equations under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.api.arguments import number_of, tensor_of, together
from tapeviz.engine.api.exports import export
from tapeviz.engine.api.integers import flag_of
from tapeviz.engine.api.linalg.products import conjugate_transpose
from tapeviz.engine.api.math.complex import real
from tapeviz.engine.op_errors.failure import failed
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import linalg as ops
from tapeviz.engine.ops import math, reduction
from tapeviz.errors import InvalidArgumentError


@export("linalg.inv")
def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """The inverse of square matrices.

    Raises:
        InvalidArgumentError: a singular matrix.
    """
    x = number_of(input, "inv")
    return ops.inv(conjugate_transpose(x) if flag_of(adjoint, "adjoint") else x)


@export("linalg.det")
def det(input: Any, name: str | None = None) -> Any:
    """The determinant of square matrices."""
    return ops.det(number_of(input, "det"))


@export("linalg.logdet")
def logdet(matrix: Any, name: str | None = None) -> Any:
    """The logarithm of the determinant of positive definite matrices."""
    factor = ops.cholesky(number_of(matrix, "logdet"))
    return 2.0 * reduction.reduce_sum(math.log(real(ops.diag_part(factor))), axis=-1, keepdims=False)


@export("linalg.cholesky")
def cholesky(input: Any, name: str | None = None) -> Any:
    """The Cholesky factor of a matrix, lower triangular.

    Raises:
        InvalidArgumentError: a matrix that is not positive definite.
    """
    return ops.cholesky(number_of(input, "cholesky"))


@export("linalg.solve")
def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """The x with matrix @ x = rhs.

    Raises:
        InvalidArgumentError: a singular matrix, or other axes before the last two than `rhs` has.
    """
    a, b = map(tensor_of, together("solve", matrix, rhs))
    require(a.ndim > 1, f"Input tensor 0 must have rank >= 2, got {a.ndim}. In solve.")
    for what, same in (("rank", a.ndim == b.ndim), ("outer dimensions", a.shape[:-2] == b.shape[:-2])):
        require(same, f"All input tensors must have the same {what}. In solve of {a.shape} and {b.shape}.")
    return ops.solve(conjugate_transpose(a) if flag_of(adjoint, "adjoint") else a, b)


@export("linalg.triangular_solve")
def triangular_solve(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None) -> Any:
    """The x with matrix @ x = rhs, where only the lower (or upper) triangle of the matrix is read.

    Raises:
        InvalidArgumentError: a matrix that is not square, or not as long as `rhs`; batches that do not broadcast.
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
def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Any:
    """The x with A @ x = rhs, given the Cholesky factor of A."""
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)
