"""EventLog -> GradientCalls: those of a recording, and which of their gradients are amiss."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.nan.not_finite import not_finite
from tapeviz.diagnosis.numbers.run_numbers import Badness
from tapeviz.diagnosis.recording.grad_attribute import found_empty, missed
from tapeviz.diagnosis.zero.all_zero import all_zero
from tapeviz.graph import Graph
from tapeviz.replay import Run, runs


def gradient_calls(graph: Graph, sweeps: Iterable[Run] | None = None) -> Iterator[GradientCall]:
    """The calls that finished, in order; tensors found without a gradient afterwards count as asked for, too.

    So was every parameter, where a `backward` met none of those that it was called for.

    `sweeps` are the runs of the log, where someone has them already.
    """
    calls = [_call(graph, run) for run in (runs(graph.log) if sweeps is None else sweeps) if run.gradients is not None]
    empty = found_empty(graph, calls)
    for call in calls:
        without = dict.fromkeys([*empty.get(call.position, ()), *missed(call)])
        yield replace(call, found_without=tuple(without)) if without else call


def ended_early(graph: Graph, sweeps: Iterable[Run]) -> list[GradientCall]:
    """The calls that an error ended."""
    return [_call(graph, run) for run in sweeps if run.gradients is None]


def _call(graph: Graph, run: Run) -> GradientCall:
    return GradientCall(graph, run.tape, run.targets, run.position, run)


def first_times(calls: Iterable[GradientCall]) -> list[GradientCall]:
    """The first call of each line: in a loop one line asks again and again."""
    first: dict[Hashable, GradientCall] = {}
    for each in calls:
        first.setdefault(each.key(), each)
    return list(first.values())


class BadGradient(NamedTuple):
    """A gradient of a call that is amiss: there is none, or it is zero or not finite."""

    call: GradientCall
    source: int
    symptom: Literal["none"] | Badness


def bad_gradients(calls: Iterable[GradientCall]) -> list[BadGradient]:
    """For every line, source and set of ops the first None, the first zero and the first gradient that is not finite.

    A zero does not count if the last gradient of that line and source is sound: a factor that is still learning, or the
    initial state of a recurrent network, may well start with one.
    """
    first: dict[tuple[Hashable, frozenset[str], str], BadGradient] = {}
    last: dict[Hashable, str | None] = {}
    for each in calls:
        for source, gradient in each.gradients.items():
            symptom = "none" if gradient is None else each.numbers.badness(gradient)
            line = each.key(source)
            last[line] = symptom
            if symptom is not None:
                first.setdefault((line, each.passed, symptom), BadGradient(each, source, symptom))
    return [each for (line, _, symptom), each in first.items() if symptom != "zero" or last[line] is not None]


def bad_numbers(call: GradientCall, source: int) -> Finding | None:
    """Why the gradient of a source is zero or not finite, where it is."""
    kind = call.numbers.badness(call.gradients[source])
    if kind is None:
        return None
    return not_finite(call, source) if kind == "nan" else all_zero(call, source)
