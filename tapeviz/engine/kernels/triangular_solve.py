"""Triangular matrices and right-hand sides -> the solutions, row by row, or by blocks if there are many rows.

Small systems are solved number by number in the order of Eigen's `TriangularSolverMatrix`, so the last digits are its
own.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tapeviz.engine.kernels.elementwise import is_few
from tapeviz.engine.specs.dtypes import Array

LONG = 24
"""The number of rows from which on blocks are faster."""
FEW = 32
"""The number of matrices in a batch up to which they are."""
BLOCK = 8
"""Rows in a block. The inverse of a larger block is less exact: by orders of magnitude, for Cholesky factors."""


def substituted(matrix: Array, rhs: Array, lower: bool) -> Any:
    """The x with matrix @ x = rhs, of which only one triangle is read; a 0 on the diagonal divides as in NumPy.

    >>> substituted(np.array([[2.0, np.nan], [1.0, 4.0]]), np.array([[2.0], [5.0]]), True)
    array([[1.],
           [1.]])
    """
    if is_few(matrix):
        return by_numbers(matrix, rhs, lower)
    if matrix.shape[-1] >= LONG and prod(matrix.shape[:-2]) <= FEW:
        out = _by_blocks(matrix, rhs, lower)
        if np.isfinite(out).all():  # else a product has carried NaN into rows above
            return out
    return _by_rows(matrix, rhs, lower)


def by_numbers(matrix: Array, rhs: Array, lower: bool, ones: bool = False) -> Any:
    """Substitution, one product subtracted after the other; with `ones`, the diagonal counts as ones."""
    batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    out = np.broadcast_to(rhs, (*batch, *rhs.shape[-2:])).copy()
    length = matrix.shape[-1]
    for i in range(length) if lower else reversed(range(length)):
        for k in range(i) if lower else range(i + 1, length):
            out[..., i, :] -= matrix[..., i, k, None] * out[..., k, :]
        if not ones:
            out[..., i, :] *= 1 / matrix[..., i, i, None]
    return out


def _by_rows(matrix: Array, rhs: Array, lower: bool) -> Any:
    batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    out = np.broadcast_to(rhs, (*batch, *rhs.shape[-2:])).copy()
    rows = range(matrix.shape[-1])
    for i in rows if lower else reversed(rows):
        known = slice(0, i) if lower else slice(i + 1, None)
        rest = (matrix[..., i : i + 1, known] @ out[..., known, :])[..., 0, :]
        out[..., i, :] = (out[..., i, :] - rest) / matrix[..., i, i, None]
    return out


def _by_blocks(matrix: Array, rhs: Array, lower: bool) -> Any:
    """The diagonal blocks are inverted all at once; then substitution goes a block of rows at a time."""
    length = matrix.shape[-1]
    blocks = [slice(start, min(start + BLOCK, length)) for start in range(0, length, BLOCK)]
    whole = np.eye(BLOCK, dtype=matrix.dtype)
    stack = np.tile(whole, (len(blocks), *matrix.shape[:-2], 1, 1))
    for each, rows in zip(stack, blocks, strict=True):
        each[_corner(rows)] = matrix[..., rows, rows]
    inverses = list(zip(_by_rows(stack, whole, lower), blocks, strict=True))
    batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    out = np.empty((*batch, *rhs.shape[-2:]), rhs.dtype)
    for inverse, rows in inverses if lower else reversed(inverses):
        known = slice(0, rows.start) if lower else slice(rows.stop, None)
        rest = rhs[..., rows, :] - matrix[..., rows, known] @ out[..., known, :]
        out[..., rows, :] = inverse[_corner(rows)] @ rest
    return out


def _corner(rows: slice) -> Any:
    """The rows of a block; the last one may have fewer."""
    filled = slice(0, rows.stop - rows.start)
    return (..., filled, filled)
