"""Run -> RunNumbers: its numbers, and where a bad gradient begins: it arrived, but is zero everywhere or not finite.

A bad gradient is traced to the step where it begins, its onset: the one whose upstream gradient is still sound.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from tapeviz.diagnosis.paths.dominators import Dominators
from tapeviz.diagnosis.paths.longest import LongestPaths
from tapeviz.diagnosis.ranks.passes import is_gather, wholes_of
from tapeviz.events import EventLog
from tapeviz.events.summary import Oddity, elements_of, oddities, size_of
from tapeviz.graph import Graph
from tapeviz.replay import Contribution, Run, Step

Badness: TypeAlias = Literal["zero", "nan"]
"""zero: every element is; nan: some element is not finite."""

MOST = 4
"""Onsets that are kept for one tensor; the first in program order are the ones to name."""


SMALL = 1 << 12
"""Bytes of a value up to which it is kept as an array."""


def badness(log: EventLog, cotangent: int | None) -> Badness | None:
    """What is wrong with the numbers of a cotangent; None where nothing is, or where they were not kept."""
    return _worst(() if cotangent is None else oddities(log.value(cotangent)))


def _worst(odd: tuple[Oddity, ...]) -> Badness | None:
    return None if not odd else "zero" if odd == ("zero",) else "nan"


def norm_of(log: EventLog, cotangent: int | None) -> float | None:
    """The Euclidean norm of a cotangent, not finite where an element is not; None where its numbers were not kept."""
    return None if cotangent is None else size_of(log.value(cotangent))


@dataclass(frozen=True)
class Onset:
    """A step with a sound upstream gradient, and one bad contribution of it.

    Or the last contribution to a tensor, where not that is bad but what all of them add up to, or a hook makes of it.
    Where the log has no numbers of the upstream gradient, it `may_be_above`: the step may have passed on what came.
    """

    step: Step
    contribution: Contribution
    is_of_total: bool = False
    may_be_above: bool = False


class RunNumbers:
    """The numbers of one run, as far as they were kept."""

    def __init__(self, graph: Graph, run: Run) -> None:
        self.graph = graph
        self.run = run
        self._onsets: dict[Badness, dict[int, list[Onset]]] = {}
        self._norms: dict[int | None, float | None] = {}
        self._badness: dict[int | None, Badness | None] = {}
        self._small: dict[int, Any] = {}

    @cached_property
    def longest_paths(self) -> LongestPaths:
        """The longest paths of the gradient."""
        return LongestPaths(self.graph, self.run)

    @cached_property
    def dominators(self) -> Dominators:
        """Where the paths of the gradient meet."""
        return Dominators(self.graph, self.run)

    @cached_property
    def step_of(self) -> dict[int, Step]:
        """The step of each op that the gradient passed."""
        return {step.op: step for step in self.run.steps}

    @cached_property
    def contributions(self) -> dict[int, list[tuple[int, Contribution]]]:
        """Tensor -> the ops that sent it a contribution, with that contribution."""
        found: defaultdict[int, list[tuple[int, Contribution]]] = defaultdict(list)
        for step in self.run.steps:
            for each in step.contributions:
                found[each.tensor].append((step.op, each))
        return dict(found)

    def value(self, tensor: int | None, at: int | None = None) -> Any:
        """The value of a tensor as an array; None where there is none or it was not kept.

        A small one is read once: to ask the log, and a framework, takes longer than most of what is done with it.
        """
        if tensor is None:
            return None
        if tensor in self._small:
            return self._small[tensor]
        value = elements_of(self.graph.log.value(tensor, at))
        if value is not None and value.nbytes <= SMALL and tensor not in self.graph.writes:
            self._small[tensor] = value
        return value

    def known(self, tensor: int, at: int | None = None) -> Any:
        """The same, or a `Summary` where only statistics of it were kept."""
        value = self.value(tensor, at)
        return self.graph.log.value(tensor, at) if value is None else value

    def shape(self, tensor: int) -> tuple[int, ...] | None:
        """The shape of a value; None where there is none or it was not kept."""
        figure = self.graph.figures.of(tensor)
        if figure is not None:
            return figure.shape
        value = self.value(tensor)
        return None if value is None else value.shape

    def is_zero(self, tensor: int, at: int | None = None) -> bool:
        """Whether a value is known to be of floats that are all zero."""
        figure = None if tensor in self.graph.writes else self.graph.figures.of(tensor)
        if figure is not None:
            return "zero" in figure.oddities
        value = self.value(tensor, at)
        return value is not None and value.dtype.kind in "fc" and value.size > 0 and not value.any()

    def norm(self, cotangent: int | None) -> float | None:
        """The Euclidean norm of a cotangent, computed once; None where its numbers were not kept."""
        if cotangent not in self._norms:
            self._norms[cotangent] = None if cotangent is None else self.graph.figures.norm(cotangent)
        return self._norms[cotangent]

    def upstream_and_contribution(self, onset: Onset) -> tuple[Any, Any] | None:
        """The upstream gradient and the bad contribution of an onset; None where they were not kept."""
        upstream = self.value(next((each for each in onset.step.upstream if each is not None), None))
        bad = self.value(onset.contribution.cotangent)
        return None if upstream is None or bad is None else (upstream, bad)

    def upstream_of_bad(self, onset: Onset) -> Any:
        """The upstream gradient of the bad entries only; None where their shapes do not match."""
        met = self.upstream_and_contribution(onset)
        return None if met is None or met[0].shape != met[1].shape else met[0][~np.isfinite(met[1])]

    def badness(self, cotangent: int | None) -> Badness | None:
        """What is wrong with the numbers of a cotangent, found once."""
        if cotangent not in self._badness:
            self._badness[cotangent] = _worst(() if cotangent is None else self.graph.figures.oddities(cotangent))
        return self._badness[cotangent]

    def is_bad(self, cotangent: int | None, kind: Badness) -> bool:
        """Whether a cotangent is bad in this way."""
        return self.badness(cotangent) == kind

    def onsets(self, source: int, kind: Badness) -> list[Onset]:
        """Where the bad gradient of a source begins, in program order: the first few places."""
        if kind not in self._onsets:
            self._onsets[kind] = self._trace(kind)
        return self._onsets[kind].get(source, [])

    def _trace(self, kind: Badness) -> dict[int, list[Onset]]:
        """Go through the steps: bad gradients are passed on, sound ones may become bad.

        One that is not finite comes through gradients of which no numbers were kept, too.
        """
        found: dict[int, list[Onset]] = {}
        hidden: dict[int, list[Onset]] = {}  # of gradients without numbers
        sound: set[int] = set()
        unsound: set[int] = set()
        for step in self.run.steps:
            outputs = self.graph.ops[step.op].outputs
            upstream = [each for each in step.upstream if each is not None]
            bad = [self.is_bad(each, kind) for each in upstream]
            is_bad_above = any(bad) if kind == "nan" else all(bad)
            before = found if is_bad_above else hidden
            inherited = [onset for output in outputs for onset in before.get(output, ())]
            for each in step.contributions:
                new: list[Onset] = []
                if self.is_bad(each.cotangent, kind):
                    may_be_above = kind == "nan" and not is_bad_above and not self._is_known_above(step, each)
                    new += inherited or ([] if is_bad_above else [Onset(step, each, may_be_above=may_be_above)])
                    unsound.add(each.tensor)
                elif kind == "nan" and inherited and not self._has_numbers(each.cotangent):
                    hidden[each.tensor] = _first([*hidden.get(each.tensor, ()), *inherited])
                else:
                    sound.add(each.tensor)
                is_by_all = kind == "zero" or each.tensor not in unsound
                if each.final and is_by_all and self.is_bad(each.total, kind):
                    if each.tensor in hidden:
                        new += hidden.pop(each.tensor)
                    elif each.tensor in sound:
                        new.append(Onset(step, each, is_of_total=True))
                elif each.final and each.tensor in hidden and self._has_numbers(each.total):
                    hidden.pop(each.tensor, None)
                if new:
                    found[each.tensor] = _first([*found.get(each.tensor, ()), *new])
        return found

    def _is_known_above(self, step: Step, contribution: Contribution) -> bool:
        """Whether something was kept of all upstream gradients that a contribution is made of."""
        op = self.graph.ops[step.op]
        own = step.upstream
        if is_gather(op) and (wholes := wholes_of(op)):  # of each parameter by itself
            own = (own[wholes[contribution.slot]],)
        return all(self._has_numbers(each) for each in own if each is not None)

    def _has_numbers(self, cotangent: int | None) -> bool:
        """Whether anything of a gradient was kept."""
        return cotangent is not None and self.graph.log.value(cotangent) is not None


def _first(onsets: list[Onset]) -> list[Onset]:
    """Each once, the first in program order."""
    return sorted(dict.fromkeys(onsets), key=lambda onset: onset.step.op)[:MOST]
