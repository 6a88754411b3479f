"""What two ranks did, op by op -> which op of the one stands where an op of the other does.

Ranks of one program run the same ops but for a few: both lists are walked together, and where they part the nearest
place is looked for at which they go on alike.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

AGREEING = 4
"""So many ops alike, one after the other, are two lists that go on together."""


@dataclass
class Alignment:
    """The counterparts of the ops of one list, all told by their indices.

    Attributes:
        counterparts: of each op the one that stands in its place in the other list, be it another op; None where there
            is none.
        inserted: what the other list has beside: index of the op that it comes before -> those ops.
        end: from here on the other list has nothing more.
    """

    counterparts: list[int | None]
    inserted: dict[int, range] = field(default_factory=dict)
    end: int = 0


def align(own: Sequence[Hashable], other: Sequence[Hashable]) -> Alignment:
    """The ops of `own` beside those of `other`, by what tells them apart.

    >>> align("abcdefg", "abXdefg").counterparts
    [0, 1, 2, 3, 4, 5, 6]
    >>> found = align("abcdefg", "abdefgXh")
    >>> found.counterparts, found.inserted, found.end
    ([0, 1, None, 2, 3, 4, 5], {7: range(6, 8)}, 7)
    >>> align("abcdef", "abc").end, align("abcdef", "abX").end
    (3, 3)
    """
    if own == other:
        return Alignment([*range(len(own))], end=len(own))
    found = Alignment([None] * len(own))
    ahead = _Ahead(other)
    at = there = 0
    while at < len(own) and there < len(other):
        if own[at] == other[there]:
            found.counterparts[at] = there
            at, there = at + 1, there + 1
            continue
        left, right = ahead.meeting(own, at, there)
        paired = left if left == right else 0
        found.counterparts[at : at + paired] = range(there, there + paired)
        if right > paired:
            found.inserted[at + left] = range(there, there + right)
        at, there = at + left, there + right
    found.end = len(own) if there < len(other) else at
    if there < len(other):
        found.inserted[at] = range(there, len(other))
    return found


class _Ahead:
    """Where each few ops of a list stand in it, to find where it goes on as another does."""

    def __init__(self, ops: Sequence[Hashable]) -> None:
        self._count = len(ops)
        self._places: defaultdict[Hashable, list[int]] = defaultdict(list)
        for at, few in enumerate(_few(ops, 0)):
            self._places[few].append(at)

    def meeting(self, own: Sequence[Hashable], at: int, there: int) -> tuple[int, int]:
        """How many ops of `own`, from `at` on, and of this list, from `there` on, come before both go on alike."""
        rest = len(own) - at, self._count - there
        if rest[1] <= AGREEING:  # as of a rank that ended there
            rest = min(rest), rest[1]
        best = sum(rest) + 1
        for left, few in enumerate(_few(own, at)):
            if left >= best:
                break
            places = self._places.get(few, ())
            next_ = bisect_left(places, there)
            if next_ < len(places) and left + places[next_] - there < best:
                rest = left, places[next_] - there
                best = sum(rest)
        return rest


def _few(ops: Sequence[Hashable], start: int) -> Sequence[Hashable]:
    """From each op on, the few that are compared; fewer where the list ends."""
    return [tuple(ops[at : at + AGREEING]) for at in range(start, len(ops))]
