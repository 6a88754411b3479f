"""Boxes and groups -> which groups are unfolded when a picture opens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tapeviz.views.folding.fold import Placement, fold
from tapeviz.views.folding.groups import Group, Groups

MOST_BOXES = 24
"""A picture opens with at most so many boxes, if folding can achieve that."""
MOST_LAYERS = 12
"""A list of more layers opens as one box."""
FEW_BOXES = 3
"""A picture of no more boxes than these opens its loops, too."""


def initially_unfolded(
    places: Sequence[Placement], groups: Groups, tucked: Mapping[int, int] | None = None, within: int = -1
) -> tuple[int, ...]:
    """All groups, if there is room for all boxes; else as many as fit, from the outermost on."""
    *_, last = unfoldings(places, groups, tucked, within)
    return last


def unfoldings(
    places: Sequence[Placement], groups: Groups, tucked: Mapping[int, int] | None = None, within: int = -1
) -> Iterator[tuple[int, ...]]:
    """The groups that are unfolded, more from one to the next, as long as there is room for all boxes.

    What is alike is unfolded together or not at all. Of repeats only a short list of layers is unfolded, and no
    further: its members are what a reader knows by name. Loops open last, where there is little else to see; but a
    round that all that is shown is `within`, as a step of a training, is what there is to see.
    """
    if len(places) - len(tucked or ()) <= MOST_BOXES:
        yield tuple(range(len(groups.rows)))
        return
    spans, alike = groups.spans, _alike(groups)
    unfolded: set[int] = set()
    waiting = [group for group, row in enumerate(groups.rows) if row.parent < 0]
    step = next((each for each in groups.outward(within) if groups.rows[each].kind == "round"), -1)
    around = {*groups.outward(step)}
    yield ()
    for group in waiting:
        row, opened = groups.rows[group], around if group in around else alike[group]
        is_beside = row.kind in ("round", "part") and row.parent in around  # another step of the training
        if group not in around and (is_beside or any(_stays_folded(groups.rows[each]) for each in alike[group])):
            continue
        if group in unfolded or len(fold(places, (), spans, unfolded | opened, tucked).seen) <= MOST_BOXES:
            unfolded |= opened
            waiting += [each for each in range(group + 1, spans[group].end + 1) if spans[each].parent == group]
            yield tuple(sorted(unfolded))
    if len(fold(places, (), spans, unfolded, tucked).seen) > FEW_BOXES:
        return
    for loop in [each for each in waiting if each not in unfolded and groups.rows[each].kind == "repeat"]:
        opened = unfolded | _opened_loop(groups, loop)
        if len(fold(places, (), spans, opened, tucked).seen) <= MOST_BOXES:
            unfolded = opened
            yield tuple(sorted(unfolded))


def _opened_loop(groups: Groups, loop: int) -> set[int]:
    """A loop, and, of a long one, its first and last round."""
    inner = [each for each in range(loop + 1, groups.rows[loop].end + 1) if groups.rows[each].parent == loop]
    is_long = any(groups.rows[each].kind == "part" for each in inner)
    return {loop, *(each for each in inner if is_long and groups.rows[each].kind != "part")}


def _stays_folded(row: Group) -> bool:
    """Whether a group is a box at first, however much room there is: one round of a list of layers among others."""
    if row.kind == "repeat":
        return not row.indexed or row.times > MOST_LAYERS
    return row.kind == "part" or (row.kind == "round" and row.of_class != "")


def _alike(groups: Groups) -> list[set[int]]:
    """Of each group those that are alike, itself included.

    Modules of a class are, as deep within others of that class; so is what has the same title in one group.
    """
    by_key: dict[tuple[object, ...], set[int]] = {}
    keys: list[tuple[object, ...]] = []
    depths: list[Counter[str]] = []
    for group, row in enumerate(groups.rows):
        within = depths[row.parent] if row.parent >= 0 else Counter()
        named = row.kind in ("call", "round") and row.of_class
        keys.append((named, within[row.of_class]) if named else (row.kind, row.title, row.parent))
        depths.append(within + Counter([row.of_class]) if named else within)
        by_key.setdefault(keys[-1], set()).add(group)
    return [by_key[key] for key in keys]
