"""Events -> the graph, one event after the other."""

from __future__ import annotations

from collections.abc import Iterable

from tapeviz.events import (
    BackwardFinished,
    BackwardStarted,
    EventLog,
    LeafCreated,
    OpRecorded,
    OpSkipped,
    StateWritten,
    TapeOpened,
    TapeReset,
    Unwatched,
    Watched,
)
from tapeviz.graph.roundtrips import roundtrip_links, unseen_links
from tapeviz.graph.structure import Graph, Link, Memory, Op, slots_into


class _Growing(Graph):
    """A graph while its log is read."""

    def begin(self, tape: int, position: int) -> None:
        """Begin a new memory of a tape."""
        self._memories[tape].append(Memory(position))

    def current(self, tape: int) -> Memory:
        """What a tape holds now."""
        memories = self._memories[tape]
        if not memories:
            memories.append(Memory(0))
        return memories[-1]

    def _append(self, link: Link) -> None:
        """Add a link that comes after all that are there."""
        self.links.append(link)
        self._into[link.head].append(link)
        self._from[link.tail].append(link)

    def add_op(self, position: int, op: Op) -> None:
        """Add an op, with its links, to the graph and to the tapes that recorded it."""
        self.ops[position] = op
        for place, output in enumerate(op.outputs):
            self._producers[output] = position
            for slot in slots_into(op, place):
                self._append(Link(op.inputs[slot], output, position, slot, op.op))
        for tensor in op.inputs:
            if tensor not in self._producers:
                self.leaves.setdefault(tensor, None)
        for tape, decision in op.tapes:
            if decision == "recorded":
                memory = self.current(tape)
                memory.ops.add(position)
                memory.followed.update(op.outputs)

    def add_leaf(self, position: int, leaf: LeafCreated) -> None:
        """Add a tensor that no op made."""
        self.leaves[leaf.tensor] = position
        for parent in leaf.parents:
            self._append(Link(parent, leaf.tensor, position, None, "rebuilt"))

    def add_write(self, position: int, write: StateWritten) -> None:
        """Add what was written into a variable."""
        self.leaves.setdefault(write.tensor, None)
        if write.how == "assign" and self._is_whole(write):
            self._assigned[write.tensor].append(position)
        if write.value is not None:
            self._append(Link(write.value, write.tensor, position, None, write.how))

    def add_gradients(self, position: int, gradients: Iterable[int | None]) -> None:
        """Add what the gradient call at a position gave."""
        for gradient in gradients:
            if gradient is not None:
                self._given.setdefault(gradient, position)

    def _is_whole(self, write: StateWritten) -> bool:
        """Whether an assignment leaves nothing of the old value: one to a slice, which is smaller, does."""
        tensors = self.log.tensors
        return write.value is None or tensors[write.value].shape == tensors[write.tensor].shape


def build(log: EventLog) -> Graph:
    """Fold a log into its graph.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> graph = build(tape.log)
    >>> graph.producer(tape.log.id_of(y)) in graph.ops, len(graph.links)
    (True, 2)
    >>> tape.log.id_of(x) in graph.reached(0, [tape.log.id_of(y)])
    True
    """
    graph = _Growing(log)
    persistent: set[int] = set()
    spent: set[int] = set()
    begun: dict[int, int] = {}
    for position, event in enumerate(log.events):
        match event:
            case OpRecorded() | OpSkipped():
                graph.add_op(position, event)
            case LeafCreated():
                graph.add_leaf(position, event)
            case StateWritten():
                graph.add_write(position, event)
            case Watched(tape=tape, tensor=tensor):
                graph.current(tape).followed.add(tensor)
            case Unwatched(tape=tape, tensor=tensor):
                graph.current(tape).followed.discard(tensor)
            case TapeOpened(tape=tape) if tape in spent:
                spent.discard(tape)
                graph.begin(tape, position)
            case TapeOpened(tape=tape, persistent=True):
                persistent.add(tape)
            case TapeReset(tape=tape):
                graph.begin(tape, position)
            case BackwardStarted(run=run, tape=tape):
                begun[run] = position
                if tape not in persistent:
                    spent.add(tape)
            case BackwardFinished(run=run, gradients=gradients) if run in begun:
                graph.add_gradients(begun[run], gradients)
    for link in [*roundtrip_links(graph), *unseen_links(graph)]:
        graph.add(link)
    graph.is_extended = False
    return graph
