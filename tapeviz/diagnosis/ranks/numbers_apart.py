"""Numbers of several ranks -> how far they are apart, and which of them are far from all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

FAR, OFF = 8.0, 0.5
"""A number is far off that is so many times as far from the median as half of them are, and by such a part of it,"""
FEWEST = 4
"""among so many at least: of three, two are near each other by chance."""
MOST_FAR = 0.25
"""The part of the ranks that are far off at most: where there are more, these are two kinds of ranks."""
Floats: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
Booleans: TypeAlias = "np.ndarray[Any, np.dtype[np.bool_]]"


class NumbersApart(NamedTuple):
    """Of several quantities, the numbers that ranks have of each.

    Attributes:
        numbers: of each rank and quantity; NaN where it is not known.
        known: how many ranks have one.
        least, median, greatest: of the finite ones; where there is none, infinite or NaN.
        far: of each rank and quantity, whether it is far off, or not finite beside others that are.
    """

    numbers: Floats
    known: Any
    least: Floats
    median: Floats
    greatest: Floats
    far: Booleans


def numbers_apart(numbers: Sequence[Sequence[float | None]]) -> NumbersApart:
    """How far numbers are apart.

    Args:
        numbers: of each rank those of all quantities; None where it is not known.

    >>> found = numbers_apart([[1.0], [1.1], [0.9], [1.05], [5.0], [None]])
    >>> found.far[:, 0].tolist(), found.known.tolist(), found.greatest.tolist()
    ([False, False, False, False, True, False], [5], [5.0])
    """
    is_known = np.array([[each is not None for each in row] for row in numbers], dtype=np.bool_)
    all_ = np.array(numbers, dtype=np.float64)  # None is NaN then
    is_finite = np.isfinite(all_)
    finite = np.where(is_finite, all_, np.nan)
    count = is_finite.sum(axis=0)
    with np.errstate(invalid="ignore", over="ignore"):
        middle = _median(finite, count)
        distance = np.abs(finite - middle)
        spread = _median(distance, count)
        is_off = (distance > FAR * spread) & (distance > OFF * np.abs(middle)) & (count >= FEWEST)
    is_off &= is_off.sum(axis=0) <= MOST_FAR * count
    far = is_off | (is_known & ~is_finite & (count > 0))
    least, greatest = (
        find(finite, initial=end, axis=0, where=is_finite) for find, end in ((np.min, np.inf), (np.max, -np.inf))
    )
    return NumbersApart(all_, is_known.sum(axis=0), least, middle, greatest, far)


def _median(numbers: Floats, count: Any) -> Floats:
    """The one in the middle of each column, of an even number of them the lower; NaN where there is none."""
    ordered = np.sort(numbers, axis=0)  # NaN comes last
    middle: Floats = np.take_along_axis(ordered, np.maximum(count - 1, 0)[np.newaxis] // 2, axis=0)[0]
    return middle
