"""Graph and runs -> the boxes and wires to draw, before anyone says where they stand.

A leaf is drawn once per op that uses it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from tapeviz.events import OpRecorded, Watched
from tapeviz.graph import Graph, Link
from tapeviz.replay import Run

BoxKind: TypeAlias = Literal["op", "variable", "constant", "state"]

UNSAID = ""
"""The `how` of a wire that is no link of the graph: of what a variable keeps when something is added to it."""


@dataclass
class Box:
    """What is drawn as one box: an op, a leaf where it is used, or a variable as it was written.

    Its `id` is "o3" for the op at position 3, "t7" for the leaf that is tensor 7, "t7.0" for the first of several uses
    of that leaf, "s5" for a variable as it was written at position 5. `at` is the position at which a leaf is used, or
    a variable written.
    """

    id: str
    kind: BoxKind
    op: int | None
    tensor: int | None
    at: int | None = None


def tensors_of(graph: Graph, box: Box) -> tuple[int, ...]:
    """What a box stands for: the outputs of its op, or its leaf."""
    if box.op is not None:
        return graph.ops[box.op].outputs
    return () if box.tensor is None else (box.tensor,)


class Wire(NamedTuple):
    """The value of `tensor`, on its way from box `tail` into box `head` by the event at `position`.

    As in a `Link` of the graph, `slot` is the argument that it is, None where it goes past the tape, and `how` is what
    takes it there.
    """

    tail: int
    head: int
    tensor: int
    position: int
    slot: int | None
    how: str


@dataclass
class Sketch:
    """Boxes and wires; `box_of_op` has the index of the box of each op, `boxes_of` those of the boxes of a tensor."""

    boxes: list[Box] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
    box_of_op: dict[int, int] = field(default_factory=dict)
    boxes_of: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))


def sketch(graph: Graph, runs: Sequence[Run]) -> Sketch:
    """Choose what of a log is drawn: the ops that a tape recorded, and what leads to them or to a target.

    What ran while no tape was open is drawn only where a gradient was wanted of what it read.
    """
    chosen = _Drawn(graph, runs)
    pen = _Pen(graph, chosen)
    for position in sorted(chosen.links):
        pen.draw(position)
    for tensor in sorted(chosen.ends):
        pen.draw_end(tensor)
    return pen.finished()


class _Drawn:
    """What is drawn: for each position, the links that its event makes (none for an op without arguments)."""

    def __init__(self, graph: Graph, runs: Sequence[Run]) -> None:
        self.graph = graph
        self.ends = {tensor for run in runs for tensor in (*run.sources, *run.targets)}
        self._live = graph.descendants(self._wanted())
        recorded = {output for op in graph.ops.values() if isinstance(op, OpRecorded) for output in op.outputs}
        targets = {target for run in runs for target in run.targets}
        starts = recorded | targets or {output for op in graph.ops.values() for output in op.outputs}
        links = graph.back(sorted(starts), self._matters)
        self.links: defaultdict[int, list[Link]] = defaultdict(list)
        for tensor in starts.union(link.tail for link in links):
            producer = graph.producer(tensor)
            if producer is not None and self._op_matters(producer):
                self.links[producer] = []
        for link in links:
            self.links[link.position].append(link)

    def _wanted(self) -> set[int]:
        """The tensors that someone may want a gradient of."""
        watched = {event.tensor for event in self.graph.log.of_kind(Watched).values()}
        variables = set(filter(self.graph.is_variable, self.graph.leaves))
        return watched | variables | self.ends

    def _matters(self, link: Link) -> bool:
        return link.tail in self._live if link.slot is None else self._op_matters(link.position)

    def _op_matters(self, position: int) -> bool:
        op = self.graph.ops[position]
        return bool(op.tapes) or not self._live.isdisjoint(op.inputs)


class _Pen:
    """Makes boxes and wires in the order of the log, so that the tail of every wire is there before it."""

    def __init__(self, graph: Graph, chosen: _Drawn) -> None:
        self._graph = graph
        self._chosen = chosen
        self._sketch = Sketch()
        self._made: dict[int, int] = {}  # tensor -> the box that it comes out of

    def draw(self, position: int) -> None:
        """Add what happened at a position: an op, or values that went past the tape."""
        for link in self._chosen.links[position]:
            if link.slot is None:
                self._draw_past_the_tape(link)
        if position in self._graph.ops:
            self._draw_op(position)

    def draw_end(self, tensor: int) -> None:
        """Add a source or target, unless it is there already."""
        if tensor not in self._sketch.boxes_of:
            self._new_leaf(tensor, None)

    def finished(self) -> Sketch:
        """The sketch, with a number for each of several boxes of one leaf."""
        for tensor, boxes in self._sketch.boxes_of.items():
            aliases = [self._sketch.boxes[box] for box in boxes if self._sketch.boxes[box].id == f"t{tensor}"]
            if len(aliases) > 1:
                for number, box in enumerate(aliases):
                    box.id = f"t{tensor}.{number}"
        return self._sketch

    def _draw_op(self, position: int) -> None:
        op = self._graph.ops[position]
        boxed = [tensor for tensor in dict.fromkeys(op.inputs) if not self._is_bare(tensor)]
        tails = {tensor: self._tail(tensor, position) for tensor in boxed}
        box = self._new(Box(f"o{position}", "op", position, op.outputs[0] if op.outputs else None), op.outputs)
        self._sketch.box_of_op[position] = box
        for slot, tensor in enumerate(op.inputs):
            if tensor in tails:
                self._sketch.wires.append(Wire(tails[tensor], box, tensor, position, slot, op.op))
        self._made.update(dict.fromkeys(op.outputs, box))

    def _draw_past_the_tape(self, link: Link) -> None:
        tail = self._tail(link.tail, link.position)
        written = link.position not in self._graph.ops and self._graph.leaves.get(link.head) != link.position
        if written:
            before = self._made.get(link.head)
            head = self._new(Box(f"s{link.position}", "state", None, link.head, link.position), (link.head,))
            if before is not None and link.how != "assign":
                self._sketch.wires.append(Wire(before, head, link.head, link.position, None, UNSAID))
        else:
            head = self._tail(link.head, link.position)
        self._made[link.head] = head
        self._sketch.wires.append(Wire(tail, head, link.tail, link.position, None, link.how))

    def _tail(self, tensor: int, at: int) -> int:
        """The box that a tensor comes from: that of the op that made it, or a new one of its own."""
        made = self._made.get(tensor)
        return self._new_leaf(tensor, at) if made is None else made

    def _is_bare(self, tensor: int) -> bool:
        """Whether a tensor is a number in an expression, which the op's own box shows."""
        row = self._graph.log.tensors[tensor]
        return row.is_number and tensor not in self._made

    def _new_leaf(self, tensor: int, at: int | None) -> int:
        kind: BoxKind = "variable" if self._graph.is_variable(tensor) else "constant"
        return self._new(Box(f"t{tensor}", kind, None, tensor, at), (tensor,))

    def _new(self, box: Box, stands_for: Sequence[int]) -> int:
        self._sketch.boxes.append(box)
        for tensor in stands_for:
            self._sketch.boxes_of[tensor].append(len(self._sketch.boxes) - 1)
        return len(self._sketch.boxes) - 1
