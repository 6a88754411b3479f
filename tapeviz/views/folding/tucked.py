"""Sketch -> the parameters that a picture tucks into the ops that read them, and whether it opens so.

A variable that one op alone reads says little by a box of its own: in a model there are more of them than ops. So does
one that an op reads in each step of a training, if no backward pass meets two of these, whose sum is to be seen. What
has a badge, as one whose gradient is None, is never tucked away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

SMALL, LARGE = 12, 24
"""A picture of at most so many boxes shows its parameters; one of at most so many, unless a third of its boxes are
such; a larger one, unless a sixth are."""


def tuckable(
    boxes: Sequence[tuple[str, int | None, bool]],
    groups: Sequence[int],
    wires: Sequence[tuple[int, int]],
    passes: Mapping[int, Sequence[int]] | None = None,
) -> dict[int, int]:
    """Boxes of parameters -> the box of the op that each is tucked into.

    Args:
        boxes: the kind of each, its tensor, and whether it has a badge.
        groups: the group of each: what goes into a whole group from outside is seen beside it.
        wires: the boxes at both ends of each.
        passes: of the box of an op the backward passes that met it; what none met counts as met by one.

    >>> tuckable([("variable", 0, False), ("op", 1, False), ("variable", 2, True)], [-1, -1, -1], [(0, 1), (2, 1)])
    {0: 1}
    >>> twice = [("variable", 0, False), ("op", 1, False), ("variable", 0, False), ("op", 2, False)]
    >>> tuckable(twice, [-1] * 4, [(0, 1), (2, 3)]), tuckable(twice, [-1] * 4, [(0, 1), (2, 3)], {1: [0], 3: [1]})
    ({}, {0: 1, 2: 3})
    """
    heads: dict[int, set[int]] = {}
    for tail, head in wires:
        heads.setdefault(tail, set()).add(head)
    led_to = {head for _, head in wires}
    alone = [
        (box, tensor)
        for box, (kind, tensor, badged) in enumerate(boxes)
        if kind == "variable" and not badged and box not in led_to and len(heads.get(box, ())) == 1
    ]
    uses = _uses_by_pass(boxes, heads, passes or {})
    found = {}
    for box, tensor in alone:
        [op] = heads[box]
        if uses[tensor] == 1 and boxes[op][0] == "op" and groups[op] == groups[box]:
            found[box] = op
    return found


def _uses_by_pass(
    boxes: Sequence[tuple[str, int | None, bool]], heads: Mapping[int, set[int]], passes: Mapping[int, Sequence[int]]
) -> dict[int | None, int]:
    """Of each variable how often the backward pass uses it that uses it most."""
    uses: dict[int | None, Counter[int]] = {}
    for box, (kind, tensor, _) in enumerate(boxes):
        if kind == "variable":
            for op in heads.get(box, (-1,)):
                uses.setdefault(tensor, Counter()).update(passes.get(op, (-1,)))
    return {tensor: max(counts.values()) for tensor, counts in uses.items()}


def opens_tucked(boxes: int, tucked: Mapping[int, int]) -> bool:
    """Whether a picture of so many boxes opens with its parameters tucked in."""
    return boxes > SMALL and len(tucked) * (6 if boxes > LARGE else 3) >= boxes
