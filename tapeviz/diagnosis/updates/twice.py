"""Graph -> Findings about a parameter that two optimizers change by one and the same gradient."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.edits import calls
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.updates.gradients import events_around_steps
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import GradientCleared, GradientStored, ParameterUpdated
from tapeviz.graph import Graph
from tapeviz.phrases import holds_of
from tapeviz.source.edits import Edit
from tapeviz.source.places import site_at


def updated_twice(graph: Graph) -> Iterator[Finding]:
    """Two optimizers have a parameter in their lists, and both step between two passes that store its gradient."""
    first: dict[int, int] = {}  # a parameter that got a gradient, and where an optimizer used that, or -1
    found: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for position, event in events_around_steps(graph.log):
        match event:
            case GradientStored(tensor=tensor):
                first[tensor] = -1
            case GradientCleared(tensor=tensor):
                first.pop(tensor, None)
            case ParameterUpdated(tensor=tensor) if tensor in first:
                earlier = graph.log.events[first[tensor]] if first[tensor] >= 0 else None
                if not isinstance(earlier, ParameterUpdated):
                    first[tensor] = position
                elif earlier.optimizer != event.optimizer:
                    pair = earlier.optimizer, event.optimizer
                    found.setdefault(pair, []).append((tensor, first[tensor], position))
    for uses in found.values():
        yield _twice(graph, uses)


def _twice(graph: Graph, uses: list[tuple[int, int, int]]) -> Finding:
    tensor, one, other = uses[0]
    name, site = name_of(graph, tensor), site_at(graph.log, other)
    more = holds_of(len({each for each, _, _ in uses}) - 1)
    return Finding.at(
        graph.log,
        "updated_twice",
        site,
        f"The step at {words(site)} changes {name} by the gradient by which the step of another optimizer at "
        f"{words(site_at(graph.log, one))} has changed it already.{more}",
        Fix(dialect_of(graph.log).cause("updated_twice").fix, _in_one_list(graph, one, other)),
        one,
        other,
        symptom="wrong",
        severity="warning",
        source=tensor,
    )


def _in_one_list(graph: Graph, one: int, other: int) -> Edit | None:
    """The first optimizer is made without what the second one is made of."""
    made = [_made_at(graph, each) for each in (one, other)]
    return None if None in made else calls.listed_once(Editor(graph.log), *(site_at(graph.log, each) for each in made))


def _made_at(graph: Graph, update: int) -> int | None:
    event = graph.log.events[update]
    history = graph.optimizers.get(event.optimizer) if isinstance(event, ParameterUpdated) else None
    return None if history is None else history.made_at


RULES = (updated_twice,)
