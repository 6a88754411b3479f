"""Graph -> Findings about gradients that are clipped at the wrong moment, or by the wrong norm.

A program, or PyTorch's `GradScaler`, multiplies the loss, so that gradients of few bits do not vanish, and divides them
again before the step, the scaler in it unless `unscale_` did so earlier. A clip that comes between compares its limit
with numbers that are too large by that factor, and the division then makes what is left too small by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose

import numpy as np

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.edits import calls
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.op_kinds import CLIPS
from tapeviz.diagnosis.updates.gradients import events_around_steps, stored_in_parameters
from tapeviz.diagnosis.updates.losses import loss_of
from tapeviz.diagnosis.updates.sums import GradientSum, steps_by_sums
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import EventLog, OpRecorded, OpSkipped, OptimizerStepped, Site
from tapeviz.events.raw import UNSCALES
from tapeviz.events.summary import elements_of, summary_of
from tapeviz.graph import Graph
from tapeviz.phrases import counted
from tapeviz.source.edits import Edit
from tapeviz.source.places import site_at

_CLOSE = 1e-3
"""How far, relatively, the factor of a loss and what its gradient is divided by may be apart: few bits round both."""
CLAMPS = "_foreach_clamp_"
"""How PyTorch's kernels begin that keep the numbers of many tensors within limits."""


def clipped_before_unscaled(graph: Graph) -> Iterator[Finding]:
    """The lines that clip gradients which a scaler divides only after that, each once."""
    (owner, overwrites), known = stored_in_parameters(graph.log), set[Site | None]()
    clipped: dict[int, int] = {}  # a gradient, and the op that clipped it first
    for position, overwrite in overwrites.items():
        op = graph.ops[position].op
        if op == UNSCALES:
            held = [each for each, _ in overwrite.gradients if each in clipped]
            clip = clipped[held[0]] if held else None
            site = None if clip is None else site_at(graph.log, clip)
            if clip is not None and site not in known:
                known.add(site)
                yield _still_scaled(graph, clip, position, [owner[each] for each in held])
            continue
        limits = overwrite.is_measured or op in CLIPS or op.startswith(CLAMPS)
        for before, after in overwrite.gradients:
            if before in clipped or (limits and _differ(graph.log, before, after)):
                clipped[after] = clipped.get(before, position)


def clipped_before_divided(graph: Graph) -> Iterator[Finding]:
    """The same where the program divides gradients itself: by what their loss was multiplied by, after a clip."""
    known: set[Site | None] = set()
    for step in steps_by_sums(graph.log):
        scaled = [each for each in step.updates if _is_divided_later(graph, each.sum)]
        clip = scaled[0].sum.clip if scaled else None
        site = None if clip is None else site_at(graph.log, clip)
        if clip is not None and site not in known:
            known.add(site)
            later = scaled[0].sum.terms[0].factors[-1].position
            yield _still_scaled(graph, clip, later, [each.sum.variable for each in scaled])


def _is_divided_later(graph: Graph, found: GradientSum) -> bool:
    """Whether a sum is clipped, and only then divided by the factor that each of its losses has."""
    if found.clip is None or not 0.0 < found.after < 1.0:
        return False
    losses = [loss_of(graph, each) for each in found.terms]
    return all(each is not None and isclose(each.weight, 1.0, rel_tol=_CLOSE) for each in losses)


def _differ(log: EventLog, before: int, after: int) -> bool:
    """Whether a clip did anything, as far as is known."""
    was, is_now = log.value(before), log.value(after)
    if was is None or is_now is None:
        return True
    one, other = elements_of(was), elements_of(is_now)
    return summary_of(was) != summary_of(is_now) if one is None or other is None else not np.array_equal(one, other)


def _still_scaled(graph: Graph, clip: int, unscaled: int, tensors: list[int]) -> Finding:
    line, later = site_at(graph.log, clip), site_at(graph.log, unscaled)
    what = name_of(graph, tensors[0])
    others = f" and {counted(len(tensors) - 1, 'other')}" if len(tensors) > 1 else ""
    return Finding.at(
        graph.log,
        "scaled_gradient_used",
        line,
        f"The gradients of {what}{others} are clipped at {words(line)} while they still carry the factor of the scaled "
        f"loss, which is divided out only at {words(later)}: they end that much below the limit.",
        Fix(dialect_of(graph.log).say("divide before the clip"), _unscaled_first(graph, line, later)),
        clip,
        unscaled,
        symptom="wrong",
        source=tensors[0],
    )


def _unscaled_first(graph: Graph, clip: Site | None, step: Site | None) -> Edit | None:
    """The factor is divided out before the line that clips."""
    editor = Editor(graph.log)
    scaler, optimizer = calls.scaler_at(editor, step), calls.optimizer_at(editor, step)
    return None if scaler is None else calls.before(editor, clip, f"{scaler}.unscale_({optimizer})")


def clipped_by_another_norm(graph: Graph) -> Iterator[Finding]:
    """The lines that scale the gradients of some parameters by a norm, where a step uses others as they are.

    Which parameters these should be is the program's choice, so that one which leaves some out hears a hint.
    """
    (owner, overwrites), known = stored_in_parameters(graph.log), set[Site | None]()
    scaled: dict[int, int] = {}  # a parameter, and the op that scaled its gradient by a norm since the last step
    used: set[int] = set()  # those that an optimizer within another one has stepped already
    for position, event in events_around_steps(graph.log):
        match event:
            case OpSkipped() | OpRecorded():
                used.clear()
                if position in overwrites and overwrites[position].is_measured:
                    scaled |= {owner[after]: position for _, after in overwrites[position].gradients}
            case OptimizerStepped(parameters=parameters) if scaled:
                left = [each for each in parameters if each not in scaled and each not in used]
                clip = max(scaled.values())
                site = site_at(graph.log, clip)
                if left and site not in known:
                    known.add(site)
                    yield _left_as_they_are(graph, clip, position, left, parameters)
                used.update(each for each in parameters if scaled.pop(each, None) is not None)


def measured_by_some(graph: Graph) -> Iterator[Finding]:
    """The same where the program scales gradients itself, and hands an optimizer some that it has not scaled."""
    known: set[Site | None] = set()
    for step in steps_by_sums(graph.log):
        measured = [each.sum.clip for each in step.updates if each.sum.is_measured and each.sum.clip is not None]
        left = [each.tensor for each in step.updates if each.sum.clip is None]
        site = site_at(graph.log, max(measured)) if measured else None
        if measured and left and site not in known:
            known.add(site)
            parameters = tuple(each.tensor for each in step.updates)
            yield _left_as_they_are(graph, max(measured), step.position, left, parameters)


def _left_as_they_are(graph: Graph, clip: int, step: int, left: list[int], parameters: tuple[int, ...]) -> Finding:
    line, stepped = site_at(graph.log, clip), words(site_at(graph.log, step))
    none = len(left) == len(parameters)
    more = f" and {counted(len(left) - 1, 'other')}" if len(left) > 1 else ""
    these = (
        f"none of them is of the {counted(len(parameters), dialect_of(graph.log).say('variable'))} that the step at "
        f"{stepped} changes"
        if none
        else f"those of {name_of(graph, left[0])}{more} are used as they are by the step at {stepped}"
    )
    return Finding.at(
        graph.log,
        "clipped_by_another_norm",
        line,
        f"Gradients are scaled by their norm at {words(line)}, but {these}.",
        Fix(dialect_of(graph.log).say("clip all of the list"), _all_of_the_list(graph, line, step)),
        clip,
        step,
        symptom="wrong",
        severity="warning" if none else "hint",
        source=left[0],
    )


def _all_of_the_list(graph: Graph, clip: Site | None, step: int) -> Edit | None:
    editor = Editor(graph.log)
    return calls.clipping_all_of(editor, clip, calls.optimizer_at(editor, site_at(graph.log, step)))


RULES = (clipped_before_unscaled, clipped_before_divided, clipped_by_another_norm, measured_by_some)
