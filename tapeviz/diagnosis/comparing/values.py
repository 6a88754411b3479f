"""Numbered values of programs -> a lookup of the value that another one may equal."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from math import isnan
from typing import Any

from tapeviz.diagnosis.comparing.tolerance import Tolerance
from tapeviz.events.summary import Summary, summary_of

Held = tuple[float, int, Any]
"""The norm of a value, its number, and the value."""


class KnownValues:
    """A collection of values, in which to look up the number of an equal one."""

    def __init__(self, tolerance: Tolerance) -> None:
        self._tolerance = tolerance
        self._held: defaultdict[int, list[Held]] = defaultdict(list)
        self._count = 0
        self._limit = 0.0

    def add(self, value: Any) -> int | None:
        """Add a value; its number, None where it was not kept."""
        summary = summary_of(value)
        if summary is None:
            return None
        self._count += 1
        self._limit = max(self._limit, self._tolerance.limit(summary.dtype))
        insort(self._held[summary.size], (_norm(summary), self._count, value), key=_first)
        return self._count

    def number_of(self, value: Any) -> int | None:
        """The number of a value that may be the same as this one; None where there is none, or this was not kept."""
        summary = summary_of(value)
        if summary is None:
            return None
        values, norm = self._held.get(summary.size, []), _norm(summary)
        reach = 2 * norm * max(self._limit, self._tolerance.limit(summary.dtype))
        low, high = bisect_left(values, norm - reach, key=_first), bisect_right(values, norm + reach, key=_first)
        return next((number for _, number, each in values[low:high] if self._tolerance.found(value, each)), None)


def _first(entry: Held) -> float:
    return entry[0]


def _norm(summary: Summary) -> float:
    return 0.0 if isnan(summary.norm) else summary.norm  # where nothing is finite
