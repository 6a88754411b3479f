"""A row of numbers -> the indices of the k largest, in TensorFlow's order for NaN and for unsorted results.

For k = 1 it takes the maximum of the row, by registers. Otherwise its `TopN` keeps a C++ heap of k + 1 numbers, in
which each larger number takes the place of the least; `std::make_heap`, `pop_heap`, `push_heap` and `sort_heap` go as
in libstdc++.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from tapeviz.engine.kernels.eigen_math import LANES
from tapeviz.engine.specs.dtypes import Array

Before: TypeAlias = Callable[[int, int], bool]
"""Whether the number at one place is better than that at another."""


def largest(row: Array, k: int, in_order: bool = True) -> list[int]:
    """The places of the k largest numbers of a row that has more; of equal ones the first are better.

    >>> largest(np.array([1.0, 3.0, 2.0]), 2), largest(np.array([1.0, 3.0, 2.0]), 2, in_order=False)
    ([1, 2], [2, 1])
    """
    return [_greatest(row)] if k == 1 else _heaped(row.tolist(), k, in_order)


def _greatest(row: Array) -> int:
    """The place of the row's maximum: where that is NaN, which no number equals, the first.

    Whole registers pass NaN over. What is left of the row is gone through number by number, and NaN stays until a
    number comes after it.
    """
    whole = len(row) - len(row) % LANES.get(row.dtype.char, 8)
    found, left = np.fmax.reduce(row[:whole], initial=-np.inf), -np.inf
    for each in row[whole:].tolist():
        left = left if each < left else each
    return int(np.argmax(row == (found if left < found else left)))


def _heaped(row: list[Any], k: int, in_order: bool) -> list[int]:
    def before(a: int, b: int) -> bool:
        return bool(row[b] < row[a]) or (not row[b] > row[a] and a < b)

    heap = [*range(k + 1)]
    for parent in range((k + 1) // 2 - 1, -1, -1):
        _sift(heap, parent, k + 1, heap[parent], before)
    _pop(heap, k + 1, before)
    for place in range(k + 1, len(row)):
        if before(place, heap[0]):
            _pop(heap, k, before)
            _lift(heap, k - 1, 0, place, before)
    for size in range(k, 1, -1) if in_order else ():
        _pop(heap, size, before)
    return heap[:k]


def _pop(heap: list[int], size: int, before: Before) -> None:
    """Move the root behind the rest of the heap."""
    value, heap[size - 1] = heap[size - 1], heap[0]
    _sift(heap, 0, size - 1, value, before)


def _sift(heap: list[int], hole: int, size: int, value: int, before: Before) -> None:
    """Insert a value at a hole: first down along the worse children to a leaf, then up to its place."""
    top, child = hole, 2 * hole + 2
    while child < size:
        child -= before(heap[child], heap[child - 1])
        heap[hole], hole, child = heap[child], child, 2 * child + 2
    if child == size:
        heap[hole], hole = heap[child - 1], child - 1
    _lift(heap, hole, top, value, before)


def _lift(heap: list[int], hole: int, top: int, value: int, before: Before) -> None:
    while hole > top and before(heap[(hole - 1) // 2], value):
        heap[hole], hole = heap[(hole - 1) // 2], (hole - 1) // 2
    heap[hole] = value
