"""Graph -> Findings about gradients that no step uses as they are: left for another optimizer's, or cleared before any.

Who looks at a gradient uses it, too. Both may be meant, so that these are hints.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import (
    BackwardStarted,
    GradientCleared,
    GradientRead,
    GradientStored,
    OpRecorded,
    OpSkipped,
    OptimizerStepped,
    Site,
    StateWritten,
)
from tapeviz.graph import Graph
from tapeviz.phrases import counted
from tapeviz.source.places import site_at


class _Left(NamedTuple):
    """A gradient that a pass stored, and the step of an optimizer of other parameters that the pass was for."""

    stored: int
    began: int
    step: int


def left_by_another_pass(graph: Graph) -> Iterator[Finding]:
    """A pass for one optimizer leaves gradients in the parameters of another, whose own pass adds to them.

    So a generator's loss stays in the discriminator. Parts of a loss that are sent back one by one come before any
    step.
    """
    lists = {number: set(each.parameters) for number, each in graph.optimizers.items()}
    began = 0
    fresh: dict[int, tuple[int, int]] = {}  # a tensor, where its gradient was stored, and where that pass began
    left: dict[int, _Left] = {}
    added: dict[int, int] = {}  # a tensor, and where the pass began that added to what was left in it
    for position, event in enumerate(graph.log.events if len(lists) > 1 else ()):
        match event:
            case BackwardStarted():
                began = position
            case GradientStored(tensor=tensor):
                fresh.setdefault(tensor, (position, began))
                if tensor in left and event.accumulated:
                    added.setdefault(tensor, began)
            case GradientCleared(tensor=tensor) | GradientRead(tensor=tensor):
                _forget(tensor, fresh, left, added)
            case OptimizerStepped(parameters=own):
                used = next((each for each in own if each in added), None)
                if used is not None:
                    yield _left(graph, used, left[used], added[used], position)
                    return
                passes = {fresh[each][1] for each in own if each in fresh}
                others = graph.listed - lists.get(event.optimizer, set())
                stay = {each: _Left(*fresh[each], position) for each in others & fresh.keys() - left.keys()}
                left |= {each: kept for each, kept in stay.items() if kept.began in passes}
                for tensor in own:
                    _forget(tensor, fresh, left)


def _forget(tensor: int, *known: dict[int, Any]) -> None:
    for each in known:
        each.pop(tensor, None)


def _left(graph: Graph, tensor: int, left: _Left, began: int, step: int) -> Finding:
    name, site = name_of(graph, tensor), site_at(graph.log, began)
    first, other, own = (words(site_at(graph.log, each)) for each in (left.began, left.step, step))
    return Finding.at(
        graph.log,
        "accumulated_gradient",
        site,
        f"The backward pass at {words(site)} adds to the gradient that the one at {first} left in {name}: the step at "
        f"{other} is that of another optimizer, nothing clears {name} after it, and the step at {own} uses the sum.",
        f"Call `zero_grad()` of the optimizer that steps at {own} before the pass at {words(site)}. If the sum is "
        "meant, all is well.",
        left.stored,
        left.step,
        began,
        step,
        symptom="wrong",
        severity="hint",
        source=tensor,
    )


def cleared_unused(graph: Graph) -> Iterator[Finding]:
    """Of the passes of one line some are used by a step, and the others are cleared before anything looks at them.

    So does who clears in each pass, and steps after several. What a step of another optimizer used of a pass, a look
    at it, or an op that reads it, as one that clips, is a use of all of it. Where the passes of a line ever add up,
    clearing has its place.
    """
    began = 0
    pending: dict[int, int] = {}  # a tensor, and the pass that its gradient is of
    of_pass: dict[int, int] = {}  # a gradient, and the pass that stored it
    used: set[int] = set()
    cleared: dict[int, int] = {}  # a pass, and where its first gradient was cleared
    adds_up: set[Site | None] = set()
    for position, event in enumerate(graph.log.events):
        match event:
            case BackwardStarted():
                began = position
            case GradientStored(tensor=tensor):
                pending[tensor] = of_pass[event.gradient] = began
                if event.accumulated:
                    adds_up.add(site_at(graph.log, began))
            case GradientCleared(tensor=tensor) if tensor in pending:
                cleared.setdefault(pending.pop(tensor), position)
            case GradientRead(tensor=tensor) | StateWritten(tensor=tensor, value=None) if tensor in pending:
                used.add(pending[tensor])
            case OptimizerStepped(parameters=read) | OpSkipped(inputs=read) | OpRecorded(inputs=read):
                known = pending if isinstance(event, OptimizerStepped) else of_pass
                used.update(known[each] for each in read if each in known)
    by_line: dict[Site | None, list[int]] = {}
    for each in cleared:
        if each not in used:
            by_line.setdefault(site_at(graph.log, each), []).append(each)
    for site, passes in by_line.items():
        of_line = [each for each in used if site_at(graph.log, each) == site]
        if of_line and site not in adds_up:
            yield _cleared_unused(graph, site, passes, len(of_line), cleared[passes[0]])


def _cleared_unused(graph: Graph, site: Site | None, passes: list[int], others: int, at: int) -> Finding:
    line = site_at(graph.log, at)
    number = counted(len(passes) + others, "backward pass")
    return Finding.at(
        graph.log,
        "cleared_before_use",
        line,
        f"Of the {number} at {words(site)}, the gradients of {len(passes)} are cleared at {words(line)} before a step "
        "uses them: only the others change anything.",
        "To add up the gradients of several passes, clear them once per step, right after `optimizer.step()`. If those "
        "passes are not to change anything, all is well.",
        passes[0],
        at,
        symptom="wrong",
        severity="hint",
    )


RULES = (left_by_another_pass, cleared_unused)
