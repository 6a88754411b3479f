"""EventLog -> Passes: each backward pass by the names of parameters, and what the program makes of each gradient."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tapeviz.events import (
    BackwardFinished,
    BackwardStarted,
    Event,
    EventLog,
    GradientCleared,
    GradientStored,
    OpRecorded,
    OpSkipped,
    OptimizerStepped,
    VjpApplied,
)
from tapeviz.events.raw import PARTS_OF

Op = OpRecorded | OpSkipped
COPY = "copy"
"""An op that writes what its second argument has into its first one."""
OWN_PART = frozenset({"dtensor.to_local", "stop_gradient"})
"""Ops that give the elements that this process has of their argument, and share its memory."""


def ranks_of(op: Op) -> int:
    """How many processes compute an op together."""
    return number(op, "ranks") * number(op, "replicas")


def number(op: Op, name: str) -> int:
    """An attribute of an op that is a number of something; 1 where it has none."""
    for each, found in op.attrs:
        if each == name and isinstance(found, int):
            return found
    return 1


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
        arrived: parameter -> the gradient that came back in this process alone; of one that was gathered for the pass,
            it is that of the whole.
        versions: parameter -> its `.grad`, and what the program made of it in place, until the next pass.
        added: the parameters of which it added to what an earlier pass left.
        stepped: the parameters that an optimizer changed after it, ahead of the next pass.
        own_parts: what the program took out of distributed gradients as this process's own -> the parameters of these.
    """

    position: int
    target: int
    arrived: dict[str, int] = field(default_factory=dict)
    versions: dict[str, list[Version]] = field(default_factory=dict)
    added: set[str] = field(default_factory=set)
    stepped: set[str] = field(default_factory=set)
    own_parts: dict[int, str] = field(default_factory=dict)

    def reductions(self, name: str) -> Sequence[Version]:
        """The collectives that a gradient went through."""
        return self._reductions.get(name, ())

    @cached_property
    def _reductions(self) -> dict[str, list[Version]]:
        """All of these, when the pass has been read to its end."""
        return {name: [each for each in versions if each.is_collective] for name, versions in self.versions.items()}

    def arrived_reduced(self, name: str) -> bool:
        """Whether what a pass found for a parameter is what a collective had made of it by then."""
        return any(each.tensor == self.arrived.get(name) for each in self.reductions(name))


def is_gather(op: Op) -> bool:
    """Whether an op makes whole parameters of the parts that processes have, and reduces the gradients on their way
    back."""
    return op.op == "fsdp.all_gather"


def wholes_of(op: Op) -> Sequence[int]:
    """For each argument of a gathering the position of the result that it is a part of; () if they are parts of all."""
    positions: Any = dict(op.attrs).get(PARTS_OF, range(len(op.outputs)))
    return tuple(positions) if len(positions) == len(op.inputs) else ()


def passes_of(log: EventLog, names: dict[int, str]) -> Iterator[BackwardPass]:
    """The calls of `backward` that came to their end and left gradients in tensors, which have these names."""
    reader = _Reader(log, names)
    steps = (VjpApplied,) if reader.gathers else ()
    for position, event in log.of_kind(*_READ, *steps).items():
        ended = reader.read(position, event)
        if ended is not None and ended.versions:
            yield ended
    if reader.current is not None and reader.current.versions:
        yield reader.current


_READ = (
    BackwardStarted,
    BackwardFinished,
    GradientCleared,
    GradientStored,
    OpRecorded,
    OpSkipped,
    OptimizerStepped,
)
"""What passes are read from, and steps of the passes where some of them gather parameters."""


class _Reader:
    """Reads the events of a log in order, and keeps what the pass of the moment needs of those before."""

    def __init__(self, log: EventLog, names: dict[int, str]) -> None:
        self.current: BackwardPass | None = None
        self._names = names
        self.gathers = {at: op for at, op in log.of_kind(OpRecorded).items() if is_gather(op)}
        self._started: dict[int, tuple[int, BackwardStarted]] = {}
        self._found: dict[int, int] = {}  # what the last pass found for each parameter
        self._last: dict[int, str] = {}  # the latest version of each gradient, and the parameter it is of
        self._versions: defaultdict[str, list[int]] = defaultdict(list)  # all that were the latest of a parameter
        self._made: dict[int, tuple[int, Op]] = {}
        self._reducing: list[tuple[int, Op]] = []  # since the last pass began
        self._of_reduced: dict[int, tuple[int, Op]] = {}  # what is made of a reduction's result, and that
        self._whole: dict[int, int] = {}  # a gradient that processes have shared out -> what it was here before

    def read(self, position: int, event: Event) -> BackwardPass | None:
        """The pass that another one has followed, if this event is the end of that."""
        match event:
            case BackwardStarted():
                self._started[event.run] = position, event
                self._reducing = []
                self._of_reduced.clear()
            case VjpApplied() if event.op in self.gathers:
                self._shared_out(self.gathers[event.op], event)
            case BackwardFinished() if event.run in self._started:
                return self._begin(event)
            case OpRecorded() | OpSkipped():
                self._compute(position, event)
            case GradientStored() if self.current is not None and event.tensor in self._names:
                self._store(position, event, self.current)
            case OptimizerStepped() if self.current is not None:
                self.current.stepped |= {self._names[each] for each in event.parameters if each in self._names}
            case GradientCleared():
                for each in self._versions.pop(self._names.get(event.tensor, ""), ()):
                    self._last.pop(each, None)
        return None

    def _begin(self, event: BackwardFinished) -> BackwardPass | None:
        """A pass has ended: what it has left comes next."""
        before = self.current
        position, start = self._started[event.run]
        pairs = zip(start.sources, event.gradients, strict=True)
        self._found = {each: got for each, got in pairs if got is not None and each in self._names}
        arrived = {self._names[each]: self._whole.get(got, got) for each, got in self._found.items()}
        self.current = BackwardPass(position, start.targets[0], arrived)
        self._last.clear()
        self._versions.clear()
        return before

    def _store(self, position: int, event: GradientStored, current: BackwardPass) -> None:
        """The `.grad` of a parameter, which a reduction has made, or has made what this pass adds to it."""
        name = self._names[event.tensor]
        added = self._made.get(self._found.get(event.tensor, -1)) if event.accumulated else None
        at, op = self._made.get(event.gradient) or added or (position, None)
        current.versions[name] = [Version(event.gradient, at, op)]
        if event.accumulated:
            current.added.add(name)
        self._follow(event.gradient, name)

    def _follow(self, tensor: int, name: str) -> None:
        """A tensor is the latest version of the gradient of a parameter."""
        self._last[tensor] = name
        self._versions[name].append(tensor)

    def _shared_out(self, op: Op, vjp: VjpApplied) -> None:
        """What came of a reduction: by the collective of as many bytes in this pass, or the last.

        What each gradient was in this process before is known where each parameter is gathered for itself.
        """
        size = dict(op.attrs).get("bytes")
        alike = [each for each in self._reducing if dict(each[1].attrs).get("bytes") == size]
        for where in (alike or self._reducing)[-1:]:
            self._made.update({each: where for each in vjp.cotangents if each is not None})
        pairs = zip([vjp.upstream[each] for each in wholes_of(op)], vjp.cotangents, strict=False)
        self._whole.update({after: before for before, after in pairs if after is not None and before is not None})

    def _compute(self, position: int, op: Op) -> None:
        """An op may change stored gradients in place: its first results are what it made of its first arguments.

        What gives a process's own part of a gradient gives the same elements.
        """
        about = dict(op.attrs)
        if "operation" in about:
            self._reducing.append((position, op))
            self._of_reduced.update(dict.fromkeys(op.outputs, (position, op)))
        elif self._of_reduced:
            came = next((self._of_reduced[each] for each in op.inputs if each in self._of_reduced), None)
            if came is not None:
                self._of_reduced.update(dict.fromkeys(op.outputs, came))
        self._made.update(dict.fromkeys(op.outputs, (position, op)))
        if self.current is None:
            return
        if op.op in OWN_PART and op.inputs[0] in self._last:
            self.current.own_parts[op.outputs[0]] = self._last[op.inputs[0]]
            self._follow(op.outputs[0], self._last[op.inputs[0]])
        for before, after in zip(op.inputs, op.outputs, strict=False) if about.get("in_place") else ():
            name = self._last.pop(before, None)
            if name is not None:
                self.current.versions[name].append(Version(after, *self._maker_of_version(position, op)))
                self._follow(after, name)

    def _maker_of_version(self, position: int, op: Op) -> tuple[int, Op]:
        """The op that a version is of: of a copy from a buffer that was reduced, the reduction."""
        return self._of_reduced.get(op.inputs[1], (position, op)) if op.op == COPY else (position, op)
