"""What is seen, a box for every use of a leaf -> the same, with one box for all uses where that crosses no wire.

So the contributions to a shared variable meet in the picture, as they do in its sum. In a large picture, and where the
wires of one box would cross others, every use keeps a box of its own.

`frontend/sight/sharing.js` is the same program; a test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from tapeviz.views.folding.fold import Folded, GroupSpan, Seen, join
from tapeviz.views.scene.nest import Nested

MOST_SEEN = 40
"""In a picture of more boxes, every use of a leaf has one of its own."""


def share(
    folded: Folded,
    looks: Sequence[Hashable | None],
    wires: Sequence[tuple[int, int]],
    groups: Sequence[GroupSpan],
    place: Callable[[Folded], Nested],
) -> tuple[Folded, Nested]:
    """What is seen then, and where it stands.

    Args:
        folded: what is seen.
        looks: for every box, what uses of one leaf have in common that look the same; None for what is no leaf.
        wires: the boxes at both ends of each.
        groups: the groups.
        place: gives everything that is seen its place.
    """
    found, placed = folded, place(folded)
    if len(folded.seen) > MOST_SEEN:
        return found, placed
    uses: dict[Hashable, list[int]] = {}
    for each in folded.seen:
        if each.group < 0 and looks[each.box] is not None:
            uses.setdefault(looks[each.box], []).append(each.box)
    for boxes in uses.values():
        if len(boxes) > 1:
            shared = _as_one(found, boxes, wires, groups)
            trial = place(shared)
            if trial.crossings <= placed.crossings:
                found, placed = shared, trial
    return found, placed


def _as_one(
    folded: Folded, boxes: Sequence[int], wires: Sequence[tuple[int, int]], groups: Sequence[GroupSpan]
) -> Folded:
    """These boxes seen as the first of them, in the innermost group around all."""
    uses = [folded.of_box[box] for box in boxes]
    first = uses[0]
    parent = folded.seen[first].parent
    for use in uses:
        parent = _around(groups, parent, folded.seen[use].parent)
    found = Folded()
    numbers: list[int] = []
    for index, each in enumerate(folded.seen):
        if index in uses and index != first:
            numbers.append(numbers[first])
            continue
        numbers.append(len(found.seen))
        found.seen.append(Seen(each.box, -1, parent) if index == first else each)
    found.of_box = [numbers[index] for index in folded.of_box]
    join(found, wires)
    return found


def _around(groups: Sequence[GroupSpan], one: int, other: int) -> int:
    """The innermost group that holds both; -1 where there is none."""
    while one != other:
        one, other = (groups[one].parent, other) if one > other else (one, groups[other].parent)
    return one
