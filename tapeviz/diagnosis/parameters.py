"""Graph -> Findings about lists of parameters: one that is empty, though the target was made from parameters."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.diagnosis.call import Call
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.naming import name_of
from tapeviz.diagnosis.places import origin, site_at, words
from tapeviz.events import BackwardStarted
from tapeviz.graph import Graph
from tapeviz.phrases import listed


def untracked_parameter(graph: Graph) -> Iterator[Finding]:
    """The gradient was asked for with respect to nothing, while the target was computed from variables."""
    for position, event in enumerate(graph.log.events):
        if isinstance(event, BackwardStarted) and not event.sources and event.targets:
            call = Call(graph, event.tape, event.targets, position)
            used = [each for each in sorted(call.reached & graph.leaves.keys()) if graph.is_variable(each)]
            if used:
                yield _finding(call, used)


def _finding(call: Call, used: list[int]) -> Finding:
    graph, target = call.graph, call.targets[0]
    site = call.listed or call.site
    names, made = listed([name_of(graph, each) for each in used]), graph.leaves[used[0]]
    place = f", {origin(site_at(graph.log, made))}" if graph.log.tensors[used[0]].name is not None else ""
    return Finding.at(
        "untracked_parameter",
        site,
        f"The list of sources at {words(call.site)} is empty, so there is no gradient, although "
        f"{name_of(graph, target)} was computed from {names}{place}.",
        (
            "Take the list after the first call of the model, which makes its variables: only what is in the list can "
            "learn."
        )
        if call.listed is not None
        else (
            "Keep variables where the model finds them, as attributes of its own or of its layers, or list them "
            "yourself."
        ),
        made,
        call.position,
        target=target,
    )
