"""Sketch and groups -> the group of every box, also of leaves that several groups read.

A box that is no op but has a wire into it, such as a variable as it was written, stands in the order of the ops: it
belongs to the innermost group that holds the ops before and after it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from tapeviz.graph import Graph
from tapeviz.views.folding.fold import Placement
from tapeviz.views.folding.groups import Groups
from tapeviz.views.reading.sketch import Sketch


def find_places(graph: Graph, sketch: Sketch, groups: Groups) -> list[Placement]:
    """The place of every box, in the order of the sketch."""
    led_to = {wire.head for wire in sketch.wires}
    own = _groups_in_order(sketch, groups, led_to)
    for wire in sketch.wires:
        if own[wire.tail] is None:
            own[wire.tail] = own[wire.head]
    settled = [-1 if each is None else each for each in own]
    ops = sorted(groups.of_op)
    starts = _starts(groups, ops)
    steps = _steps(groups)
    homes = _homes(sketch, groups, settled, led_to, steps)
    for tensor, home in _first_values(graph, groups, ops, starts):
        match sketch.boxes_of[tensor]:
            case [only]:
                settled[only] = min(home, settled[only])
            case _:
                homes[tensor, -1] = min(home, homes.get((tensor, -1), home))
    return [
        Placement(
            group,
            group if index in led_to else homes.get((_tensor(box.tensor), steps[group]), group),
            _tensor(box.tensor),
        )
        for index, (box, group) in enumerate(zip(sketch.boxes, settled, strict=True))
    ]


def _homes(
    sketch: Sketch, groups: Groups, settled: Sequence[int], led_to: set[int], steps: Mapping[int, int]
) -> dict[tuple[int, int], int]:
    """The homes of leaves that several groups read; a box with a wire into it is none, it stands where it was made.

    A leaf that steps of a training read is one of each, as a parameter has changed since the step before: it is drawn
    outside of no folded one.
    """
    uses: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for index, (box, group) in enumerate(zip(sketch.boxes, settled, strict=True)):
        if index not in led_to and box.op is None and box.tensor is not None:
            uses[box.tensor, steps[group]].add(group)
    return {key: _home(groups, used) for key, used in uses.items() if len(used) > 1}


def _steps(groups: Groups) -> dict[int, int]:
    """The step of a training that each group is in, or is, -1 where it is in none."""
    found, around = {-1: -1}, {-1: -1}
    for group, row in enumerate(groups.rows):
        around[group] = around[row.parent] if row.kind == "part" else group
        of = around[row.parent]
        is_step = row.kind != "part" and of >= 0 and groups.rows[of].of_steps
        found[group] = group if is_step else found[row.parent]
    return found


def _first_values(
    graph: Graph, groups: Groups, ops: Sequence[int], starts: Mapping[int, int]
) -> Iterator[tuple[int, int]]:
    """Leaves that the first round of a repeat reads where the second reads what was computed, and their homes: what
    goes into all of it from outside."""
    for group, row in enumerate(groups.rows):
        if not row.times or row.ops % row.times:
            continue
        start, length = starts[group], row.ops // row.times
        for first, second in zip(ops[start : start + length], ops[start + length : start + 2 * length], strict=True):
            one, other = graph.ops[first], graph.ops[second]
            if one.op == other.op and len(one.inputs) == len(other.inputs):
                for before, after in zip(one.inputs, other.inputs, strict=True):
                    if graph.producer(before) is None and graph.producer(after) is not None:
                        yield before, _home(groups, {group})


def _starts(groups: Groups, ops: Sequence[int]) -> dict[int, int]:
    """Where in `ops` each group begins."""
    starts: dict[int, int] = {}
    for index, op in enumerate(ops):
        group = groups.of_op[op]
        while group >= 0 and group not in starts:
            starts[group] = index
            group = groups.rows[group].parent
    return starts


def _tensor(tensor: int | None) -> int:
    return -1 if tensor is None else tensor


def _groups_in_order(sketch: Sketch, groups: Groups, led_to: set[int]) -> list[int | None]:
    """The groups of ops, and of what stands between them; None for a leaf that nothing leads to."""
    after: list[int] = []
    group = -1
    for box in reversed(sketch.boxes):
        group = group if box.op is None else groups.of_op[box.op]
        after.append(group)
    after.reverse()
    found: list[int | None] = []
    last, seen = -1, False
    for index, box in enumerate(sketch.boxes):
        if box.op is not None:
            last, seen = groups.of_op[box.op], True
            found.append(last)
        elif index in led_to:
            found.append(_common(groups, last, after[index]) if seen else -1)
        else:
            found.append(None)
    return found


def _home(groups: Groups, used: set[int]) -> int:
    """The innermost group that contains all uses, but no repeat: what a repeat uses comes from around it."""
    first, *others = used
    home = first
    for each in others:
        home = _common(groups, home, each)
    while home >= 0 and groups.rows[home].kind in ("repeat", "part"):
        home = groups.rows[home].parent
    return home


def _common(groups: Groups, one: int, other: int) -> int:
    """The innermost group that holds both."""
    while one != other:
        one, other = (groups.rows[one].parent, other) if one > other else (one, groups.rows[other].parent)
    return one
