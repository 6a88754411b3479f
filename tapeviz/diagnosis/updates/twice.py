"""Graph -> Findings about a parameter that two optimizers change by one and the same gradient."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.edits import calls
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.updates.gradients import events_around_steps
from tapeviz.diagnosis.updates.sums import GradientSum, Used, steps_by_sums
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


def updated_again(graph: Graph) -> Iterator[Finding]:
    """The same where gradients are returned: two updates of a variable go by those of the same passes.

    One of more passes goes by a sum that was not begun anew.
    """
    last: dict[int, Used] = {}
    twice: list[tuple[int, int, int]] = []
    for step in steps_by_sums(graph.log):
        for each in step.updates:
            before = last.get(each.tensor)
            if before is not None and before.sum.passes == each.sum.passes:
                twice.append((each.tensor, before.position, each.position))
            elif before is not None and before.sum.passes < each.sum.passes and _goes_on(before.sum, each.sum):
                yield _not_begun_anew(graph, before, each)
                return
            last[each.tensor] = each
    if twice:
        yield _twice(graph, twice)


def _goes_on(before: GradientSum, after: GradientSum) -> bool:
    """Whether the later sum has the terms of the earlier one as they were: what is made smaller is a momentum."""
    return set(before.terms) <= set(after.terms)


def _not_begun_anew(graph: Graph, before: Used, after: Used) -> Finding:
    site, used = site_at(graph.log, after.position), site_at(graph.log, before.position)
    return Finding.at(
        graph.log,
        "accumulated_gradient",
        site,
        f"The gradient of {name_of(graph, after.tensor)} that the step at {words(site)} uses is a sum of "
        f"{len(after.sum.terms)} passes, {len(before.sum.terms)} of which {words(used)} has used already: nothing "
        "begins the sum anew between.",
        "Begin the sum with zeros again after each step.",
        before.position,
        after.position,
        symptom="wrong",
        severity="warning",
        source=after.tensor,
    )


def _twice(graph: Graph, uses: list[tuple[int, int, int]]) -> Finding:
    tensor, one, other = uses[0]
    name, site = name_of(graph, tensor), site_at(graph.log, other)
    more = holds_of(len({each for each, _, _ in uses}) - 1)
    return Finding.at(
        graph.log,
        "updated_twice",
        site,
        f"The step at {words(site)} changes {name} by the gradient by which the step{_whose(graph, one, other)} at "
        f"{words(site_at(graph.log, one))} has changed it already.{more}",
        Fix(dialect_of(graph.log).cause("updated_twice").fix, _in_one_list(graph, one, other)),
        one,
        other,
        symptom="wrong",
        severity="warning",
        source=tensor,
    )


def _whose(graph: Graph, one: int, other: int) -> str:
    updates = graph.log.of_kind(ParameterUpdated)
    return " of another optimizer" if updates[one].optimizer != updates[other].optimizer else ""


def _in_one_list(graph: Graph, one: int, other: int) -> Edit | None:
    """The first optimizer is made without what the second one is made of."""
    made = [_made_at(graph, each) for each in (one, other)]
    return None if None in made else calls.listed_once(Editor(graph.log), *(site_at(graph.log, each) for each in made))


def _made_at(graph: Graph, update: int) -> int | None:
    event = graph.log.events[update]
    history = graph.optimizers.get(event.optimizer) if isinstance(event, ParameterUpdated) else None
    return None if history is None else history.made_at


RULES = (updated_twice, updated_again)
