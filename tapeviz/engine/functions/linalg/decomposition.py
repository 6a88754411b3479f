"""Decompositions and functions of a matrix under TensorFlow's names."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from tapeviz.engine.functions.arguments import number_of, tensor_of, together
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import flag_of
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import decomposition as ops
from tapeviz.engine.ops import linalg
from tapeviz.engine.specs.dtype_sets import SOLVABLE
from tapeviz.errors import FailedPreconditionError, InvalidArgumentError


class LogMatrixDeterminant(NamedTuple):
    """The result of `tf.linalg.slogdet`."""

    sign: Any
    log_abs_determinant: Any


class Qr(NamedTuple):
    """The result of `tf.linalg.qr`."""

    q: Any
    r: Any


@export("linalg.slogdet")
def slogdet(input: object, name: str | None = None) -> LogMatrixDeterminant:
    """The sign of the determinant of a square matrix, and the logarithm of its absolute value.

    >>> import tapeviz as tf
    >>> sign, logarithm = tf.linalg.slogdet([[0.0, 1.0], [1.0, 0.0]])
    >>> float(sign), float(logarithm)
    (-1.0, 0.0)
    """
    return LogMatrixDeterminant(*ops.slogdet(number_of(input, "slogdet")))


@export("linalg.qr")
def qr(input: object, full_matrices: bool = False, name: str | None = None) -> Qr:
    """The QR decomposition of a matrix, or of each one in a batch.

    Args:
        input: a tensor of shape (..., n, m).
        full_matrices: whether `q` is square. Otherwise it has as many columns as `r` needs.

    Returns:
        A named tuple of `q`, with orthonormal columns, and of the upper triangular `r`. Their product is the matrix.

    >>> import tapeviz as tf
    >>> q, r = tf.linalg.qr([[1.0, 2.0], [3.0, 4.0]])
    >>> (q @ r).numpy().round(4).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return Qr(*ops.qr(number_of(input, "qr"), full_matrices=flag_of(full_matrices, "full_matrices")))


@export("linalg.svd")
def svd(tensor: object, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """The singular value decomposition of a matrix, or of each one in a batch.

    Args:
        tensor: a tensor of shape (..., n, m).
        full_matrices: whether the singular vectors are complete bases. These have a gradient only if n and m differ by
            at most 1.
        compute_uv: whether the singular vectors are computed.

    Returns:
        The singular values, largest first; with `compute_uv` also the left and the right singular vectors, as columns.

    >>> import tapeviz as tf
    >>> tf.linalg.svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False).numpy().tolist()
    [4.0, 3.0]
    """
    whole, vectors = flag_of(full_matrices, "full_matrices"), flag_of(compute_uv, "compute_uv")
    found = ops.svd(number_of(tensor, "svd"), full_matrices=whole and vectors)
    return found if vectors else found[0]


@export("linalg.eigh")
def eigh(tensor: object, name: str | None = None) -> tuple[Any, Any]:
    """The eigenvalues and eigenvectors of a symmetric matrix, or of each one in a batch.

    Args:
        tensor: a tensor of shape (..., n, n), of which the lower triangle is read.

    Returns:
        The eigenvalues, smallest first, and the eigenvectors, as columns.

    >>> import tapeviz as tf
    >>> values, vectors = tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])
    >>> values.numpy().tolist()
    [1.0, 2.0]
    """
    values, vectors = ops.eigh(number_of(tensor, "eigh"))
    return values, vectors


@export("linalg.eigvalsh")
def eigvalsh(tensor: object, name: str | None = None) -> Any:
    """The eigenvalues of a symmetric matrix, or of each one in a batch, smallest first.

    Args:
        tensor: a tensor of shape (..., n, n), of which the lower triangle is read.

    >>> import tapeviz as tf
    >>> tf.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]]).numpy().tolist()
    [1.0, 2.0]
    """
    return eigh(tensor)[0]


@export("linalg.expm")
def expm(input: object, name: str | None = None) -> Any:
    """The exponential of a square matrix, or of each one in a batch.

    Args:
        input: a tensor of shape (..., n, n) of real or complex numbers.

    Raises:
        ValueError: another dtype.
        InvalidArgumentError: a matrix is not square.

    >>> import tapeviz as tf
    >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy().tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    x = number_of(input, "abs")  # of which TensorFlow takes the norm first
    require(x.ndim > 0, "Invalid reduction dimension (-1 for input with 0 dimension(s). In expm.")
    if x._value.dtype not in SOLVABLE:
        raise ValueError(f"tf.linalg.expm does not support matrices of type {x._dtype}. Use tf.cast.")
    if x.ndim > 1 and x.shape[-2] != x.shape[-1]:
        both = listed((prod(x.shape[:-2]), *x.shape[-2:]))
        raise InvalidArgumentError(f"Matrix size-incompatible: In[0]: {both}, In[1]: {both} 0 0. In expm.")
    return ops.expm(number_of(x, "expm"), leading=x.shape[-1])


@export("linalg.cross")
def cross(a: object, b: object, name: str | None = None) -> Any:
    """The cross product of vectors along the last axis.

    Args:
        a: a tensor of shape (..., 3).
        b: a tensor of the same shape.

    Raises:
        InvalidArgumentError: the shapes differ, or are those of scalars.
        FailedPreconditionError: the vectors are not of length 3.

    >>> import tapeviz as tf
    >>> tf.linalg.cross([1, 0, 0], [0, 1, 0]).numpy().tolist()
    [0, 0, 1]
    """
    x, y = (tensor_of(each) for each in together("cross", a, b))
    if x.shape != y.shape:
        shapes = f"{listed(x.shape)} vs. {listed(y.shape)}"
        raise InvalidArgumentError(f"Both inputs must be of same shape: {shapes}. In cross.")
    require(x.ndim > 0, "Input must be at least 1D[]. In cross.")
    if x.shape[-1:] != (3,):
        said = f"Cross-products are only defined for 3-element vectors. Got shape {x.shape}."
        error = FailedPreconditionError(said)
        error.in_graph = ValueError
        raise error
    return linalg.cross(x, y)
