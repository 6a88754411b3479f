"""Log -> what the gradients that steps go by are sums of, where a program computes with gradients as with any tensors.

So it is in TensorFlow and JAX, whose gradient calls return them; PyTorch stores them in parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from tapeviz.events import (
    BackwardFinished,
    BackwardStarted,
    Event,
    EventLog,
    GradientStored,
    OpRecorded,
    OpSkipped,
    OptimizerStepped,
    ParameterUpdated,
    StateWritten,
)
from tapeviz.events.summary import elements_of

_SAME = frozenset({"cast", "identity", "reshape", "squeeze", "stop_gradient"})
_LIMITS = frozenset({"clip_by_value", "minimum", "maximum"})
_WRITES = {"assign": 0.0, "assign_add": 1.0, "assign_sub": -1.0}
_MOST = 64
"""So many terms are followed of one sum."""


class Factor(NamedTuple):
    """A number that a gradient, or a loss, is multiplied by, and where."""

    value: float
    position: int


@dataclass(frozen=True)
class Term:
    """The gradient of one pass, which began at a position, with its factors."""

    began: int
    factors: tuple[Factor, ...] = ()


@dataclass(frozen=True)
class GradientSum:
    """What several backward passes have left of one variable, added up by the program.

    `clip` is where it was scaled by what was computed from gradients, or kept within limits, if it was, `is_measured`
    whether it was the former, and `after` the product of the plain factors that came after that.
    """

    variable: int
    terms: tuple[Term, ...]
    clip: int | None = None
    is_measured: bool = False
    after: float = 1.0

    @property
    def passes(self) -> frozenset[int]:
        """Where the passes began."""
        return frozenset(each.began for each in self.terms)

    def times(self, factor: Factor) -> GradientSum:
        """The sum, multiplied by a number."""
        terms = tuple(replace(each, factors=(*each.factors, factor)) for each in self.terms)
        return replace(self, terms=terms, after=self.after * factor.value if self.clip is not None else 1.0)

    def clipped(self, position: int, is_measured: bool) -> GradientSum:
        """The sum, after something that is no plain number has shortened it."""
        return self if self.clip is not None else replace(self, clip=position, is_measured=is_measured)

    def plus(self, other: GradientSum) -> GradientSum | None:
        """Both together; None if they are not of the same variable, or of too many passes."""
        if self.variable != other.variable or len(self.terms) + len(other.terms) > _MOST:
            return None
        clipped = self if self.clip is not None else other
        return replace(clipped, terms=(*self.terms, *other.terms))


class Used(NamedTuple):
    """An update, by its position, of a variable, and what the gradient is that it goes by."""

    position: int
    tensor: int
    sum: GradientSum


class StepBySums(NamedTuple):
    """One step of an optimizer, by its position, and its updates of which it is known what they go by."""

    position: int
    updates: tuple[Used, ...]


def steps_by_sums(log: EventLog) -> tuple[StepBySums, ...]:
    """The steps of a log's optimizers in order; they are looked for once."""
    return log.once("sums of gradients", lambda: tuple(_steps(log)))


def _steps(log: EventLog) -> Iterator[StepBySums]:
    if log.of_kind(GradientStored) or not log.of_kind(ParameterUpdated):
        return
    sums, updates = _Sums(log), list[Used]()
    for position, event in enumerate(log.events):
        match event:
            case ParameterUpdated(gradient=gradient) if gradient in sums.known:
                updates.append(Used(position, event.tensor, sums.known[gradient]))
            case OptimizerStepped() if updates:
                yield StepBySums(position, tuple(updates))
                updates = []
            case _:
                sums.follow(position, event)


class _Sums:
    """The sums of gradients that are known while a log is read; `measures` are what else is computed from gradients."""

    def __init__(self, log: EventLog) -> None:
        self.known: dict[int, GradientSum] = {}
        self._log = log
        self._measures: set[int] = set()
        self._began: dict[int, tuple[int, tuple[int, ...]]] = {}

    def follow(self, position: int, event: Event) -> None:
        """Read the next event."""
        match event:
            case BackwardStarted():
                self._began[event.run] = position, event.sources
            case BackwardFinished(run=run, gradients=gradients) if run in self._began:
                began, sources = self._began[run]
                arrived = zip(gradients, sources, strict=False)
                self.known |= {each: GradientSum(of, (Term(began),)) for each, of in arrived if each is not None}
            case StateWritten(tensor=tensor, value=value, how=how):
                self._write(position, tensor, self.known.get(-1 if value is None else value), how)
            case OpRecorded() | OpSkipped():
                self._compute(position, event)

    def _write(self, position: int, tensor: int, added: GradientSum | None, how: str) -> None:
        factor = _WRITES.get(how)
        before = self.known.pop(tensor, None)
        if added is None or factor is None:
            return
        if factor < 0.0:
            added = added.times(Factor(factor, position))
        total = before.plus(added) if before is not None and factor else added
        if total is not None:
            self.known[tensor] = total

    def _compute(self, position: int, event: OpRecorded | OpSkipped) -> None:
        sums = [self.known.get(each) for each in event.inputs]
        if not any(sums) and self._measures.isdisjoint(event.inputs):
            return
        found = self._result(position, event, sums) if any(sums) else None
        if found is None:
            self._measures.update(event.outputs)
        else:
            self.known[event.outputs[0]] = found

    def _result(
        self, position: int, event: OpRecorded | OpSkipped, sums: list[GradientSum | None]
    ) -> GradientSum | None:
        """The sum that an op gives; None if it is no such."""
        first, op = sums[0], event.op
        if op in _SAME and first is not None:
            return first
        if op in _LIMITS and first is not None:
            return first.clipped(position, is_measured=False)
        if op == "neg" and first is not None:
            return first.times(Factor(-1.0, position))
        if op in ("add", "add_n", "sub"):
            if op == "sub" and sums[1] is not None:
                sums[1] = sums[1].times(Factor(-1.0, position))
            return self._total(position, event.inputs, sums)
        if op in ("mul", "div", "divide_no_nan") and sum(each is not None for each in sums) == 1:
            if first is None and op != "mul":
                return None
            one, other = (first, event.inputs[1]) if first is not None else (sums[1], event.inputs[0])
            return None if one is None else self._scaled(position, one, other, op)
        return None

    def _total(self, position: int, inputs: tuple[int, ...], sums: list[GradientSum | None]) -> GradientSum | None:
        total: GradientSum | None = None
        for each, found in zip(inputs, sums, strict=True):
            if found is None and not self._is_zero(position, each):
                return None
            if found is not None:
                total = found if total is None else total.plus(found)
                if total is None:
                    return None
        return total

    def _scaled(self, position: int, one: GradientSum, by: int, op: str) -> GradientSum | None:
        if by in self._measures:
            return one.clipped(position, is_measured=True)
        number = elements_of(self._log.value(by, position))
        if number is None or number.size != 1 or not number.all():
            return None
        value = float(number.item())
        return one.times(Factor(value if op == "mul" else 1.0 / value, position))

    def _is_zero(self, position: int, tensor: int) -> bool:
        value = elements_of(self._log.value(tensor, position))
        return value is not None and not value.any()
