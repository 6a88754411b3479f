"""EventLog -> Asked: the gradient calls of a recording, and what each gave."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from tapeviz.diagnosis.call import Call
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.nan.not_finite import not_finite
from tapeviz.diagnosis.numbers.sweep import Badness, Sweep, badness
from tapeviz.diagnosis.recording.grad_attribute import found_empty, missed
from tapeviz.diagnosis.zero.all_zero import all_zero
from tapeviz.diagnosis.zero.cancel import cancelled
from tapeviz.events.summary import is_finite
from tapeviz.graph import Graph
from tapeviz.replay import Run, runs
from tapeviz.source.places import site_at


@dataclass(frozen=True)
class Asked:
    """A gradient call, its backward pass, and the gradients it gave: source -> tensor id of the gradient, or None."""

    call: Call
    run: Run
    gradients: dict[int, int | None]

    @cached_property
    def sweep(self) -> Sweep:
        """The numbers of the run."""
        return Sweep(self.call, self.run)

    @property
    def is_lost(self) -> bool:
        """Whether a target is known to be infinite or NaN."""
        return not all(is_finite(self.call.log.value(each, self.call.position)) for each in self.call.targets)

    def is_moot(self, symptom: str | None) -> bool:
        """Whether a gradient with this symptom needs no finding: a zero, where the target itself is lost."""
        return symptom == "zero" and self.is_lost

    @property
    def arrived(self) -> list[int]:
        """The sources that got a gradient."""
        return [source for source, gradient in self.gradients.items() if gradient is not None]

    def bad_numbers(self, source: int) -> Finding | None:
        """Why the gradient of a source is zero or not finite, where it is."""
        kind = badness(self.call.log, self.gradients[source])
        if kind is None:
            return None
        if kind == "nan":
            return not_finite(self.sweep, source)
        return all_zero(self.sweep, source) or cancelled(self.sweep, source)

    def key(self, source: int | None = None) -> Hashable:
        """A key that the calls of a loop share: the lines of the call and its tensors, and the slot of the source."""
        graph = self.call.graph
        tensors = self.call.targets if source is None else (*self.call.targets, source)
        made = tuple(graph.made_at(each) for each in tensors)
        sites = tuple(site_at(graph.log, each) for each in (self.call.position, *made))
        slot = None if source is None else self._slots[source]
        return (slot, *sites) if sites[0] is not None else (self.call.position, source)

    @cached_property
    def _slots(self) -> dict[int, int]:
        return {source: slot for slot, source in enumerate(self.gradients)}


def gradient_calls(graph: Graph, sweeps: Iterable[Run] | None = None) -> Iterator[Asked]:
    """The calls that finished, in order; tensors found without a gradient afterwards count as asked for, too.

    So was every parameter, where a `backward` met none of those that it was called for.

    `sweeps` are the runs of the log, where someone has them already.
    """
    done = [run for run in (runs(graph.log) if sweeps is None else sweeps) if run.gradients is not None]
    calls = [_call(graph, run) for run in done]
    empty = found_empty(graph, calls)
    for run, call in zip(done, calls, strict=True):
        gradients = dict.fromkeys([*empty.get(run.position, ()), *missed(call)])
        yield Asked(call, run, gradients | dict(zip(run.sources, run.gradients or (), strict=True)))


def ended_early(graph: Graph, sweeps: Iterable[Run]) -> list[Asked]:
    """The calls that an error ended, each with its first gradient that is not finite, if there is one."""
    return [Asked(_call(graph, run), run, _first_spoilt(graph, run)) for run in sweeps if run.gradients is None]


def _call(graph: Graph, run: Run) -> Call:
    return Call(graph, run.tape, run.targets, run.position)


def _first_spoilt(graph: Graph, run: Run) -> dict[int, int | None]:
    """The first gradient of a run that is not finite, as what the call gave; {} where there is none."""
    parts = (part for step in run.steps for part in step.contributions)
    return next(({part.tensor: part.cotangent} for part in parts if badness(graph.log, part.cotangent) == "nan"), {})


def first_times(asked: Iterable[Asked]) -> list[Asked]:
    """The first call of each line: in a loop one line asks again and again."""
    first: dict[Hashable, Asked] = {}
    for each in asked:
        first.setdefault(each.key(), each)
    return list(first.values())


class BadGradient(NamedTuple):
    """A gradient of a call that is amiss: there is none, or it is zero or not finite."""

    asked: Asked
    source: int
    symptom: Literal["none"] | Badness


def bad_gradients(asked: Iterable[Asked]) -> list[BadGradient]:
    """For every line and source the first None, the first zero and the first gradient that is not finite.

    A zero does not count if the last gradient of that line and source is sound: a factor that is still learning, or the
    initial state of a recurrent network, may well start with one.
    """
    first: dict[tuple[Hashable, str], BadGradient] = {}
    last: dict[Hashable, str | None] = {}
    for each in asked:
        for source, gradient in each.gradients.items():
            symptom = "none" if gradient is None else badness(each.call.log, gradient)
            last[each.key(source)] = symptom
            if symptom is not None:
                first.setdefault((each.key(source), symptom), BadGradient(each, source, symptom))
    return [each for (line, symptom), each in first.items() if symptom != "zero" or last[line] is not None]
