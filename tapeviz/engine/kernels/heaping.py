"""A row of numbers -> the places of the k largest, in no order: in that of the heap in which TensorFlow collects them.

Its `TopN` fills a C++ heap with the first k + 1, takes the least away, and from then on each that is larger than the
least takes its place; the steps of `std::make_heap`, `pop_heap` and `push_heap` are those of libstdc++.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Before: TypeAlias = Callable[[int, int], bool]
"""Whether the number at one place is better than that at another."""


def heaped(row: Any, k: int) -> list[int]:
    """The places of the k largest numbers of a row that has more; of equal ones the first are better.

    >>> heaped([1.0, 3.0, 2.0], 2)
    [2, 1]
    """

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
    return heap[:k]


def _pop(heap: list[int], size: int, before: Before) -> None:
    """The root goes behind what is left of the heap."""
    value, heap[size - 1] = heap[size - 1], heap[0]
    _sift(heap, 0, size - 1, value, before)


def _sift(heap: list[int], hole: int, size: int, value: int, before: Before) -> None:
    """A value goes in at a hole: down along the worse children to the end, and back up to where it belongs."""
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
