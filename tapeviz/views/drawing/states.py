"""Picture and states -> the picture at one step: what waits, has a gradient, is active, is done.

The front end does the same by `data-state` and style sheet: change `frontend/styles/graph.css` along with this.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeGuard

from tapeviz.replay import Run, State, Track, joint_track, tensor_track, tracks
from tapeviz.views.drawing.marks import Curve, Mark, MarkGroup, Picture, Polygon, Rect, Text
from tapeviz.views.drawing.picture import arrow
from tapeviz.views.reading import Reading
from tapeviz.views.reading.gradients import GrowingGradients
from tapeviz.views.reading.sketch import tensors_of
from tapeviz.views.scene import Scene

HALO = 4.0
WORDS = ("ink", "soft", "faint")
"""The roles of the words in a box; those on its badge have others."""


def states_at(found: Mapping[str, Track], step: int) -> dict[str, State]:
    """The state that everything drawn is in at a step: by each track, that of its last keyframe so far."""
    return {name: [state for at, state in track if at <= step][-1] for name, track in found.items()}


def group_tracks(reading: Reading, drawn: Scene, run: Run) -> dict[str, Track]:
    """The tracks of boxes, by their ids, and of lines, by "e" and their indices; what no gradient reaches has none."""
    found, sketch = tracks(reading.log, run), reading.sketch
    sent: defaultdict[int, set[int]] = defaultdict(set)  # node -> the steps in which a gradient is sent to it
    named: dict[str, Track] = {}
    for index, edge in enumerate(drawn.edges):
        wires = [sketch.wires[each] for each in edge.wires]
        slots = [(wire.position, wire.slot) for wire in wires if wire.slot is not None]
        steps = {found.arguments[slot] for slot in slots if slot in found.arguments}
        if steps:
            named[f"e{index}"] = tensor_track(sorted(steps))
            sent[edge.tail].update(steps)
    for index, node in enumerate(drawn.nodes):
        boxes = [sketch.boxes[each] for each in node.boxes]
        ops = [found.ops[box.op] for box in boxes if box.op is not None and box.op in found.ops]
        if ops:
            named[node.id] = joint_track(ops)
        arrivals = found.tensors.get(node.tensor) if node.op is None and node.tensor is not None else None
        if arrivals:
            # A box that stands for one use of a leaf lights up with it, and is done when the leaf is.
            named[node.id] = tensor_track(sorted(sent[index]) or arrivals, arrivals[-1])
    return named


def with_gradients(picture: Picture, reading: Reading, drawn: Scene, growing: GrowingGradients, step: int) -> Picture:
    """The picture with the gradients on its boxes as far as a step has come; none where none has arrived."""
    boxes = {node.id: reading.sketch.boxes[node.boxes[0]] for node in drawn.nodes if node.gradient}
    groups = []
    for group in picture.groups:
        if group.id in boxes:
            text = growing.at(tensors_of(reading.graph, boxes[group.id]), step)
            marks = (replace(each, text=text) if _is_gradient(each) else each for each in group.marks)
            group = replace(group, marks=tuple(each for each in marks if text or not _is_gradient(each)))
        groups.append(group)
    return replace(picture, groups=tuple(groups))


def _is_gradient(mark: Mark) -> TypeGuard[Text]:
    return isinstance(mark, Text) and mark.part == "gradient"


def painted(picture: Picture, states: Mapping[str, State]) -> Picture:
    """The picture with every group in the look of its state.

    >>> box = MarkGroup("o1", "mul", (Rect(0, 0, 60, 30, 9, "op", "op-line"), Text(30, 20, "mul", "ink", 13)))
    >>> active = painted(Picture("p", 60, 30, (box,)), {"o1": "active"}).groups[0]
    >>> [mark.fill for mark in active.marks if isinstance(mark, Rect)], active.marks[-1].role
    (['gradient-soft', 'gradient'], 'on-gradient')
    """
    groups = tuple(
        replace(each, marks=tuple(_marks(each, states[each.id]))) if each.id in states else each
        for each in picture.groups
    )
    return replace(picture, groups=groups)


def _marks(group: MarkGroup, state: State) -> Iterator[Mark]:
    if state == "waiting":
        yield from group.marks
    elif group.sheets:
        yield from _box(group, state)
    else:
        yield from _wire(group.marks, state)


def _box(group: MarkGroup, state: State) -> Iterator[Mark]:
    """A box; while its step is done, an op, or a folded group, is filled with the colour of gradients."""
    body = group.sheets[-1]
    strong = state == "active" and body.fill in ("op", "group")
    if state == "active":
        x, y, w, h = body.x - HALO, body.y - HALO, body.w + 2 * HALO, body.h + 2 * HALO
        yield Rect(x, y, w, h, body.corner + HALO, "gradient-soft")
    fill = "gradient" if strong else "gradient-soft" if state in ("active", "done") else body.fill
    line = "cut" if body.line == "cut" else "gradient"
    for sheet in group.sheets:
        yield replace(sheet, fill=fill, line=line, thickness=max(sheet.thickness, 2.0 if state != "done" else 1.2))
    for mark in group.marks[len(group.sheets) :]:
        if strong and isinstance(mark, Text) and (mark.role in WORDS or mark.part == "gradient"):
            yield replace(mark, role="on-gradient")
        elif strong and isinstance(mark, Polygon):  # of the strip, as in `styles/lenses.css`
            yield replace(mark, fill="on-gradient")
        else:
            yield mark


def _wire(marks: tuple[Mark, ...], state: State) -> Iterator[Mark]:
    """A wire that carries a gradient at this step points back along the flow, to where the gradient goes."""
    for mark in marks:
        if isinstance(mark, Curve):
            lit = replace(mark, line="gradient", dash=None)
            yield replace(lit, thickness=3.2, dash=(7.0, 5.0)) if state == "active" else lit
            if state == "active":
                yield Polygon(arrow(mark.points[0], -9.0, 5.4, mark.across), "gradient")
        elif not isinstance(mark, Polygon):
            yield mark
        elif state != "active":
            yield replace(mark, fill="gradient")
