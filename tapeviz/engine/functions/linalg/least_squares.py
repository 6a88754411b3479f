"""Matrices -> their pseudoinverse and rank, and least squares solutions, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.custom_gradient import custom_gradient
from tapeviz.engine.functions.arguments import number_of, tensor_of, together, value_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.linalg.decomposition import svd
from tapeviz.engine.functions.linalg.solving import cholesky_solve
from tapeviz.engine.ops import array, linalg, math, reduction
from tapeviz.engine.ops import decomposition as ops
from tapeviz.engine.ops.complex import adjoint
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor


@export("linalg.pinv")
def pinv(a: object, rcond: object = None, validate_args: bool = False, name: str | None = None) -> Any:
    """The Moore-Penrose pseudoinverse of a matrix, or of each one in a batch.

    Args:
        a: a tensor of floats of shape (..., n, m).
        rcond: singular values up to this fraction of the largest one count as 0; by default, rounding errors.
        validate_args: ignored.

    Raises:
        TypeError: another dtype.
        ValueError: a vector or a scalar, or several `rcond` for one matrix.

    >>> import tapeviz as tf
    >>> tf.linalg.pinv([[2.0], [0.0]]).numpy().tolist()
    [[0.5, 0.0]]
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
    """The rank of a matrix: the number of its singular values that exceed a tolerance. Also for each one in a batch.

    Args:
        a: a tensor of floats of shape (..., n, m).
        tol: the tolerance; by default the rounding error of the largest singular value.
        validate_args: ignored.

    Raises:
        TypeError: another dtype.
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
    """The least squares solution x of `matrix @ x = rhs`; if there are several, the one with the smallest norm.

    Args:
        matrix: a tensor of shape (..., n, m).
        rhs: the right-hand sides, a tensor of shape (..., n, k).
        l2_regularizer: how strongly large solutions are penalised.
        fast: whether the normal equations are used. They give NaN if the matrix does not have full rank. Otherwise a
            singular value decomposition is used, which has no gradient.

    Raises:
        IndexError: `matrix` is a vector.
        ValueError: `matrix` is a scalar.

    >>> import tapeviz as tf
    >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy().round(3).tolist()
    [[2.0]]
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
def _shortest(a: object, b: object) -> Any:
    """The least squares by singular values, of which TensorFlow has no gradient."""

    def refuse(upstream: object) -> Any:
        raise ValueError("Gradient not defined for fast=False. In lstsq: leave `fast` out.")

    return linalg.matmul(ops.pinv(a, rcond=_rounded(a)), b), refuse


def _of_matrices(op: str, x: Any) -> Any:
    """A tensor of matrices of real numbers as it is."""
    if not x.dtype.is_floating:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {x.dtype.name}). In {op}: use tf.cast.")
    if x.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {x.ndim}). In {op} of shape {x.shape}.")
    return x
