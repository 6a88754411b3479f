"""Graph -> Findings about lists of parameters: one that is empty, one that leaves a parameter out."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.diagnosis.call import Call, finished_calls
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.naming import name_of
from tapeviz.diagnosis.places import origin, site_at, words
from tapeviz.events import BackwardStarted, OptimizerCreated
from tapeviz.graph import Graph
from tapeviz.phrases import counted, listed


def empty_list(graph: Graph) -> Iterator[Finding]:
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


def left_out(graph: Graph) -> Iterator[Finding]:
    """A variable got gradients, but no optimizer has it in its list, while other variables of the target are in one."""
    optimizers = {at: each for at, each in enumerate(graph.log.events) if isinstance(each, OptimizerCreated)}
    finished = finished_calls(graph) if optimizers else []
    if not finished:
        return
    sources = finished[0].sources
    updated = {tensor for each in optimizers.values() for tensor in each.parameters}
    missing = [each for each in sources if each not in updated and graph.is_variable(each)]
    if missing and not updated.isdisjoint(sources):
        leaf, optimizer = graph.leaves.get(missing[0]), site_at(graph.log, next(iter(optimizers)))
        place, name = site_at(graph.log, leaf), name_of(graph, missing[0])
        others = f"and {counted(len(missing) - 1, 'other variable')} get" if missing[1:] else "gets"
        them, are = ("them", "they are") if missing[1:] else ("it", "it is")
        yield Finding.at(
            "untracked_parameter",
            place or optimizer,
            f"{name}, {origin(place)}, {others} gradients, but the optimizer at {words(optimizer)} does not have "
            f"{them} in its list: {are} never updated.",
            "Register it (`torch.nn.Parameter` as an attribute, layers in a `ModuleList`), or add it to the list.",
            leaf,
            finished[0].position,
            severity="hint",
            target=missing[0],
        )


RULES = (empty_list, left_out)
