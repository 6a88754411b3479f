"""Graph -> what its program computed, in order: leaves, ops and writes, equal values with the same number."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from tapeviz.diagnosis.comparing.actions import Act, acts
from tapeviz.diagnosis.comparing.counterparts import GradientSource, axes_of
from tapeviz.diagnosis.comparing.divergence import Origin
from tapeviz.diagnosis.comparing.values import KnownValues
from tapeviz.events import EventLog, Site, StateWritten
from tapeviz.events.summary import summary_of
from tapeviz.graph import Graph
from tapeviz.replay import Run
from tapeviz.source.places import site_at


class Made(NamedTuple):
    """A result: what a program computed at a position, wrote into a variable there, or began with.

    `op` is what the log calls the op or the write, None for a leaf; `inputs` are tensors that it was made of, but for
    numbers in the expression. `number` is that of the value, and `beyond` says whether the programs had parted by then.
    """

    act: Act
    op: str | None
    inputs: tuple[int, ...]
    source: GradientSource
    number: Hashable
    beyond: bool

    @property
    def tensors(self) -> tuple[int, ...]:
        """The tensors that hold it."""
        return self.act.tensors

    @property
    def position(self) -> int:
        """The position from which on they hold it; -1 before the recording."""
        return self.act.position

    @property
    def site(self) -> Site | None:
        """The line that made it."""
        return self.act.site

    @property
    def axes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes in any layout."""
        return tuple(map(axes_of, self.act.shapes))

    def values(self, log: EventLog) -> list[Any]:
        """What the tensors held then."""
        return [log.value(tensor, self.position) for tensor in self.tensors]


def made_in(graph: Graph, values: KnownValues, parted: Origin | None) -> Iterator[Made]:
    """All that a program made; `parted` is the step from which on it computes something else than the other."""
    log = graph.log
    for act in sorted((*_leaves(graph), *_computed(graph)), key=attrgetter("position", "tensors")):
        held = [log.value(each, act.position) for each in act.tensors]
        numbers = tuple(_number(values, each) for each in held)
        op, inputs = _origin(graph, act)
        yield Made(
            act,
            op,
            tuple(each for each in inputs if not log.tensors[each].is_number),
            GradientSource(log.tensors[act.tensors[0]].name or "", act.shapes[0], summary_of(held[0])),
            object() if None in numbers else numbers,  # of what was not kept, nothing is alike
            parted is not None and act.position >= (parted.position or 0),
        )


def _origin(graph: Graph, act: Act) -> tuple[str | None, tuple[int, ...]]:
    """The op that made something, or the write that changed it, and what went into it."""
    op = graph.ops.get(act.position)
    if op is not None:
        return op.op, op.inputs
    event = graph.log.events[act.position] if act.position >= 0 else None
    if isinstance(event, StateWritten):
        return event.how, () if event.value is None else (event.value,)
    return None, ()


def _leaves(graph: Graph) -> Iterator[Act]:
    """The leaves, but for the numbers in expressions."""
    for tensor, position in graph.leaves.items():
        row = graph.log.tensors[tensor]
        if not row.is_number:
            at = -1 if position is None else position
            yield Act(row.role, site_at(graph.log, position), (row.shape,), at, (tensor,))


def _computed(graph: Graph) -> Iterator[Act]:
    """The ops, and what was written into variables."""
    for act in acts(graph.log):
        if act.tensors and (act.position in graph.ops or isinstance(graph.log.events[act.position], StateWritten)):
            yield act


def _number(values: KnownValues, value: Any) -> int | None:
    known = values.like(value)
    return values.add(value) if known is None else known


def arriving(runs: Sequence[Run]) -> list[dict[int, int]]:
    """Of each gradient call the gradients of tensors, all contributions summed."""
    found = []
    for run in runs:
        if run.gradients is None or run.rows is not None:
            continue
        pairs = [
            *zip(run.targets, run.seeds, strict=True),
            *((each.tensor, each.total) for step in run.steps for each in step.contributions),
            *zip(run.sources, run.gradients, strict=True),
        ]
        found.append({tensor: gradient for tensor, gradient in pairs if gradient is not None})
    return found
