"""Graph -> Findings about running averages of weights that are taken of the weights before their step."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.updates.gradients import events_around_steps
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import GradientStored, OpRecorded, OpSkipped, ParameterUpdated, Site, StateWritten
from tapeviz.events.raw import IN_PLACE
from tapeviz.graph import Graph
from tapeviz.source.places import site_at

_KEEPS_AN_OLD_VALUE = frozenset({"copy"})


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


RULES = (taken_too_early,)
