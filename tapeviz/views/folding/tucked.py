"""Sketch -> the parameters that a picture tucks into the ops that read them, and whether it opens so.

A variable that one op alone reads says little by a box of its own: in a model there are more of them than ops. What
has a badge, as one whose gradient is None, is never tucked away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

SMALL, LARGE = 12, 24
"""A picture of at most so many boxes shows its parameters; one of at most so many, unless a third of its boxes are
such; a larger one, unless a sixth are."""


def tuckable(
    boxes: Sequence[tuple[str, int | None, bool]], groups: Sequence[int], wires: Sequence[tuple[int, int]]
) -> dict[int, int]:
    """Boxes of parameters -> the box of the op that each is tucked into.

    Args:
        boxes: the kind of each, its tensor, and whether it has a badge.
        groups: the group of each: what goes into a whole group from outside is seen beside it.
        wires: the boxes at both ends of each.

    >>> tuckable([("variable", 0, False), ("op", 1, False), ("variable", 2, True)], [-1, -1, -1], [(0, 1), (2, 1)])
    {0: 1}
    """
    heads: dict[int, set[int]] = {}
    for tail, head in wires:
        heads.setdefault(tail, set()).add(head)
    led_to = {head for _, head in wires}
    uses = Counter(tensor for _, tensor, _ in boxes)
    found = {}
    for box, (kind, tensor, badged) in enumerate(boxes):
        if kind != "variable" or badged or uses[tensor] > 1 or box in led_to or len(heads.get(box, ())) != 1:
            continue
        [op] = heads[box]
        if boxes[op][0] == "op" and groups[op] == groups[box]:
            found[box] = op
    return found


def opens_tucked(boxes: int, tucked: Mapping[int, int]) -> bool:
    """Whether a picture of so many boxes opens with its parameters tucked in."""
    return boxes > SMALL and len(tucked) * (6 if boxes > LARGE else 3) >= boxes
