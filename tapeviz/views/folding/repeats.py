"""The shapes of neighbours -> the stretches in which a few of them repeat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

LONGEST = 24
"""How many neighbours may make up what is repeated: a step of a recurrent layer is some twenty ops."""
LEAST = 3
"""How often it has to occur."""


def find_repeats(shapes: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """(start, length of what is repeated, how often) of every stretch that repeats, none over another.

    >>> list(find_repeats([7, 1, 2, 1, 2, 1, 2, 9]))
    [(1, 2, 3)]
    """
    ends = [_ends(shapes, period) for period in range(1, min(LONGEST, len(shapes) // LEAST) + 1)]
    at = 0
    while at < len(shapes):
        found = {period: count for period, end in enumerate(ends, 1) if (count := (end[at] - at) // period) >= LEAST}
        if found:
            period = max(found, key=lambda each: each * found[each])  # of several that go as far, the shortest
            yield at, period, found[period]
            at += period * found[period]
        else:
            at += 1


def _ends(shapes: Sequence[int], period: int) -> list[int]:
    """For every place, where the stretch ends in which every shape comes again `period` places on."""
    ends = [0] * len(shapes)
    for at in range(len(shapes) - 1, -1, -1):
        after = at + period
        same = after < len(shapes) and shapes[after] == shapes[at]
        ends[at] = ends[at + 1] if same else min(after, len(shapes))
    return ends
