"""Matrices -> inverses, solutions, determinants and Cholesky factors, small ones with TensorFlow's last digits.

Small matrices are eliminated in the order of Eigen's `PartialPivLU` and `LLT`, in their own dtype. NumPy leaves that to
LAPACK, float32 in float64; so are large matrices here, and those with NaN or infinity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.kernels import silent
from tapeviz.engine.kernels.eigen_sums import folded
from tapeviz.engine.kernels.elementary import exp, log
from tapeviz.engine.kernels.elementwise import is_few
from tapeviz.engine.kernels.triangular_solve import by_numbers
from tapeviz.engine.specs.dtypes import Array


def inv(x: Array) -> Any:
    """The inverses.

    >>> inv(np.array([[1, 2], [3, 4]], np.float32))
    array([[-2.0000002 ,  1.0000001 ],
           [ 1.5000001 , -0.50000006]], dtype=float32)
    """
    return solve(x, np.eye(x.shape[-1], dtype=x.dtype)) if _goes(x) else np.linalg.inv(x)


def solve(matrix: Array, rhs: Array) -> Any:
    """The x with matrix @ x = rhs.

    Raises:
        LinAlgError: a singular matrix.
    """
    if not _goes(matrix) or rhs.shape[-2] != matrix.shape[-1]:
        return np.linalg.solve(matrix, rhs)
    factors, order, _ = _factored(matrix)
    if not factors.diagonal(0, -2, -1).all():
        raise np.linalg.LinAlgError("Singular matrix")
    if matrix.ndim == 2:
        right = rhs[..., order, :]
    else:
        batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
        rows = np.broadcast_to(order, (*batch, order.shape[-1]))[..., None]
        right = np.take_along_axis(np.broadcast_to(rhs, (*batch, *rhs.shape[-2:])), rows, -2)
    return by_numbers(factors, by_numbers(factors, right, lower=True, ones=True), lower=False)


def det(x: Array) -> Any:
    """The determinants, computed from their logarithms."""
    if not _goes(x):
        return silent.det(x)
    signs, sizes = slogdet(x)
    return signs * np.array([exp(each) for each in sizes.reshape(-1)], x.dtype).reshape(sizes.shape)


def slogdet(x: Array) -> tuple[Any, Any]:
    """The signs of the determinants, and the logarithms of their sizes."""
    if not _goes(x):
        return silent.slogdet(x)
    factors, _, signs = _factored(x)
    pivots = factors.diagonal(0, -2, -1)
    sizes = [folded(np.add, log(np.abs(each)).reshape(1, -1, 1)) for each in pivots.reshape(-1, x.shape[-1])]
    return signs * np.sign(pivots).prod(-1), np.reshape(sizes, x.shape[:-2])


def cholesky(x: Array) -> Any:
    """The Cholesky factors: lower triangles L with L @ L^H = x.

    Raises:
        LinAlgError: a matrix that is not positive definite.
    """
    if not _goes(x):
        return np.linalg.cholesky(x)
    out = np.tril(x)
    for k in range(x.shape[-1]):
        before, below = out[..., k, :k], slice(k + 1, None)
        square = out[..., k, k] - np.square(before).sum(-1)
        if not (square > 0).all():
            raise np.linalg.LinAlgError("Matrix is not positive definite")
        out[..., k, k] = np.sqrt(square)
        out[..., below, k] -= (out[..., below, :k] * before[..., None, :]).sum(-1)
        out[..., below, k] /= out[..., k, k, None]
    return out


def _goes(x: Array) -> bool:
    return is_few(x) and bool(np.isfinite(x).all())


def _factored(x: Array) -> tuple[Any, Any, Any]:
    """The LU factors in one matrix, the permutation of its rows, and the sign of the permutation."""
    if x.ndim > 2:
        factors, orders, signs = zip(*map(_factored, x.reshape(-1, *x.shape[-2:])), strict=True)
        return np.reshape(factors, x.shape), np.reshape(orders, x.shape[:-1]), np.reshape(signs, x.shape[:-2])
    rows, order, sign = [[*row] for row in x], [*range(len(x))], x.dtype.type(1)
    for k in range(len(rows)):
        largest = max(range(k, len(rows)), key=lambda row: abs(rows[row][k]))
        if largest != k:
            rows[k], rows[largest], order[k], order[largest] = rows[largest], rows[k], order[largest], order[k]
            sign = -sign
        pivot, *behind = rows[k][k:]
        for row in rows[k + 1 :]:
            share = row[k] / pivot if pivot else row[k]  # a column of zeros is left as it is
            row[k:] = [share, *(each - share * taken for each, taken in zip(row[k + 1 :], behind, strict=True))]
    return np.array(rows, x.dtype), np.array(order), sign
