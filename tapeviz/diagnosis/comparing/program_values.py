"""Graph -> what its program computed, in order: leaves, ops and writes, equal values with the same number."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from tapeviz.diagnosis.comparing.actions import Action, actions
from tapeviz.diagnosis.comparing.counterparts import GradientSource, axes_of
from tapeviz.diagnosis.comparing.divergence import Divergence
from tapeviz.diagnosis.comparing.values import KnownValues
from tapeviz.events import EventLog, Site, StateWritten
from tapeviz.events.summary import summary_of
from tapeviz.graph import Graph
from tapeviz.replay import Run
from tapeviz.source.places import site_at


class ProgramValue(NamedTuple):
    """A value of a program, which it computed at a position, wrote into a variable there, or began with.

    `op` is what the log calls the op or the write, None for a leaf; `inputs` are tensors that it was made of, but for
    numbers in the expression. `number` is that of the value, and `after_divergence` says whether the programs
    had diverged by then.
    """

    action: Action
    op: str | None
    inputs: tuple[int, ...]
    source: GradientSource
    number: Hashable
    after_divergence: bool

    @property
    def tensors(self) -> tuple[int, ...]:
        """The tensors that hold it."""
        return self.action.tensors

    @property
    def position(self) -> int:
        """The position from which on they hold it; -1 before the recording."""
        return self.action.position

    @property
    def site(self) -> Site | None:
        """The line that made it."""
        return self.action.site

    @property
    def axes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes in any layout."""
        return tuple(map(axes_of, self.action.shapes))

    def values(self, log: EventLog) -> list[Any]:
        """What the tensors held then."""
        return [log.value(tensor, self.position) for tensor in self.tensors]


def program_values(graph: Graph, values: KnownValues, diverged: Divergence | None) -> Iterator[ProgramValue]:
    """All that a program made; `diverged` is the step from which on it computes something else than the other."""
    log = graph.log
    for action in sorted((*_leaves(graph), *_computed(graph)), key=attrgetter("position", "tensors")):
        held = [log.value(each, action.position) for each in action.tensors]
        numbers = tuple(_number(values, each) for each in held)
        op, inputs = _origin(graph, action)
        yield ProgramValue(
            action,
            op,
            tuple(each for each in inputs if not log.tensors[each].is_number),
            GradientSource(log.tensors[action.tensors[0]].name or "", action.shapes[0], summary_of(held[0])),
            object() if None in numbers else numbers,  # of what was not kept, nothing is alike
            diverged is not None and action.position >= (diverged.position or 0),
        )


def _origin(graph: Graph, action: Action) -> tuple[str | None, tuple[int, ...]]:
    """The op that made something, or the write that changed it, and what went into it."""
    op = graph.ops.get(action.position)
    if op is not None:
        return op.op, op.inputs
    event = graph.log.events[action.position] if action.position >= 0 else None
    if isinstance(event, StateWritten):
        return event.how, () if event.value is None else (event.value,)
    return None, ()


def _leaves(graph: Graph) -> Iterator[Action]:
    """The leaves, but for the numbers in expressions."""
    for tensor, position in graph.leaves.items():
        row = graph.log.tensors[tensor]
        if not row.is_number:
            at = -1 if position is None else position
            yield Action(row.role, site_at(graph.log, position), (row.shape,), at, (tensor,))


def _computed(graph: Graph) -> Iterator[Action]:
    """The ops, and what was written into variables."""
    for action in actions(graph.log):
        if action.tensors and (
            action.position in graph.ops or isinstance(graph.log.events[action.position], StateWritten)
        ):
            yield action


def _number(values: KnownValues, value: Any) -> int | None:
    known = values.number_of(value)
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
