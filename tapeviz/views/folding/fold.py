"""Boxes, wires, groups, and which groups are unfolded -> what is seen: boxes, folded groups, and wires between them.

`frontend/sight/fold.js` is the same program; a test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Placement(NamedTuple):
    """The place of a box among the groups; -1 stands for no group.

    `group` is the group of the op that it is, or that reads it. A leaf that ops of several groups read is drawn outside
    of the folded ones: its `home` is the group around all these ops. The `home` of any other box is its `group`.
    `tensor` is the same for all boxes of one leaf.
    """

    group: int
    home: int
    tensor: int


class GroupSpan(NamedTuple):
    """A group among others: the group it is in (-1: none), and the last of its descendants, which follow it."""

    parent: int
    end: int


@dataclass
class Seen:
    """One thing that is seen: a `box`, or a folded `group`; the other is -1.

    Where a leaf stands for all its uses in a folded group, `box` is the first of them. `parent` is the unfolded group
    around it, -1 where there is none.
    """

    box: int
    group: int
    parent: int


@dataclass
class SeenWire:
    """The `wires` that are seen as one, from `tail` to `head`, which are indices into what is seen."""

    tail: int
    head: int
    wires: list[int]


@dataclass
class Folded:
    """What is seen, in the order of the boxes; `of_box` is, for each box, the index of what it is seen as."""

    seen: list[Seen] = field(default_factory=list)
    of_box: list[int] = field(default_factory=list)
    wires: list[SeenWire] = field(default_factory=list)

    @property
    def boxes_of_seen(self) -> list[list[int]]:
        """For everything that is seen, the boxes that it stands for, its own first."""
        boxes: list[list[int]] = [[each.box] if each.group < 0 else [] for each in self.seen]
        for box, index in enumerate(self.of_box):
            if box != self.seen[index].box:
                boxes[index].append(box)
        return boxes


def fold(
    places: Sequence[Placement],
    wires: Sequence[tuple[int, int]],
    groups: Sequence[GroupSpan],
    unfolded: Collection[int],
    tucked: Mapping[int, int] | None = None,
) -> Folded:
    """Fold every group but the unfolded ones; a group inside a folded one is not seen, whether it is unfolded or not.

    `tucked` are boxes that are seen as another one: parameters, as the op that reads them.

    >>> folded = fold(
    ...     [Placement(-1, -1, 0), Placement(0, 0, 1), Placement(0, 0, 2)], [(0, 1), (1, 2)], [GroupSpan(-1, 0)], set()
    ... )
    >>> folded.seen, folded.wires
    ([Seen(box=0, group=-1, parent=-1), Seen(box=-1, group=0, parent=-1)], [SeenWire(tail=0, head=1, wires=[0])])
    """
    tops = _tops(groups, unfolded)
    found = Folded()
    numbers: dict[tuple[int, int, int], int] = {}
    hidden = tucked or {}
    for box, place in enumerate(places):
        if box in hidden:
            found.of_box.append(-1)
            continue
        top = tops[place.group] if place.group >= 0 else -1
        if top < 0:
            key, seen = (box, -1, -1), Seen(box, -1, place.group)
        elif is_within(groups, top, place.home):
            key, seen = (-1, place.tensor, top), Seen(box, -1, groups[top].parent)
        else:
            key, seen = (-1, -1, top), Seen(-1, top, groups[top].parent)
        if key not in numbers:
            numbers[key] = len(found.seen)
            found.seen.append(seen)
        found.of_box.append(numbers[key])
    for box, op in hidden.items():
        found.of_box[box] = found.of_box[op]
    join(found, wires)
    return found


def _tops(groups: Sequence[GroupSpan], unfolded: Collection[int]) -> list[int]:
    """For every group the outermost folded one that it is in, or is; -1 where there is none."""
    tops: list[int] = []
    for group, (parent, _) in enumerate(groups):
        top = tops[parent] if parent >= 0 else -1
        tops.append(top if top >= 0 else -1 if group in unfolded else group)
    return tops


def is_within(groups: Sequence[GroupSpan], group: int, outer: int) -> bool:
    """Whether a group is a descendant of another."""
    return outer < 0 or outer < group <= groups[outer].end


def join(found: Folded, wires: Sequence[tuple[int, int]]) -> None:
    """Draw wires between the same two ends as one if an end is a folded group."""
    numbers: dict[tuple[int, int], int] = {}
    for wire, (tail, head) in enumerate(wires):
        ends = found.of_box[tail], found.of_box[head]
        if ends[0] == ends[1]:
            continue
        if ends in numbers:
            found.wires[numbers[ends]].wires.append(wire)
            continue
        if any(found.seen[end].group >= 0 for end in ends):
            numbers[ends] = len(found.wires)
        found.wires.append(SeenWire(*ends, [wire]))
