"""Two values of logs -> whether they are the same, in one framework or in two."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, TypeAlias

import numpy as np

from tapeviz.events.summary import Summary, elements_of, norm, summary_of

Array: TypeAlias = np.ndarray[Any, Any]

SAME = 1e-6
"""How far values of one framework may be apart, relative to their norm."""
COARSEST = 1e-2
"""The same of two frameworks in half precision."""


@dataclass(frozen=True)
class Tolerance:
    """How far two values may be apart and still count as the same.

    Two frameworks sum in another order, so that of `ported` programs half of the digits count; and they have elements
    in another order, weights transposed, channels first or last, so that none counts.
    """

    ported: bool

    def same(self, one: Any, other: Any) -> bool:
        """Whether two values are the same; of those that were not kept, nobody knows."""
        mine, theirs = self._elements(one), self._elements(other)
        if mine is None or theirs is None:
            return self._in_statistics(one, other)
        return mine.shape == theirs.shape and _distance(mine, theirs) <= self._limit(mine, theirs)

    def distance(self, one: Any, other: Any) -> float | None:
        """How far two values are apart, as `distance` has it, whatever order `ported` programs have elements in."""
        mine, theirs = self._elements(one), self._elements(other)
        return None if mine is None or theirs is None else distance(mine, theirs)

    def _elements(self, value: Any) -> Array | None:
        """The elements of a value, in an order that is the same in both programs."""
        elements = elements_of(value)
        return np.sort(elements, axis=None) if self.ported and elements is not None else elements

    def found(self, one: Any, other: Any) -> bool:
        """Whether two values on the way may be the same: of ported programs their statistics are enough."""
        return self._in_statistics(one, other) and (self.ported or self.same(one, other))

    def _in_statistics(self, one: Any, other: Any) -> bool:
        mine, theirs = summary_of(one), summary_of(other)
        if mine is None or theirs is None:
            return mine is theirs
        if (mine.size, mine.nans, mine.infs) != (theirs.size, theirs.nans, theirs.infs):
            return False
        if not mine.norm or not theirs.norm:
            return mine.norm == theirs.norm
        limit = self._limit(mine, theirs) * max(mine.norm, theirs.norm)
        differences = abs(mine.norm - theirs.norm), abs(mine.min - theirs.min), abs(mine.max - theirs.max)
        return all(each <= limit for each in differences) and abs(mine.mean - theirs.mean) * sqrt(mine.size) <= limit

    def _limit(self, one: Array | Summary, other: Array | Summary) -> float:
        return max(self.limit(each.dtype) for each in (one, other))

    def limit(self, dtype: Any) -> float:
        """How far values of a dtype may be apart, relative to their norm."""
        return _half_of_the_digits(dtype) if self.ported else SAME


def _half_of_the_digits(dtype: Any) -> float:
    try:
        return min(sqrt(np.finfo(dtype).eps), COARSEST)
    except (TypeError, ValueError):  # integers, and what NumPy does not know
        return COARSEST if "float" in str(dtype) else 0.0


def distance(one: Any, other: Any) -> float | None:
    """How far two values are apart, relative to the one of larger norm; None where elements cannot be compared."""
    mine, theirs = elements_of(one), elements_of(other)
    return None if mine is None or theirs is None or mine.shape != theirs.shape else _distance(mine, theirs)


def _distance(one: Array, other: Array) -> float:
    if one.dtype.kind not in "fciub" or other.dtype.kind not in "fciub":
        return 0.0  # nothing is known of their numbers
    finite = np.isfinite(one)
    if not np.array_equal(finite, np.isfinite(other)):
        return inf
    if not finite.all():
        if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
            return inf
        one, other = one[finite], other[finite]
    wide = np.result_type(one, other, np.float64)
    longer = max(norm(one), norm(other))
    return norm(one.astype(wide) - other.astype(wide)) / longer if longer else 0.0
