"""EventLog -> Runs of Steps: each backward pass, one VJP at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tapeviz.events import (
    BackwardFinished,
    BackwardStarted,
    CotangentAccumulated,
    EventLog,
    OpRecorded,
    OpSkipped,
    VjpApplied,
)

ROWS_LOST = "the rows of a Jacobian are not kept"
"""The text in place of numbers, for the run of a Jacobian."""


class Contribution(NamedTuple):
    """What one VJP sends to one argument of its op.

    Attributes:
        slot: the index of the argument.
        tensor: the tensor that is the argument.
        cotangent: the contribution to its gradient.
        total: the sum of the contributions so far, with this one.
        parts: how many contributions that sum has.
        final: whether this is the last contribution to the tensor.
    """

    slot: int
    tensor: int
    cotangent: int
    total: int
    parts: int
    final: bool


class Step(NamedTuple):
    """One VJP.

    Attributes:
        position: its position in the log.
        op: the position of its op.
        upstream: the upstream gradient of each output of the op, or None.
        contributions: what it sends to the arguments of the op.
    """

    position: int
    op: int
    upstream: tuple[int | None, ...]
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True)
class Run:
    """One backward pass.

    Attributes:
        number: its number in the log.
        position: the position of its beginning.
        tape: the tape.
        targets: the tensors that are differentiated.
        sources: the tensors whose gradients are requested.
        seeds: the gradient of each target that the sweep begins with, or None.
        steps: its VJPs.
        gradients: the gradient of each source, or None; None altogether if the sweep has not finished.
        rows: for a Jacobian, the number of its rows, whose numbers are not kept; None for a gradient.
    """

    number: int
    position: int
    tape: int
    targets: tuple[int, ...]
    sources: tuple[int, ...]
    seeds: tuple[int | None, ...]
    steps: tuple[Step, ...]
    gradients: tuple[int | None, ...] | None
    rows: int | None = None

    def gradient(self, source: int) -> int | None:
        """The cotangent that one source got."""
        return self._of_source.get(source)

    @cached_property
    def _of_source(self) -> dict[int, int | None]:
        return dict(zip(self.sources, self.gradients or (), strict=False))


def forward(log: EventLog) -> list[int]:
    """The positions of the ops, in the order in which they ran."""
    return list(log.of_kind(OpRecorded, OpSkipped))


def runs(log: EventLog) -> Sequence[Run]:
    """The backward passs of a log, in order.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0)
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> [run] = runs(tape.log)
    >>> [(each.slot, each.parts, each.final) for each in run.steps[0].contributions]
    [(0, 1, False), (1, 2, True)]
    """
    return log.once("runs", lambda: list(_runs(log)))


def _runs(log: EventLog) -> Iterator[Run]:
    started: dict[int, tuple[int, BackwardStarted]] = {}
    finished: dict[int, BackwardFinished] = {}
    steps: defaultdict[int, list[tuple[int, VjpApplied]]] = defaultdict(list)
    totals: defaultdict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    summed: Counter[tuple[int, int]] = Counter()
    for position, event in enumerate(log.events):
        match event:
            case BackwardStarted():
                started[event.run] = (position, event)
            case VjpApplied():
                steps[event.run].append((position, event))
            case CotangentAccumulated():
                summed[event.run, event.tensor] += len(event.parts) - 1
                totals[event.run][event.tensor, 1 + summed[event.run, event.tensor]] = event.total
            case BackwardFinished():
                finished[event.run] = event
    for number, (position, start) in started.items():
        yield Run(
            number,
            position,
            start.tape,
            start.targets,
            start.sources,
            start.seeds,
            tuple(_steps(log, start, steps[number], totals[number])),
            finished[number].gradients if number in finished else None,
            start.rows,
        )


def _steps(
    log: EventLog, start: BackwardStarted, applied: list[tuple[int, VjpApplied]], totals: Mapping[tuple[int, int], int]
) -> Iterator[Step]:
    """The steps of one run; `totals`: (tensor, number of contributions) -> their sum."""
    arguments = [(vjp, list(_arguments(log, vjp))) for _, vjp in applied]
    expected = Counter(start.targets) + Counter(tensor for _, slots in arguments for _, tensor, _ in slots)
    arrived = Counter(start.targets)
    for (position, vjp), (_, slots) in zip(applied, arguments, strict=True):
        contributions = []
        for slot, tensor, cotangent in slots:
            arrived[tensor] += 1
            parts = arrived[tensor]
            total = totals.get((tensor, parts), cotangent)
            contributions.append(Contribution(slot, tensor, cotangent, total, parts, parts == expected[tensor]))
        yield Step(position, vjp.op, vjp.upstream, tuple(contributions))


def _arguments(log: EventLog, vjp: VjpApplied) -> Iterator[tuple[int, int, int]]:
    """The triples (slot, tensor, cotangent) of the arguments that got a cotangent."""
    for slot, (tensor, cotangent) in enumerate(zip(op_at(log, vjp.op).inputs, vjp.cotangents, strict=True)):
        if cotangent is not None:
            yield slot, tensor, cotangent


def op_at(log: EventLog, position: int) -> OpRecorded | OpSkipped:
    """The op at a position."""
    event = log.events[position]
    assert isinstance(event, (OpRecorded, OpSkipped))
    return event
