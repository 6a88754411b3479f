"""A symmetric matrix -> its eigenvalues and eigenvectors, each vector with the sign that TensorFlow gives it.

A decomposition leaves the signs of the vectors open; they follow from the algorithm. Eigen, which TensorFlow uses,
reduces the matrix to tridiagonal form by Householder reflections, and diagonalizes that by QR steps with Wilkinson's
shift.
"""

from __future__ import annotations

from math import copysign, hypot, sqrt
from typing import Any

import numpy as np

from tapeviz.engine.kernels.jacobi_svd import descending
from tapeviz.engine.specs.dtypes import Array

LARGEST = 32
"""The largest size for which Python is fast enough."""
FAILED = "Self-adjoint eigen decomposition was not successful. The input might not be valid."
_PATIENCE = 30
"""The number of QR steps per row after which Eigen gives up."""


def eigh(matrix: Any) -> tuple[Any, Any]:
    """Eigenvalues in rising order and their vectors as columns, of the lower triangle, like `np.linalg.eigh`.

    >>> values, vectors = eigh(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> values.round(6).tolist(), np.sign(vectors).tolist()
    ([-1.0, 1.0], [[-1.0, 1.0], [1.0, 1.0]])
    """
    real = np.finfo(matrix.dtype).dtype
    lower = np.tril(matrix)
    scale = np.abs(lower).max() or real.type(1)
    diagonal, beside, vectors = _tridiagonal(lower / scale, np.finfo(real).tiny)
    _turn(diagonal, beside, vectors, np.finfo(real))
    values = np.array(diagonal, real)
    order = descending(-values)
    return values[order] * scale, vectors[order].T


def _tridiagonal(lower: Array, tiny: Array) -> tuple[list[Any], list[Any], Any]:
    """The diagonal and the one beside it to which reflections reduce a matrix, and the reflected axes, as rows."""
    whole = lower + np.tril(lower, -1).conj().T
    size = len(whole)
    vectors = np.eye(size, dtype=whole.dtype)
    mirrors, beside = [], []
    for k in range(size - 1):
        mirror = whole[k + 1 :, k].copy()
        first, rest = mirror[0], np.sum(np.square(np.abs(mirror[1:])))
        if rest <= tiny and first.imag**2 <= tiny:
            beside.append(first.real)
            continue
        length = tiny.dtype.type(-copysign(sqrt(abs(first) ** 2 + rest), first.real if first.real else 1.0))
        mirror /= first - length
        mirror[0] = 1
        share = (length - first) / length
        mirrors.append((k + 1, mirror, share))
        beside.append(length)
        inner = whole[k + 1 :, k + 1 :]
        across = inner @ (share * mirror)
        across -= share / 2 * np.vdot(across, mirror) * mirror
        inner -= np.outer(mirror, across.conj()) + np.outer(across, mirror.conj())
    for k, mirror, share in reversed(mirrors):
        vectors[k:] -= np.outer(share * mirror, mirror.conj() @ vectors[k:])
    return list(whole.diagonal().real), beside, vectors.T.copy()


def _turn(diagonal: list[Any], beside: list[Any], vectors: Array, precision: Any) -> None:
    """Rotate neighbouring rows, and their vectors, until the numbers beside the diagonal are 0.

    Raises:
        LinAlgError: it does not come to an end, as with infinity.
    """
    tiny, digits = precision.tiny, 1 / precision.eps
    start, end, steps = 0, len(diagonal) - 1, 0
    while end > 0:
        for i in range(start, end):
            size = abs(beside[i])
            if size < tiny or (digits * size) ** 2 <= abs(diagonal[i]) + abs(diagonal[i + 1]):
                beside[i] *= 0
        while end > 0 and not beside[end - 1]:
            end -= 1
        steps += 1
        if steps > _PATIENCE * len(diagonal):
            raise np.linalg.LinAlgError(FAILED)
        start = max(0, end - 1)
        while start > 0 and beside[start - 1]:
            start -= 1
        if end > 0:
            _step(diagonal, beside, vectors, start, end)


def _step(diagonal: list[Any], beside: list[Any], vectors: Array, start: int, end: int) -> None:
    """One QR step over a block: a number outside of the three diagonals is chased down and out."""
    x, z = diagonal[start] - _shift(diagonal[end - 1], diagonal[end], beside[end - 1]), beside[start]
    for k in range(start, end):
        if not z:
            break
        c, s = _rotation(x, z)
        upper, lower, between = diagonal[k], diagonal[k + 1], beside[k]
        down, along = s * upper + c * between, s * between + c * lower
        diagonal[k] = c * (c * upper - s * between) - s * (c * between - s * lower)
        diagonal[k + 1] = s * down + c * along
        beside[k] = x = c * down - s * along
        if k > start:
            beside[k - 1] = c * beside[k - 1] - s * z
        if k < end - 1:
            z, beside[k + 1] = -s * beside[k + 1], c * beside[k + 1]
        vectors[[k, k + 1]] = c * vectors[k] - s * vectors[k + 1], s * vectors[k] + c * vectors[k + 1]


def _shift(above: float, last: float, between: float) -> float:
    """Wilkinson's shift: the eigenvalue of the last two rows that is nearer to the last number."""
    half = (above - last) / 2
    if not half:
        return last - abs(between)
    return last - between * between / (half + copysign(hypot(half, between), half))


def _rotation(p: float, q: float) -> tuple[float, float]:
    """Cosine and sine of the rotation that takes (p, q) to (r, 0)."""
    if not p:
        return 0.0, 1.0 if q < 0 else -1.0
    if abs(p) > abs(q):
        cosine = 1 / copysign(sqrt(1 + (q / p) ** 2), p)
        return cosine, -q / p * cosine
    sine = -1 / copysign(sqrt(1 + (p / q) ** 2), q)
    return -p / q * sine, sine
