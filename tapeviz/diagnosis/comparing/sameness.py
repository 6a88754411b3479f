"""Two sides of gradients -> Sameness: whether they are the same, and if not, by what equation, or from which op on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import hypot, inf

import numpy as np

from tapeviz.diagnosis.comparing.collected import Array, Collected, SideGradient
from tapeviz.diagnosis.comparing.counterparts import BY_ANY_TRAIT, GradientSource, counterparts
from tapeviz.diagnosis.comparing.equations import Equation, equation, fraction, swapped, weights
from tapeviz.diagnosis.comparing.parting import Parting, parting
from tapeviz.diagnosis.comparing.rounding import SURE
from tapeviz.events import EventLog
from tapeviz.events.summary import norm
from tapeviz.markup.table import sections
from tapeviz.phrases import counted, few, listed

MOST = 12
"""Gradients that are shown; of more, the others are counted."""
BY_NAME_ALONE = BY_ANY_TRAIT[:3]


@dataclass(frozen=True)
class GradientEquation:
    """The equation between the gradients of one tensor: `name` in the one, `other` in the other."""

    name: str
    other: str
    equation: Equation

    @property
    def same(self) -> bool:
        """Whether nothing is known to differ."""
        return self.equation.same


class Sameness:
    """Whether two ways to a gradient give the same, and by what they differ if not. It is true if they are the same.

    `gradients` has an equation for each tensor, in order; `alone` are the tensors that have a gradient on one side
    only, `lost` those whose gradient was not kept; `equation` says what all that differ have in common; `parting` is
    the first op at which two recordings part.
    """

    def __init__(self, one: Collected, other: Collected, sides: tuple[str, str]) -> None:
        self.sides = sides
        self._one, self._other = one, other
        self._pairs = list(_paired(one, other))
        found = [(mine, theirs) for mine, theirs in self._pairs if mine is not None and theirs is not None]
        self.alone = tuple(self._alone())
        self.lost = tuple(dict.fromkeys(each.name for pair in self._pairs for each in pair if each and not each.kept))
        self.gradients = tuple(_equations(found, ported=one.is_port_of(other)))

    def __bool__(self) -> bool:
        return self.same

    @property
    def same(self) -> bool:
        """Whether every gradient is equal but for rounding, and none is missing on either side."""
        return bool(self.gradients) and not self.alone and not self.lost and all(each.same for each in self.gradients)

    @property
    def differing(self) -> list[GradientEquation]:
        """Those that are not the same."""
        return [each for each in self.gradients if not each.same]

    @property
    def logs(self) -> tuple[EventLog | None, EventLog | None]:
        """Both recordings; None for a side that is none."""
        one, other = (None if side.graph is None else side.graph.log for side in (self._one, self._other))
        return one, other

    def _alone(self) -> Iterator[tuple[str, str]]:
        """The tensors with a gradient on one side only, and which side that is."""
        for mine, theirs in self._pairs:
            has = [each is not None and each.value is not None for each in (mine, theirs)]
            named = mine or theirs
            if named is None or not all(each.kept for each in (mine, theirs) if each is not None):
                continue
            if has[0] != has[1]:
                yield named.name, self.sides[0 if has[0] else 1]

    @cached_property
    def equation(self) -> str | None:
        """What is the same of all that differ, in words; None where they differ in several ways, or none does."""
        parts = self._by_parts()
        if parts is not None:
            return parts
        differing = self.differing
        factors = {each.equation.factor for each in differing if each.equation.kind == "factor"}
        if len(differing) < 2 or len(factors) != 1 or any(each.equation.kind != "factor" for each in differing):
            return None
        [factor] = factors
        one, other = self.sides
        of_all = "all" if len(differing) == len(self.gradients) else f"{len(differing):,} of"
        told = differing[0].equation.text(one, other, "")
        return f"{told}, in {of_all} {counted(len(self.gradients), 'gradient')}{self._why(factor)}"

    def _calls(self) -> tuple[int, int]:
        """How many gradient calls each side is the sum of."""
        sizes = (
            Counter(each.calls for each in side.gradients if each.value is not None)
            for side in (self._one, self._other)
        )
        one, other = (found.most_common(1)[0][0] if found else 1 for found in sizes)
        return one, other

    def _why(self, factor: float | None) -> str:
        """What a factor comes of, where the calls that a side is the sum of tell it."""
        calls = self._calls()
        if min(calls) != 1 or max(calls) == 1 or not factor:
            return ""
        summed, ratio = max(calls), factor if calls[1] > 1 else 1 / factor
        if ratio == summed:
            return f": the mean of each of {summed} micro-batches was not divided by {summed}"
        if ratio == 1 / summed:
            return f": the mean of each of {summed} micro-batches was divided by {summed} twice"
        return ""

    def _by_parts(self) -> str | None:
        """The weights with which micro-batches count, and those with which they should, for the same as at once."""
        calls = self._calls()
        if self.same or min(calls) != 1 or max(calls) == 1:
            return None
        swap, count = calls[0] > 1, max(calls)
        pairs = [(mine, theirs) for mine, theirs in self._pairs if mine and theirs and mine.value is not None]
        triples = [(one, two) for one, two in ((b, a) if swap else (a, b) for a, b in pairs) if len(two.parts) == count]
        if not triples or len(triples) < len(pairs):
            return None
        whole = np.concatenate([_entries(each.value) for each, _ in triples])
        parts = [np.concatenate([_entries(each.parts[at]) for _, each in triples]) for at in range(count)]
        errors = [each.error for pair in triples for each in pair]
        due = weights(whole, parts, SURE * hypot(*errors) / (norm(whole) or 1.0))
        if due is None or max(due) - min(due) <= 1e-3 * max(map(abs, due)):
            return None
        share = count if abs(sum(due) - count) < abs(sum(due) - 1) else 1
        summed, at_once = self.sides if swap else self.sides[::-1]
        now, then = _fractions([1 / share] * count), _fractions([each / share for each in due])
        return f"{summed} has its micro-batches with the weights {now} where {then} are due, as {at_once} has them"

    @cached_property
    def parting(self) -> Parting | None:
        """The first op in program order where values or cotangents of two recordings part; None where they do not."""
        return None if self.same or self._calls()[0] != self._calls()[1] else parting(self._one, self._other)

    def _sections(self) -> Iterator[tuple[str, list[str]]]:
        one, other = self.sides
        if self.lost:
            yield f"not compared, as the numbers were not kept: {listed(self.lost)}", []
        if not self.gradients and not self.alone:
            yield f"{one} and {other} have no gradient to compare", []
            return
        if not self.alone and not self.differing:
            furthest = max((each.equation.distance for each in self.gradients), default=0.0)
            equal = "equal to the last bit" if not furthest else f"at most {furthest:.1e} apart, which rounding allows"
            yield f"{one} and {other} are the same: {counted(len(self.gradients), 'gradient')}, {equal}", []
            return
        lines = [f"{_names(each)}: {each.equation.text(one, other, each.name)}" for each in self.differing]
        told = "; ".join(self._in_short())
        yield f"{one} and {other} are not the same: {told}", [] if self.equation else few(lines, MOST)
        if self.parting is not None:
            yield f"first to part: {self.parting}", self.parting.lines

    def _in_short(self) -> Iterator[str]:
        """What all that differ have in common, or how many those are; and which gradients one side has alone."""
        count, differing = counted(len(self.gradients), "gradient"), len(self.differing)
        if differing:
            yield self.equation or f"{differing:,} of {count} {'differs' if differing == 1 else 'differ'}"
        for side in self.sides:
            if names := [name for name, has in self.alone if has == side]:
                yield f"{side} alone has a gradient of {listed(names)}"

    def __str__(self) -> str:
        return "\n".join("\n  ".join((title, *lines)) for title, lines in self._sections())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return sections((title, [(each, "") for each in lines]) for title, lines in self._sections())


def _paired(one: Collected, other: Collected) -> Iterator[tuple[SideGradient | None, SideGradient | None]]:
    mine, theirs = (sorted(side.gradients, key=_length) for side in (one, other))  # for those without a name in common
    shared = {each.name for each in mine} & {each.name for each in theirs}
    keys = BY_NAME_ALONE if shared and not one.is_port_of(other) else BY_ANY_TRAIT
    sources = [[_source(each) for each in side] for side in (mine, theirs)]
    pairs = counterparts(sources[0], sources[1], keys)
    found = [(None if at is None else mine[at], None if there is None else theirs[there]) for at, there in pairs]
    order = {id(each): at for at, each in enumerate((*one.gradients, *other.gradients))}
    yield from sorted(found, key=lambda pair: order[id(pair[0] or pair[1])])


def _length(gradient: SideGradient) -> float:
    return 0.0 if gradient.value is None else norm(gradient.value)


def _source(gradient: SideGradient) -> GradientSource:
    return GradientSource(gradient.name, () if gradient.value is None else gradient.value.shape, None)


def _equations(pairs: Sequence[tuple[SideGradient, SideGradient]], *, ported: bool) -> Iterator[GradientEquation]:
    known = [
        (mine, theirs, mine.value, theirs.value)
        for mine, theirs in pairs
        if mine.value is not None and theirs.value is not None
    ]
    found = {
        mine.name: (mine, theirs, equation(a, b, *_allowed(mine, theirs, a, b), ported=ported))
        for mine, theirs, a, b in known
    }
    unclear = {
        mine.name: (a, b, _allowed(mine, theirs, a, b)[0])
        for mine, theirs, a, b in known
        if found[mine.name][2].kind in ("other", "shape")
    }
    exchanged = dict(swapped(unclear))
    for name, (_, theirs, told) in found.items():
        if name in exchanged and name != theirs.name:  # not paired by name: it is the other's counterpart
            mate = found[exchanged[name].other or name][1]
            yield GradientEquation(name, mate.name, Equation("equal", 0.0, told.allowed))
        else:
            yield GradientEquation(name, theirs.name, exchanged.get(name, told))


def _allowed(mine: SideGradient, theirs: SideGradient, a: Array, b: Array) -> tuple[float, float]:
    """How far rounding may put two gradients apart: relative to the longer, and, whatever their norms, at least."""
    size = max(norm(a), norm(b))
    error, floor = hypot(mine.error, theirs.error), hypot(mine.floor, theirs.floor)
    return SURE * error / size if size and error < inf else 0.0, SURE * floor


def _entries(value: Array | None) -> Array:
    return np.zeros(0) if value is None else value.ravel()


def _names(about: GradientEquation) -> str:
    return about.name if about.name == about.other else f"{about.name} ({about.other})"


def _fractions(numbers: Sequence[float]) -> str:
    return listed([_fraction(each) for each in numbers], most=8)


def _fraction(number: float) -> str:
    near = fraction(number, 1e-4)
    return f"{number:.3g}" if near is None else str(near)
