"""Triangles and right sides -> what the triangles times it is the right sides: by rows, of long ones by blocks.

Of few numbers it goes number by number, in the order of Eigen's `TriangularSolverMatrix`: the last digits are its own.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tapeviz.engine.kernels.elementwise import is_few

LONG = 24
"""The length of a triangle from which on blocks pay."""
FEW = 32
"""Triangles in a batch up to which they do; in each step of more of them there is enough to do in one row."""
BLOCK = 8
"""Rows in a block. The inverse of a larger one would be less exact: of Cholesky factors, by orders of magnitude."""


def substituted(matrix: Any, rhs: Any, lower: bool) -> Any:
    """The x with matrix @ x = rhs, where only one triangle counts; a 0 on the diagonal gives what division gives.

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


def by_numbers(matrix: Any, rhs: Any, lower: bool, ones: bool = False) -> Any:
    """One product taken off after the other; of a triangle with `ones` the diagonal is not looked at."""
    batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    out = np.broadcast_to(rhs, (*batch, *rhs.shape[-2:])).copy()
    length = matrix.shape[-1]
    for i in range(length) if lower else reversed(range(length)):
        for k in range(i) if lower else range(i + 1, length):
            out[..., i, :] -= matrix[..., i, k, None] * out[..., k, :]
        if not ones:
            out[..., i, :] *= 1 / matrix[..., i, i, None]
    return out


def _by_rows(matrix: Any, rhs: Any, lower: bool) -> Any:
    batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    out = np.broadcast_to(rhs, (*batch, *rhs.shape[-2:])).copy()
    rows = range(matrix.shape[-1])
    for i in rows if lower else reversed(rows):
        known = slice(0, i) if lower else slice(i + 1, None)
        rest = (matrix[..., i : i + 1, known] @ out[..., known, :])[..., 0, :]
        out[..., i, :] = (out[..., i, :] - rest) / matrix[..., i, i, None]
    return out


def _by_blocks(matrix: Any, rhs: Any, lower: bool) -> Any:
    """Those on the diagonal are inverted all at once; what is known is then taken off a block of rows at a time."""
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
    """The part of a block that the rows fill, of which the last ones may be fewer."""
    filled = slice(0, rows.stop - rows.start)
    return (..., filled, filled)
