"""A matrix -> its singular values and vectors, each vector with the sign that TensorFlow gives it.

A decomposition leaves the signs of the vectors open; they follow from the algorithm. Eigen, which TensorFlow uses,
diagonalizes small matrices by rotating two rows and two columns at a time (Jacobi), after a pivoted QR decomposition by
Householder reflections where the matrix is not square.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import copysign, hypot, sqrt
from typing import Any

import numpy as np

from tapeviz.engine.specs.dtypes import Array

_TINY = float(np.finfo(np.float32).tiny)


def goes(shape: tuple[int, ...]) -> bool:
    """Whether Eigen uses this algorithm for a matrix, and it is small enough for Python."""
    return shape[-1] < 16 and 0 < min(shape[-2:]) <= 8


def singular(matrix: Array, *, full_matrices: bool) -> tuple[Any, Any, Any]:
    """Left vectors as columns, values, and right vectors as rows, like `np.linalg.svd`.

    >>> u, s, vt = singular(np.diag([2.0, -3.0]), full_matrices=False)
    >>> s.tolist(), u[:, 0].tolist(), vt[0].tolist()
    ([3.0, 2.0], [0.0, -1.0], [0.0, 1.0])
    """
    scale = float(np.abs(matrix).max()) or 1.0
    rows, columns = matrix.shape
    scaled = matrix.astype(np.float64) / scale
    if rows > columns:
        left, middle, right = _triangle(scaled, full_matrices)
    elif rows < columns:
        right, middle, left = _triangle(scaled.T, full_matrices)
        middle = middle.T
    else:
        left, middle, right = np.eye(rows), scaled, np.eye(rows)
    diagonal, u, v = _diagonal(middle.tolist(), 2 * float(np.finfo(matrix.dtype).eps))
    order = descending(np.abs(diagonal))
    signs = np.where(diagonal < 0, -1.0, 1.0)
    for basis, turned in ((left, (u * signs)[:, order]), (right, v[:, order])):
        basis[:, : len(order)] = basis[:, : len(order)] @ turned
    values = np.abs(diagonal)[order] * scale
    return left.astype(matrix.dtype), values.astype(matrix.dtype), right.T.astype(matrix.dtype)


def _triangle(tall: Array, full: bool) -> tuple[Any, Any, Any]:
    """The QR decomposition of a tall matrix: the reflections, the triangle, and the permutation of columns."""
    count, width = tall.shape
    rest, order, reflected = tall.copy(), np.arange(width), np.eye(count, count if full else width)
    mirrors = []
    for k in range(width):
        longest = k + int(np.argmax(np.sum(np.square(rest[k:, k:]), axis=0)))
        for columns in (rest, order):
            columns[..., [k, longest]] = columns[..., [longest, k]]
        mirror = rest[k:, k].copy()
        if np.sum(np.square(mirror[1:])) > _TINY:
            mirror[0] += np.linalg.norm(mirror) * (1 if mirror[0] >= 0 else -1)
            mirror /= np.linalg.norm(mirror)
            rest[k:, k:] -= 2 * np.outer(mirror, mirror @ rest[k:, k:])
            mirrors.append((k, mirror))
    for k, mirror in reversed(mirrors):
        reflected[k:] -= 2 * np.outer(mirror, mirror @ reflected[k:])
    return reflected, np.triu(rest[:width]), np.eye(width)[:, order]


def _diagonal(w: Any, precision: float) -> tuple[Any, Any, Any]:
    """The diagonal to which rotations reduce a square matrix, given by its rows, and the rotated vectors."""
    sides = range(len(w))
    u, v = np.eye(len(w)).tolist(), np.eye(len(w)).tolist()
    largest = max(abs(w[i][i]) for i in sides)
    turned = True
    while turned:
        turned = False
        for p, q in _pairs(len(w)):
            if max(abs(w[p][q]), abs(w[q][p])) > max(_TINY, precision * largest):
                turned = True
                left, right = _rotations(w[p][p], w[p][q], w[q][p], w[q][q])
                _rotate(w, p, q, *left)
                _rotate(u, p, q, *left)
                across = [list(column) for column in zip(*w, strict=True)]
                _rotate(across, p, q, *right)
                w[:] = [list(row) for row in zip(*across, strict=True)]
                _rotate(v, p, q, *right)
                largest = max(largest, abs(w[p][p]), abs(w[q][q]))
    return np.array([w[i][i] for i in sides]), np.array(u).T, np.array(v).T


def _pairs(count: int) -> Iterator[tuple[int, int]]:
    return ((p, q) for p in range(1, count) for q in range(p))


def _rotate(rows: list[list[float]], p: int, q: int, c: float, s: float) -> None:
    x, y = rows[p], rows[q]
    rows[p] = [c * a + s * b for a, b in zip(x, y, strict=True)]
    rows[q] = [c * b - s * a for a, b in zip(x, y, strict=True)]


def _rotations(a: float, b: float, c: float, d: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Cosine and sine of the rotations of rows and of columns that make [[a, b], [c, d]] diagonal."""
    trace, skew = a + d, c - b
    size = hypot(trace, skew)
    cosine, sine = (copysign(trace / size, trace * skew), abs(skew) / size) if abs(skew) >= _TINY else (1.0, 0.0)
    first, between, last = cosine * a + sine * c, cosine * b + sine * d, cosine * d - sine * b
    slope, turn = 0.0, 1.0
    if abs(between) >= _TINY:
        steep = (first - last) / (2 * abs(between))
        slope = 1 / (steep + copysign(sqrt(steep * steep + 1), steep if steep else -1.0))
        turn = 1 / sqrt(slope * slope + 1)
    along = copysign(slope, slope * between) * turn if slope else 0.0
    return (cosine * turn - sine * along, sine * turn + cosine * along), (turn, along)


def descending(values: Array) -> list[int]:
    """The indices that sort values from the largest, by swaps, which may change the order of equal ones."""
    order = list(range(len(values)))
    for i in range(len(order)):
        largest = max(range(i, len(order)), key=lambda j: values[order[j]])
        order[i], order[largest] = order[largest], order[i]
    return order
