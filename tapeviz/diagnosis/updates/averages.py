"""Graph -> Findings about running averages of weights that are taken of the weights before their step."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.updates.gradients import events_around_steps
from tapeviz.diagnosis.updates.sums import steps_by_sums
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import (
    BackwardFinished,
    BackwardStarted,
    GradientStored,
    OpRecorded,
    OpSkipped,
    ParameterUpdated,
    Site,
    StateWritten,
)
from tapeviz.events.raw import IN_PLACE
from tapeviz.graph import Graph
from tapeviz.source.places import site_at

_KEEPS_AN_OLD_VALUE = frozenset({"copy"})
_SUMS = frozenset({"add", "cast", "identity", "lerp", "mul", "sub"})


def taken_too_early(graph: Graph) -> Iterator[Finding]:
    """A line adds weights to averages always between the pass that stores their gradients and the step that uses these.

    Who keeps weights for later copies them, which is no average.
    """
    fresh: set[int] = set()  # parameters with a gradient that no step has used
    adds: dict[int, tuple[int, tuple[int, ...]]] = {}  # a result, where it was made, and the parameters that it adds
    early: dict[Site | None, list[tuple[int, int]]] = {}
    timely: set[Site | None] = set()
    stored: set[int] = set()
    last: dict[int, int] = {}
    for position, event in events_around_steps(graph.log) if graph.listed else ():
        match event:
            case GradientStored():
                fresh.add(event.tensor)
                stored.add(event.gradient)
            case ParameterUpdated():
                fresh.discard(event.tensor)
                last[event.tensor] = position
            case OpSkipped() | OpRecorded() if IN_PLACE in event.attrs:
                weights = tuple(each for each in event.inputs[1:] if each in graph.listed)
                if stored.isdisjoint(event.inputs):
                    adds |= dict.fromkeys(event.outputs, (position, weights)) if weights else {}
                else:
                    stored.update(event.outputs)
            case StateWritten(tensor=average, value=value) if value in adds and average not in graph.listed:
                at, weights = adds[value]
                site = site_at(graph.log, at)
                if graph.ops[at].op not in _KEEPS_AN_OLD_VALUE:
                    early.setdefault(site, []).extend((each, at) for each in weights if each in fresh)
                    timely.update({site} if fresh.isdisjoint(weights) else ())
    yield from _found(graph, early, timely, last)


def computed_too_early(graph: Graph) -> Iterator[Finding]:
    """The same where gradients are returned: of variables that are assigned what is computed of weights and of them."""
    fresh: set[int] = set()  # parameters with a gradient that no step has used
    early: dict[Site | None, list[tuple[int, int]]] = {}
    timely: set[Site | None] = set()
    last: dict[int, int] = {}
    sources: dict[int, tuple[int, ...]] = {}
    for position, event in enumerate(graph.log.events) if steps_by_sums(graph.log) else ():
        match event:
            case BackwardStarted():
                sources[event.run] = event.sources
            case BackwardFinished(run=run):
                fresh.update(sources.get(run, ()))
            case ParameterUpdated():
                fresh.discard(event.tensor)
                last[event.tensor] = position
            case StateWritten(tensor=average, value=value) if value is not None and average not in graph.listed:
                read = _averaged(graph, value)
                weights = read & graph.listed
                if weights and (average in read or event.how != "assign"):
                    site = site_at(graph.log, position)
                    early.setdefault(site, []).extend((each, position) for each in weights & fresh)
                    timely.update({site} if fresh.isdisjoint(weights) else ())
    yield from _found(graph, early, timely, last)


def _averaged(graph: Graph, tensor: int, depth: int = 4) -> set[int]:
    """The variables that a number is the sum of, with plain factors."""
    op = graph.op_of(tensor)
    if op is None or not depth or op.op not in _SUMS:
        return {tensor} if op is None else set()
    return {found for each in op.inputs for found in _averaged(graph, each, depth - 1)}


def _found(
    graph: Graph, early: dict[Site | None, list[tuple[int, int]]], timely: set[Site | None], last: dict[int, int]
) -> Iterator[Finding]:
    """The lines that read weights early, never in time, each by the first read that a step follows."""
    for site, reads in early.items():
        steps = [(each, at, last[each]) for each, at in reads if last.get(each, -1) > at]
        if site not in timely and steps:
            yield _early(graph, *steps[0])


def _early(graph: Graph, weight: int, at: int, step: int) -> Finding:
    site = site_at(graph.log, at)
    return Finding.at(
        graph.log,
        "stale_value",
        site,
        f"The average at {words(site)} takes {name_of(graph, weight)} in after the backward pass and before the step "
        f"at {words(site_at(graph.log, step))} changes it: it is always a step behind.",
        "Update the average after the optimizer's step. If it is to lag, all is well.",
        at,
        step,
        symptom="wrong",
        severity="hint",
        source=weight,
    )


RULES = (taken_too_early, computed_too_early)
