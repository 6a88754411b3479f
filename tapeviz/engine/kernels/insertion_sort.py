"""A short row with NaN in it -> the descending order in which TensorFlow leaves it.

NaN compares with nothing, so where it ends up depends on the algorithm: up to 16 numbers, `std::sort` is an insertion
sort, and TensorFlow then sorts runs of equal numbers by their places.
"""

from __future__ import annotations

from typing import Any

SHORT = 16
"""The length up to which rows are sorted by insertion."""


def inserted(row: list[Any]) -> list[int]:
    """The places of the numbers of a row, the largest first.

    >>> inserted([1.0, float("nan"), 2.0])
    [2, 0, 1]
    """
    order = [0]
    for place in range(1, len(row)):
        at = len(order)
        if row[order[0]] < row[place]:
            at = 0
        while at and row[order[at - 1]] < row[place]:
            at -= 1
        order.insert(at, place)
    return [place for run in _runs(row, order) for place in sorted(run)]


def _runs(row: list[Any], order: list[int]) -> list[list[int]]:
    """The indices of equal numbers that are next to each other."""
    runs = [order[:1]]
    for place in order[1:]:
        if row[runs[-1][0]] == row[place]:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs
