"""Boxes and groups -> which groups are unfolded when a picture opens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tapeviz.views.folding.fold import Placement, fold
from tapeviz.views.folding.groups import Groups

MOST_BOXES = 24
"""A picture opens with at most so many boxes, if folding can achieve that."""
MOST_LAYERS = 12
"""A list of more layers opens as one box."""


def initially_unfolded(
    places: Sequence[Placement], groups: Groups, tucked: Mapping[int, int] | None = None
) -> tuple[int, ...]:
    """All groups, if there is room for all boxes; else as many as fit, from the outermost on.

    Of repeats only a short list of layers, whose members are what a reader knows by name.
    """
    if len(places) - len(tucked or ()) <= MOST_BOXES:
        return tuple(range(len(groups.rows)))
    spans = groups.spans
    unfolded: set[int] = set()
    waiting = [group for group, row in enumerate(groups.rows) if row.parent < 0]
    for group in waiting:
        row = groups.rows[group]
        if row.kind == "part" or (row.kind == "repeat" and not (row.indexed and row.times <= MOST_LAYERS)):
            continue
        if len(fold(places, (), spans, unfolded | {group}, tucked).seen) <= MOST_BOXES:
            unfolded.add(group)
            waiting += [each for each in range(group + 1, spans[group].end + 1) if spans[each].parent == group]
    return tuple(sorted(unfolded))
