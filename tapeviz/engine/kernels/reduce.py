"""Arrays -> their sums, products and extrema over axes: as `ufunc.reduce`, and often much faster.

NumPy calls its inner loop once per contiguous row, however short. That is most of the time of such common things as the
gradient of a bias, or a softmax over a few classes. Where rows are short and many, sums are products with ones
instead, by BLAS, and other reductions first lay the array out the other way. Few numbers are added, and multiplied, in
TensorFlow's order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from tapeviz.engine.kernels.eigen_math import FEW, LANES
from tapeviz.engine.kernels.eigen_sums import folded
from tapeviz.engine.kernels.elementwise import is_few
from tapeviz.engine.specs.dtypes import Array

MANY = 2048
"""The size of an array from which on this is faster."""
VERY_MANY = 1 << 15
"""The size from which on this is faster for the sum of all numbers."""
LONG = 128
"""The length from which on NumPy adds in pairs, which is more exact than a product with ones."""
SHORT = 32
"""The length up to which it is faster to transpose rows first."""
_ORDERED = (np.add, np.multiply)
"""The ufuncs that round, so that the order of the numbers matters."""
_sum: Callable[..., Any] = np.add.reduce  # NumPy's types have `keepdims` by its name alone, which takes longer


def added(x: Any, axis: int | tuple[int, ...] | None, keepdims: bool = False) -> Any:
    """The sum over one axis, several or all (None), in the dtype of the array.

    >>> added(np.ones((1000, 3), np.float32), 0)
    array([1000., 1000., 1000.], dtype=float32)
    """
    if FEW < x.size < MANY:
        return _sum(x, axis, x.dtype, None, keepdims)
    if axis is None and x.size >= VERY_MANY and x.dtype.char in LANES and x.flags.c_contiguous:
        total = _by_blocks(x.reshape(-1))
        return np.reshape(total, (1,) * x.ndim) if keepdims else total
    if x.size >= MANY and x.dtype.char in LANES and (span := _span(x, axis)):
        first, end = span
        count, behind = prod(x.shape[first:end]), prod(x.shape[end:])
        if behind > 1 or count <= LONG:
            return _middle(x.reshape(-1, count, behind)).reshape(_left(x, first, end, keepdims))
    return _few(np.add, x, axis, keepdims)


def _by_blocks(numbers: Array) -> Any:
    """The sum of all numbers: of each block by a product with ones, of the blocks by NumPy."""
    left = numbers.size % LONG
    blocks = numbers[: numbers.size - left].reshape(-1, LONG)
    return _sum(blocks.dot(_ones(blocks[0]))) + _sum(numbers[numbers.size - left :])


def added_ahead(x: Array, axes: int) -> Any:
    """The sum over the first axes, so many of them: the gradient of a bias, at fewer calls than by `added`.

    >>> added_ahead(np.ones((2, 3, 2)), 2)
    array([6., 6.])
    """
    if x.size >= MANY and x.dtype.char in LANES and x.flags.c_contiguous:
        rows = x if x.ndim == axes + 1 == 2 else x.reshape(prod(x.shape[:axes]), -1)
        if rows.shape[1] > 1:
            total = _ones(rows).dot(rows)
            return total if rows is x else total.reshape(x.shape[axes:])
    return added(x, tuple(range(axes)))


def _span(x: Array, axis: int | tuple[int, ...] | None) -> tuple[int, int] | None:
    """The first axis, and that after the last one, of axes that are contiguous in memory; None if they are not."""
    if axis in (None, ()) or not x.flags.c_contiguous:
        return None
    return _together(normalize_axis_tuple(axis, x.ndim))


def _together(axes: Sequence[int]) -> tuple[int, int] | None:
    """The first axis, and that after the last one, of axes next to each other; None if they are not."""
    first, end = min(axes, default=0), max(axes, default=-1) + 1
    return (first, end) if len(axes) == end - first else None


def _left(x: Array, first: int, end: int, keepdims: bool) -> tuple[int, ...]:
    """The shape of the result of a reduction over these axes."""
    kept = (1,) * (end - first) if keepdims else ()
    return (*x.shape[:first], *kept, *x.shape[end:])


def _middle(x: Array) -> Any:
    """The sums over the middle one of three axes."""
    return np.matmul(_ones(x[0]), x) if x.shape[2] > 1 else np.matmul(x[..., 0], _ones(x[0]))


def _ones(rows: Array) -> Any:
    """One per row."""
    ones = np.empty(len(rows), rows.dtype)
    ones.fill(1)
    return ones


def reduced(ufunc: Any, x: Any, axis: int | tuple[int, ...] | None, keepdims: bool = False) -> Any:
    """The result of `ufunc.reduce`, in the dtype of the array.

    >>> reduced(np.maximum, np.arange(6.0).reshape(3, 2), -1)
    array([1., 3., 5.])
    """
    if x.size >= MANY and (span := _span(x, axis)):
        first, end = span
        count = prod(x.shape[first:])
        if end == x.ndim and count <= SHORT:
            columns = x.reshape(-1, count).T.copy()
            return ufunc.reduce(columns, 0, x.dtype).reshape(_left(x, first, end, keepdims))
    return _few(ufunc, x, axis, keepdims)


def _few(ufunc: Any, x: Any, axis: int | tuple[int, ...] | None, keepdims: bool) -> Any:
    """A reduction in TensorFlow's order, if that matters and there are few numbers; else NumPy's."""
    if ufunc in _ORDERED and is_few(x) and x.size >= LANES[x.dtype.char]:
        axes = range(x.ndim) if axis is None else sorted(normalize_axis_tuple(axis, x.ndim))
        left = [1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes]
        # NumPy's order is another where numbers do not lie one after the other
        return folded(ufunc, np.ascontiguousarray(_in_three(x, axes))).reshape(left)[()]
    return ufunc.reduce(x, axis, x.dtype, None, keepdims)


def _in_three(x: Array, axes: Sequence[int]) -> Any:
    """The array as one of three axes, of which the middle one is reduced.

    Of axes that lie apart, those on both sides of all others go ahead of these, the last ones first; any else behind.
    """
    if span := _together(axes):
        first, end = span
        return x.reshape(*(prod(part) for part in (x.shape[:first], x.shape[first:end], x.shape[end:])))
    wide = [i in axes for i, n in enumerate(x.shape) if n > 1]
    if len(wide) < x.ndim:
        return _in_three(x.squeeze(), [i for i, over in enumerate(wide) if over])
    others = [i for i in range(x.ndim) if i not in axes]
    ahead, behind = [i for i in axes if i < others[0]], [i for i in axes if i > others[-1]]
    if len(ahead) + len(behind) < len(axes):
        return x.transpose(*others, *axes).reshape(-1, prod(x.shape[i] for i in axes), 1)
    return x.transpose(*behind, *ahead, *others).reshape(1, -1, prod(x.shape[i] for i in others))
