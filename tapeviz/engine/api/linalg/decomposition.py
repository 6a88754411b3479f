"""Decompositions and functions of a matrix under TensorFlow's names."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from tapeviz.engine.api.arguments import number_of, tensor_of, together, value_of
from tapeviz.engine.api.exports import export
from tapeviz.engine.api.integers import flag_of
from tapeviz.engine.api.linalg.solving import cholesky_solve
from tapeviz.engine.custom_gradient import custom_gradient
from tapeviz.engine.op_dtypes import SOLVABLE
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array, linalg, math, reduction
from tapeviz.engine.ops import decomposition as ops
from tapeviz.engine.ops.complex import adjoint
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.errors import FailedPreconditionError, InvalidArgumentError


class LogMatrixDeterminant(NamedTuple):
    """What `slogdet` found."""

    sign: Any
    log_abs_determinant: Any


class Qr(NamedTuple):
    """What `qr` found."""

    q: Any
    r: Any


@export("linalg.slogdet")
def slogdet(input: Any, name: str | None = None) -> LogMatrixDeterminant:
    """The sign of the determinant, and the logarithm of its absolute value."""
    return LogMatrixDeterminant(*ops.slogdet(number_of(input, "slogdet")))


@export("linalg.qr")
def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Qr:
    """The QR decomposition: orthonormal columns times an upper triangular matrix."""
    return Qr(*ops.qr(number_of(input, "qr"), full_matrices=flag_of(full_matrices, "full_matrices")))


@export("linalg.svd")
def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Singular values, largest first; with `compute_uv` also the vectors on the left and on the right, as columns.

    With `full_matrices` these are whole bases, which have a derivative if no side is longer than the other by two.
    """
    whole, vectors = flag_of(full_matrices, "full_matrices"), flag_of(compute_uv, "compute_uv")
    found = ops.svd(number_of(tensor, "svd"), full_matrices=whole and vectors)
    return found if vectors else found[0]


@export("linalg.eigh")
def eigh(tensor: Any, name: str | None = None) -> tuple[Any, Any]:
    """Eigenvalues, smallest first, and eigenvectors of a symmetric matrix, whose lower triangle is read."""
    values, vectors = ops.eigh(number_of(tensor, "eigh"))
    return values, vectors


@export("linalg.eigvalsh")
def eigvalsh(tensor: Any, name: str | None = None) -> Any:
    """Eigenvalues of a symmetric matrix, smallest first; its lower triangle is read."""
    return eigh(tensor)[0]


@export("linalg.pinv")
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
    """The pseudoinverse; singular values below `rcond` times the largest count as 0.

    Raises:
        TypeError: numbers that are not real floats.
        ValueError: a vector or a scalar; several `rcond` for one matrix.
    """
    x = _of_matrices("pinv", tensor_of(a))
    if rcond is None:
        smallest = _rounded(x)
        return ops.pinv(number_of(x, "pinv"), rcond=smallest)
    values, left, right = ops.svd(number_of(x, "svd"), full_matrices=False)
    least = value_of(rcond).astype(values.dtype.as_numpy_dtype) * np.max(values._value, axis=-1, initial=-np.inf)
    kept = math.where(values._value > least[..., None], values, values.dtype.as_numpy_dtype(np.inf))
    found = linalg.matmul(right / array.expand_dims(kept, axis=-2), adjoint(left))
    found.set_shape([*x.shape[:-2], *x.shape[:-3:-1]])
    return found


def _rounded(x: Any) -> float:
    """By default, which part of the largest singular value counts as 0."""
    return 10 * max(x.shape[-2:]) * float(np.finfo(x._value.dtype).eps)


@export("linalg.matrix_rank")
def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
    """How many singular values of a matrix exceed `tol`, by default the rounding error of the largest.

    Raises:
        TypeError: numbers that are not real floats.
        ValueError: a vector or a scalar.

    >>> import tapeviz as tf
    >>> int(tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]))
    1
    """
    x = _of_matrices("matrix_rank", convert_to_tensor(a, dtype_hint="float32"))
    sizes = svd(x, compute_uv=False)
    if tol is None:
        largest = reduction.reduce_max(sizes, axis=-1, keepdims=True)
        tol = largest * (max(x.shape[-2:]) * float(np.finfo(x._value.dtype).eps))
    above = array.cast(sizes > tol, dtype="int32", source="bool")
    return reduction.reduce_sum(above, axis=-1, keepdims=False)


@export("linalg.lstsq")
def lstsq(matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None) -> Any:
    """The least squares solution of matrix @ x = rhs, by the normal equations; of several, the shortest.

    Where columns, or rows of a wide matrix, depend on one another: NaN, or with `fast=False`, which has no gradient,
    again the shortest.

    Raises:
        IndexError: `matrix` is a vector; ValueError: a scalar.
    """
    a = tensor_of(matrix)
    if a.ndim < 2:
        if not a.ndim:
            raise ValueError(
                "zero-size array to reduction operation minimum which has no identity. In lstsq of a scalar."
            )
        raise IndexError(f"tuple index out of range. In lstsq of a tensor of shape {a.shape}: a matrix is expected.")
    b = rhs if isinstance(rhs, TensorLike) else convert_to_tensor(rhs, dtype_hint=a.dtype)
    a, b = together("lstsq" if fast else "matrix_solve_ls", a, b)
    if not fast:
        return _shortest(a, b)
    at = adjoint(a)
    if 0 in a.shape[-2:]:
        return linalg.matmul(at, b) * 0  # nothing to fit, or nothing to fit it with
    high = a.shape[-2] >= a.shape[-1]
    if high and b.ndim > 1 and a.shape[-2] != b.shape[-2]:
        raise linalg.incompatible(tuple(a.shape), tuple(b.shape), (True, False))
    square = linalg.matmul(at, a) if high else linalg.matmul(a, at)
    if l2_regularizer:
        square = square + np.eye(square.shape[-1], dtype=a._value.dtype) * l2_regularizer
    factor = linalg.cholesky(square)
    if high:
        return cholesky_solve(factor, linalg.matmul(at, b))
    return linalg.matmul(at, cholesky_solve(factor, b))


@custom_gradient
def _shortest(a: Any, b: Any) -> Any:
    """The least squares by singular values, of which TensorFlow has no gradient."""

    def refuse(upstream: Any) -> Any:
        raise ValueError("Gradient not defined for fast=False. In lstsq: leave `fast` out.")

    return linalg.matmul(ops.pinv(a, rcond=_rounded(a)), b), refuse


@export("linalg.expm")
def expm(input: Any, name: str | None = None) -> Any:
    """The matrix exponential.

    Raises:
        ValueError: neither real nor complex numbers.
        InvalidArgumentError: no square matrix.
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
def cross(a: Any, b: Any, name: str | None = None) -> Any:
    """The cross product of vectors along the last axis, of length 3.

    Raises:
        InvalidArgumentError: different shapes, or scalars.
        FailedPreconditionError: another length.
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


def _of_matrices(op: str, x: Any) -> Any:
    """A tensor of matrices of real numbers as it is."""
    if not x.dtype.is_floating:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {x.dtype.name}). In {op}: use tf.cast.")
    if x.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {x.ndim}). In {op} of shape {x.shape}.")
    return x
