"""EventLog -> Passes: each backward pass by the names of parameters, and what the program makes of each gradient."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tapeviz.diagnosis.finding import Finding
from tapeviz.events import (
    BackwardFinished,
    BackwardStarted,
    EventLog,
    GradientCleared,
    GradientStored,
    LeafCreated,
    OpRecorded,
    OpSkipped,
    OptimizerStepped,
)

Op = OpRecorded | OpSkipped


def ranks_of(op: Op) -> int:
    """How many processes compute an op together."""
    count = dict(op.attrs).get("ranks")
    return count if isinstance(count, int) else 1


@dataclass
class Version:
    """One state of a gradient: its tensor, and the op that made it of the one before, at a position of the log."""

    tensor: int
    position: int
    op: Op | None = None

    @property
    def attributes(self) -> dict[str, Any]:
        """What its op says."""
        return {} if self.op is None else dict(self.op.attrs)

    @property
    def is_collective(self) -> bool:
        """Whether several processes made it together."""
        return self.op is not None and ranks_of(self.op) > 1


@dataclass
class BackwardPass:
    """What one call of `backward` left in each parameter, and what became of it up to the next call.

    Attributes:
        position: where it began.
        target: what was differentiated.
        arrived: parameter -> the gradient that came back in this process alone.
        versions: parameter -> its `.grad`, and what the program made of it in place, until the next pass.
        added: the parameters of which it added to what an earlier pass left.
        stepped: the parameters that an optimizer changed after it, ahead of the next pass.
    """

    position: int
    target: int
    arrived: dict[str, int] = field(default_factory=dict)
    versions: dict[str, list[Version]] = field(default_factory=dict)
    added: set[str] = field(default_factory=set)
    stepped: set[str] = field(default_factory=set)

    def reductions(self, name: str) -> list[Version]:
        """The collectives that a gradient went through."""
        return [each for each in self.versions.get(name, ()) if each.is_collective]


class RankLog:
    """One rank's log, as the rules across ranks read it."""

    def __init__(self, rank: int, log: EventLog, findings: Sequence[Finding] = ()) -> None:
        self.rank = rank
        self.log = log
        self.findings = findings

    @cached_property
    def parameters(self) -> dict[str, int]:
        """The trainable variables by name, and those that were made so and frozen since; not those without elements, as
        of a parameter that is all with another process."""
        leaves = self.log.of_kind(LeafCreated).values()
        made = {each.tensor: each.trainable for each in leaves if each.kind == "variable"}
        rows = ((each, self.log.tensors[each]) for each in made)
        return {str(row.name): each for each, row in rows if row.name is not None and 0 not in row.shape}

    @cached_property
    def passes(self) -> list[BackwardPass]:
        """The calls of `backward` that came to their end and left gradients."""
        return list(_passes(self.log, {tensor: name for name, tensor in self.parameters.items()}))

    @cached_property
    def ops(self) -> Mapping[int, Op]:
        """Everything that it computed, by the positions."""
        return self.log.of_kind(OpRecorded, OpSkipped)

    @cached_property
    def collectives(self) -> list[tuple[int, Op]]:
        """What it did together with others, in order, with the positions."""
        return [(at, op) for at, op in self.ops.items() if ranks_of(op) > 1]

    def maker(self, tensor: int) -> Op | None:
        """The op that gave a tensor."""
        return next((op for op in self.ops.values() if tensor in op.outputs), None)

    def value(self, tensor: int, at: int | None = None) -> Any:
        """The elements, or statistics, of a tensor; None where nothing was kept."""
        return self.log.value(tensor, at)


def _passes(log: EventLog, names: dict[int, str]) -> Iterator[BackwardPass]:
    started: dict[int, tuple[int, BackwardStarted]] = {}
    current: BackwardPass | None = None
    last: dict[int, str] = {}  # the latest version of each gradient, and the parameter it is of
    made: dict[int, tuple[int, Op]] = {}
    for position, event in enumerate(log.events):
        match event:
            case BackwardStarted():
                started[event.run] = position, event
            case BackwardFinished() if event.run in started:
                if current is not None and current.versions:
                    yield current
                began, start = started[event.run]
                current, last = BackwardPass(began, start.targets[0]), {}
                pairs = zip(start.sources, event.gradients, strict=True)
                current.arrived = {names[each]: got for each, got in pairs if got is not None and each in names}
            case GradientStored() if current is not None and event.tensor in names:
                name = names[event.tensor]
                at, op = made.get(event.gradient, (position, None))
                current.versions[name] = [Version(event.gradient, at, op)]
                current.added |= {name} if event.accumulated else set()
                last[event.gradient] = name
            case OpRecorded() | OpSkipped():
                made.update(dict.fromkeys(event.outputs, (position, event)))
                if current is not None:
                    _follow(current, last, position, event)
            case OptimizerStepped() if current is not None:
                current.stepped |= {names[each] for each in event.parameters if each in names}
            case GradientCleared():
                name = names.get(event.tensor, "")
                last = {tensor: each for tensor, each in last.items() if each != name}
    if current is not None and current.versions:
        yield current


def _follow(current: BackwardPass, last: dict[int, str], position: int, op: Op) -> None:
    """An op may change stored gradients in place: its first results are what it made of its first arguments."""
    if not dict(op.attrs).get("in_place"):
        return
    for before, after in zip(op.inputs, op.outputs, strict=False):
        name = last.pop(before, None)
        if name is not None:
            current.versions[name].append(Version(after, position, op))
            last[after] = name
