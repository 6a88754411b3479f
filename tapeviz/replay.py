"""EventLog -> Runs of Steps and Tracks: the backward pass again, one VJP at a time.

Step k of a run is its k-th VJP, counted from 1; step 0 is the moment after the seeds were set. A track is what one
thing of the picture looks like over the steps, as keyframes (step, state).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from tapeviz.events import (
    BackwardFinished,
    BackwardStarted,
    CotangentAccumulated,
    EventLog,
    OpRecorded,
    OpSkipped,
    VjpApplied,
)

State: TypeAlias = Literal["waiting", "reached", "active", "done"]
"""waiting: no gradient yet; reached: some has arrived; active: this step's; done: all has."""

Track: TypeAlias = tuple[tuple[int, State], ...]


ROWS_LOST = "the rows of a Jacobian are not kept"
"""What is said in place of numbers, for a run with rows."""


class Contribution(NamedTuple):
    """What one VJP sends to one argument of its op.

    `total` is the running sum on `tensor` with it, made of `parts` contributions; `final`: no more will come.
    """

    slot: int
    tensor: int
    cotangent: int
    total: int
    parts: int
    final: bool


class Step(NamedTuple):
    """One VJP: of the op at position `op`, logged at `position`. `upstream` is parallel to the op's outputs."""

    position: int
    op: int
    upstream: tuple[int | None, ...]
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True)
class Run:
    """One backward sweep. `gradients` is parallel to `sources`: cotangent ids, None where nothing arrived; None
    altogether where the sweep did not finish. `rows` counts those of a Jacobian, which are not kept, and is None for a
    gradient."""

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


@dataclass(frozen=True, slots=True)
class Tracks:
    """How a picture changes over the steps of a run; what is in none of these was never reached.

    `ops`: the track of each, by position. `tensors`: the steps in which a gradient arrives at each, 0 for a seed.
    `arguments`: the step in which one is sent to the argument (position, slot).
    """

    ops: dict[int, Track]
    tensors: dict[int, tuple[int, ...]]
    arguments: dict[tuple[int, int], int]


def forward(log: EventLog) -> list[int]:
    """The positions of the ops, in the order in which they ran."""
    return list(log.of_kind(OpRecorded, OpSkipped))


def runs(log: EventLog) -> list[Run]:
    """The backward sweeps of a log, in order.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0)
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> [run] = runs(tape.log)
    >>> [(each.slot, each.parts, each.final) for each in run.steps[0].contributions]
    [(0, 1, False), (1, 2, True)]
    """
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
    return [
        Run(
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
        for number, (position, start) in started.items()
    ]


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
    """(slot, tensor, cotangent) of every argument that got one."""
    for slot, (tensor, cotangent) in enumerate(zip(_op(log, vjp.op).inputs, vjp.cotangents, strict=True)):
        if cotangent is not None:
            yield slot, tensor, cotangent


def tracks(log: EventLog, run: Run) -> Tracks:
    """How the picture changes over the steps of a run."""
    producers = {output: at for at in forward(log) for output in _op(log, at).outputs}
    reached: dict[int, int] = {}
    ops: dict[int, Track] = {}
    arrivals: defaultdict[int, list[int]] = defaultdict(list)
    arguments: dict[tuple[int, int], int] = {}
    for target in run.targets:
        arrivals[target].append(0)
        reached.setdefault(producers.get(target, -1), 0)
    for number, step in enumerate(run.steps, 1):
        ops[step.op] = _frames(
            (0, "waiting"), (reached.get(step.op, 0), "reached"), (number, "active"), (number + 1, "done")
        )
        for each in step.contributions:
            arrivals[each.tensor].append(number)
            reached.setdefault(producers.get(each.tensor, -1), number)
            arguments[step.op, each.slot] = number
    for op, number in reached.items():
        if op >= 0 and op not in ops:
            ops[op] = _frames((0, "waiting"), (number, "reached"))
    return Tracks(ops, {tensor: tuple(steps) for tensor, steps in arrivals.items()}, arguments)


def _op(log: EventLog, position: int) -> OpRecorded | OpSkipped:
    event = log.events[position]
    assert isinstance(event, (OpRecorded, OpSkipped))
    return event


def arriving(steps: Sequence[int], last: int | None = None) -> Track:
    """The track of something that gradients arrive at in these steps, in order; it is done after step `last`."""
    last = steps[-1] if last is None else last
    frames: list[tuple[int, State]] = [(0, "waiting")]
    for number in steps:
        frames += [(number, "active" if number else "reached"), (number + 1, "reached")]
    return _frames(*frames, (last + 1, "done"))


def together(parts: Sequence[Track]) -> Track:
    """The track of ops that are seen as one: reached with the first of them, active with each, done after the last."""
    reached = min((step for track in parts for step, state in track if state == "reached"), default=0)
    active = sorted(step for track in parts for step, state in track if state == "active")
    frames: list[tuple[int, State]] = [(0, "waiting"), (reached, "reached")]
    for step in active:
        frames += [(step, "active"), (step + 1, "reached")]
    if active:
        frames.append((active[-1] + 1, "done"))
    return _frames(*frames)


def _frames(*frames: tuple[int, State]) -> Track:
    """Keyframes without the overwritten ones (of one step the last counts) and the repeated ones."""
    by_step = dict(frames)
    kept: list[tuple[int, State]] = []
    for step in sorted(by_step):
        if not kept or kept[-1][1] != by_step[step]:
            kept.append((step, by_step[step]))
    return tuple(kept)
