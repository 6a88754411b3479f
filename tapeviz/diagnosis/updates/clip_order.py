"""Graph -> Findings about clips ahead of the pass that stores the gradients, or behind the step that uses them."""

from __future__ import annotations

from collections.abc import Iterator

from tapeviz.diagnosis.edits import moving
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.error.messages import last_before
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.updates.gradients import events_around_steps, stored_in_parameters
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import (
    BackwardStarted,
    EventLog,
    GradientCleared,
    GradientRead,
    GradientStored,
    OpRecorded,
    OpSkipped,
    OptimizerStepped,
    RecordingPaused,
    RecordingResumed,
    Site,
)
from tapeviz.events.summary import has_same_elements, summary_of
from tapeviz.graph import Graph
from tapeviz.source.edits import Edit
from tapeviz.source.places import site_at

_CLIPPING = "clip_grad_norm_("
"""How a line calls the function that clips gradients by their norm where they are stored."""
_FIX = "Clip between the backward pass and the step."


def clipped_after_the_step(graph: Graph) -> Iterator[Finding]:
    """The lines that scale gradients by their norm which a step has used, and which are cleared next, each once.

    Nothing is said where that changes no number: who only wants to know the norm sets no limit.
    """
    (owner, overwrites), known = stored_in_parameters(graph.log), set[Site | None]()
    used: dict[int, int] = {}  # a parameter, and the step that used the gradient which it has
    late: dict[int, tuple[int, int]] = {}  # a parameter, the op that scaled that gradient later, and the step
    for position, event in events_around_steps(graph.log):
        match event:
            case OptimizerStepped(parameters=parameters):
                used |= dict.fromkeys(parameters, position)
                late.clear()
            case GradientStored(tensor=tensor):
                used.pop(tensor, None)
            case GradientRead(gradient=int()):
                late.clear()
            case OpSkipped() | OpRecorded() if position in overwrites and overwrites[position].is_measured:
                pairs = overwrites[position].gradients
                if any(_differ(graph.log, *each) for each in pairs):
                    late |= {each: (position, used[each]) for _, after in pairs if (each := owner[after]) in used}
            case GradientCleared(tensor=tensor) if tensor in late:
                clip, step = late.pop(tensor)
                if (site := site_at(graph.log, clip)) not in known:
                    known.add(site)
                    yield _too_late(graph, tensor, clip, step, position)


def clipped_before_the_pass(graph: Graph) -> Iterator[Finding]:
    """The lines whose calls clip nothing, as a pass stores the gradients only after them, for a step; each once."""
    overwrites = stored_in_parameters(graph.log).overwrites
    stored: set[int] = set()
    idle: dict[Site, tuple[int, frozenset[int]]] = {}  # a line that has clipped nothing, and what had gradients then
    found: dict[Site, tuple[int, int, int]] = {}
    clips: set[Site] = set()
    for position, event in events_around_steps(graph.log):
        match event:
            case GradientStored(tensor=tensor):
                stored.add(tensor)
            case GradientCleared(tensor=tensor):
                stored.discard(tensor)
            case OpSkipped() | OpRecorded() if position in overwrites:
                idle.clear()
            case RecordingPaused():
                site = site_at(graph.log, position)
                if site is not None and _CLIPPING in site.text:
                    idle[site] = position, frozenset(stored)
                    if not isinstance(graph.log.events[position + 1], RecordingResumed):
                        clips.add(site)
            case OptimizerStepped(parameters=parameters) if not stored.isdisjoint(parameters):
                tensor = next(each for each in parameters if each in stored)
                early = {site: clip for site, (clip, before) in idle.items() if before.isdisjoint(parameters)}
                found = {site: (tensor, clip, position) for site, clip in early.items()} | found
                idle.clear()
    for site, where in found.items():
        if site not in clips:
            yield _too_early(graph, *where)


def _differ(log: EventLog, before: int, after: int) -> bool:
    """Whether a clip is known to have changed a number."""
    was, is_now = log.value(before), log.value(after)
    return (
        was is not None
        and is_now is not None
        and not (has_same_elements(was, is_now) or summary_of(was) == summary_of(is_now))
    )


def _too_late(graph: Graph, tensor: int, clip: int, step: int, cleared: int) -> Finding:
    line, stepped = site_at(graph.log, clip), site_at(graph.log, step)
    message = (
        f"The gradient of {name_of(graph, tensor)} is clipped at {words(line)} after the step at {words(stepped)} has "
        f"used it, and cleared at {words(site_at(graph.log, cleared))} before another one does: the clip changes no "
        "weight."
    )
    return _finding(graph, message, moving.above_another(Editor(graph.log), line, stepped), (tensor, clip, step))


def _too_early(graph: Graph, tensor: int, clip: int, step: int) -> Finding:
    began = last_before(graph, step, BackwardStarted)
    line, passed, stepped = (site_at(graph.log, each) for each in (clip, began, step))
    message = (
        f"The call at {words(line)} finds no gradient of {name_of(graph, tensor)} to clip: the backward pass at "
        f"{words(passed)} stores it only after that, and the step at {words(stepped)} uses it as it is."
    )
    return _finding(graph, message, moving.below_another(Editor(graph.log), line, passed), (tensor, clip, step))


def _finding(graph: Graph, message: str, edit: Edit | None, about: tuple[int, int, int]) -> Finding:
    tensor, clip, step = about
    return Finding.at(
        graph.log,
        "clipped_by_another_norm",
        site_at(graph.log, clip),
        message,
        Fix(_FIX, edit),
        clip,
        step,
        symptom="wrong",
        severity="warning",
        source=tensor,
    )


RULES = (clipped_after_the_step, clipped_before_the_pass)
