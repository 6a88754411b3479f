"""Two sequences -> pairs of equal entries, in order, and then pairs of similar ones.

Entries that occur once in both are matched first, as many as keep their order (patience); what lies between two of
them is matched in the same way. That takes some n log n steps.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

Entry = TypeVar("Entry")
Pair = tuple[int, int]
Span = tuple[int, int, int, int]
"""A stretch of the first sequence and one of the second: two half-open ranges."""


def align(
    one: Sequence[Entry], other: Sequence[Entry], keys: Sequence[Callable[[Entry], Hashable]]
) -> list[tuple[int, int, int]]:
    """Pairs (index, index, level) in order: equal by the first key, then, between those, by the next, and so on.

    >>> align("abcd", "axcd", [str])
    [(0, 0, 0), (2, 2, 0), (3, 3, 0)]
    """
    found: list[tuple[int, int, int]] = []
    for level, key in enumerate(keys):
        first, second = [key(each) for each in one], [key(each) for each in other]
        for gap in list(_gaps(found, len(one), len(other))):
            found += [(i, j, level) for i, j in _matched(first, second, gap)]
        found.sort()
    return found


def _gaps(pairs: Sequence[tuple[int, int, int]], end: int, other_end: int) -> Iterator[Span]:
    """The gaps between pairs."""
    i = j = 0
    for one, other, _ in (*pairs, (end, other_end, 0)):
        if one > i and other > j:
            yield i, one, j, other
        i, j = one + 1, other + 1


def _matched(one: Sequence[Hashable], other: Sequence[Hashable], span: Span) -> Iterator[Pair]:
    """The pairs of equal entries in a span: at its ends, those that occur once in both, and all between these."""
    waiting = [span]
    while waiting:
        i, end, j, other_end = waiting.pop()
        while i < end and j < other_end and one[i] == other[j]:
            yield i, j
            i, j = i + 1, j + 1
        while i < end and j < other_end and one[end - 1] == other[other_end - 1]:
            end, other_end = end - 1, other_end - 1
            yield end, other_end
        anchors = _anchors(one, other, (i, end, j, other_end))
        for at, other_at in (*anchors, (end, other_end)) if anchors else ():
            waiting.append((i, at, j, other_at))
            i, j = at, other_at


def _anchors(one: Sequence[Hashable], other: Sequence[Hashable], span: Span) -> list[Pair]:
    """The most entries that occur equally often in both, paired occurrence by occurrence, that keep their order."""
    i, end, j, other_end = span
    places: defaultdict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for at in range(i, end):
        places[one[at]][0].append(at)
    for at in range(j, other_end):
        places[other[at]][1].append(at)
    even = [(mine, theirs) for mine, theirs in places.values() if len(mine) == len(theirs)]
    once = [(mine, theirs) for mine, theirs in even if len(mine) == 1]
    chosen = once or even or places.values()  # where nothing occurs equally often: as many occurrences as both have
    return rising(sorted(pair for mine, theirs in chosen for pair in zip(mine, theirs, strict=False)))


def rising(pairs: Sequence[Pair]) -> list[Pair]:
    """The longest run of pairs, sorted by the first index, in which the second rises too."""
    ends: list[int] = []
    chosen: list[int] = []
    before: list[int] = []
    for at, (_, other) in enumerate(pairs):
        length = bisect_left(ends, other)
        before.append(chosen[length - 1] if length else -1)
        if length == len(ends):
            ends.append(other)
            chosen.append(at)
        else:
            ends[length], chosen[length] = other, at
    run = []
    at = chosen[-1] if chosen else -1
    while at >= 0:
        run.append(pairs[at])
        at = before[at]
    return run[::-1]
