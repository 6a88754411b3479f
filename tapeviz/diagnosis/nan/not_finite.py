"""GradientCall -> Findings about gradients that are NaN or infinite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.nan.bad_input import finding_of, huge_variable, read_non_finite, spelled_out, what_is_not_finite
from tapeviz.diagnosis.nan.overflow import growth, overflow, overflows
from tapeviz.diagnosis.nan.own_gradients import returned_non_finite
from tapeviz.diagnosis.numbers.hooks import is_hooks_doing
from tapeviz.diagnosis.numbers.operands import is_pole, numbers_backward, numbers_forward
from tapeviz.diagnosis.numbers.run_numbers import Onset
from tapeviz.diagnosis.op_kinds import CHOICES, read_by
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.ranks.passes import ranks_of
from tapeviz.diagnosis.wording.discarded import edge_left_out, finite_argument, safe_first
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wording.safe import guarded, instead
from tapeviz.events.summary import Oddity, is_finite, oddities
from tapeviz.graph import Link, combined_before
from tapeviz.phrases import counted
from tapeviz.source.places import site_at

UNKNOWN_BEGINNING = "A gradient is not finite, and it is not known where that begins"
"""What a finding is headed by where the numbers that would tell were not kept."""


def not_finite(call: GradientCall, source: int) -> Finding | None:
    """Where a gradient stops being finite: at an op, on the way back or already forward, or in the program's data."""
    onsets = [each for each in call.numbers.onsets(source, "nan") if not each.is_of_total or is_hooks_doing(call, each)]
    if not onsets:
        return None
    onset = min(onsets, key=lambda each: (each.may_be_above, each.step.position))
    said = call.once(("not finite", onset.step.position), lambda: _verdict(call, onset))
    return said(Question(call, source))


def _verdict(call: GradientCall, onset: Onset) -> Callable[[Question], Finding]:
    """The finding for any source whose gradient stops being finite at this onset."""
    forward = _forward_onset(call, onset.step.op)
    position = onset.step.op if forward is None else forward
    if forward is None and onset.may_be_above:
        given = read_non_finite(call, position, is_onset=False)
        return given or (lambda question: _begins_above(question, onset))
    returned = None if forward is not None else returned_non_finite(call, onset)
    if returned is not None:
        return returned
    if forward is None and ranks_of(call.graph.ops[position]) > 1:
        return lambda question: _from_another(question, position)
    discarding, partly = _discarding(call, onset), _discards_some(call, onset)
    operands = numbers_backward(call, onset) if forward is None else numbers_forward(call, forward)
    if discarding is not None:
        return lambda question: _where_trap(question, position, discarding, forward is not None, operands)
    given = read_non_finite(call, position, is_onset=forward is not None)
    if given is not None:
        return given
    if forward is not None and not is_pole(call, forward):
        return lambda question: _nan_in_forward(question, position, operands, includes_edge=partly)
    if forward is None and overflows(call, onset):
        return _overflow(call, onset)
    first = _first_known(call, position) if forward is None else None
    if first is not None:
        return lambda question: _nan_from_unknown(question, first)
    return lambda question: _domain_edge(question, position, onset, operands, includes_edge=partly)


def _from_another(question: Question, position: int) -> Finding:
    """A reduction over processes gives what is not finite, though this one sends it what is."""
    op, site = question.graph.ops[position], site_at(question.log, position)
    return finding_of(
        question,
        "nan_in_input",
        site,
        f"What this process finds of {what_is_not_finite(question, None)} is finite, and what the reduction over "
        f"{counted(ranks_of(op), 'rank')} makes of it on the way back, through {question.op_name(op)} at "
        f"{words(site)}, is not: another one brings that.",
        "Ask the logs of all ranks together: `tv.diagnose(tv.load(folder))`.",
        None,
        [position],
    )


def _overflow(call: GradientCall, onset: Onset) -> Callable[[Question], Finding]:
    """The overflow on the way back, unless an op further on had one on the way to the target."""
    graph = call.graph
    onward = graph.descendants(graph.ops[onset.step.op].outputs)
    makers = [graph.producer(each) for each in call.targets if each in onward]
    further = (at for maker in makers if maker is not None for at in _forward_onsets(call, maker))
    first = next((at for at in further if not onward.isdisjoint(graph.ops[at].outputs)), None)
    if first is None or read_non_finite(call, first, is_onset=True) is not None or is_pole(call, first):
        return lambda question: overflow(question, onset)
    met = numbers_forward(call, first)
    return lambda question: _nan_in_forward(question, first, met, grown=growth(question, onset))


def target_not_finite(call: GradientCall, sources: list[int]) -> Iterator[Finding]:
    """The op or the leaf that makes a target infinite or NaN, though no gradient shows it."""
    if not sources or any(call.numbers.is_bad(call.run.gradient(each), "nan") for each in sources):
        return
    for target in call.targets:
        maker = call.graph.producer(target)
        if maker is None or is_finite(call.numbers.value(target)):
            continue
        question, onset = Question(call, sources[0]), _forward_onset(call, maker)
        given = read_non_finite(call, maker if onset is None else onset, is_onset=onset is not None)
        if given is not None:
            yield given(question, target)
        elif onset is not None:
            yield _nan_in_forward(question, onset, numbers_forward(call, onset), target)


def _forward_onset(call: GradientCall, op: int) -> int | None:
    """The first op up to this one that is such an onset."""

    def position(link: Link) -> int | None:
        return link.position if link.slot is not None and _is_forward_onset(call, link.position) else None

    first = call.once("forward onsets", lambda: combined_before(call.graph, position, min))
    return min((first[each] for each in call.graph.ops[op].outputs if each in first), default=None)


def _forward_onsets(call: GradientCall, op: int) -> Iterator[int]:
    """All ops up to this one that are, in order."""
    links = call.graph.back(call.graph.ops[op].outputs)
    positions = sorted({link.position for link in links if link.slot is not None})
    return (each for each in positions if _is_forward_onset(call, each))


def _is_forward_onset(call: GradientCall, position: int) -> bool:
    """Whether an op's output is not finite although its inputs are, or is NaN without one."""
    return call.once(("forward onset", position), lambda: _makes_it(call, position))


def _makes_it(call: GradientCall, position: int) -> bool:
    op = call.graph.ops[position]
    given = spelled_out(op)
    if given is not None and not np.isnan(given):  # an infinity that the program writes hides an entry
        return False
    out = [call.numbers.known(each) for each in op.outputs]
    inputs = [call.numbers.known(each, position) for each in read_by(op)]
    if given is None and any(each is None for each in (*out, *inputs)):
        return False
    before, after = _not_finite_in(inputs), _not_finite_in(out)
    return bool(after and not before) or "nan" in after - before


def _not_finite_in(values: list[Any]) -> set[Oddity]:
    """What is odd in those of the values that are known."""
    return {oddity for each in values if each is not None for oddity in oddities(each)} - {"zero"}


def _first_known(call: GradientCall, op: int) -> int | None:
    """Of the ops that led to one which read NaN, the first whose result is known to be NaN, where none is an onset."""
    graph, numbers = call.graph, call.numbers
    if "nan" not in _not_finite_in([numbers.known(each, op) for each in graph.ops[op].inputs]):
        return None
    before = sorted({link.position for link in graph.back(graph.ops[op].inputs) if link.slot is not None})
    given = (at for at in before if "nan" in _not_finite_in([numbers.known(each) for each in graph.ops[at].outputs]))
    return next(given, None)


def _discarding(call: GradientCall, onset: Onset) -> int | None:
    """The `where` between the op and the target that discards every bad entry: their upstream gradient is zero."""
    upstream = call.numbers.upstream_of_bad(onset)
    return None if upstream is None or upstream.any() else _where_after(call, onset)


def _discards_some(call: GradientCall, onset: Onset) -> bool:
    """Whether a `where` discards some of the bad entries, but not all, because its condition includes the edge."""
    met, out = (
        call.numbers.upstream_and_contribution(onset),
        call.numbers.value(call.graph.ops[onset.step.op].outputs[0]),
    )
    if met is None or out is None or not met[0].shape == met[1].shape == out.shape:
        return False
    upstream = met[0][~np.isfinite(met[1]) | ~np.isfinite(out)]
    return bool(upstream.any()) and not upstream.all() and _where_after(call, onset) is not None


def _where_after(call: GradientCall, onset: Onset) -> int | None:
    """The first `where` between the op and the target."""
    onward = call.trail.links(call.graph.ops[onset.step.op].outputs[0])
    return next((link.position for link in onward if link.how in CHOICES), None)


# ----- findings -----


def _where_trap(question: Question, position: int, discarding: int, forward: bool, operands: str) -> Finding:
    op, site = question.graph.ops[position], site_at(question.log, position)
    what = "overflows or is undefined" if forward else "has an infinite derivative"
    where = question.graph.ops.get(discarding)
    return question.finding(
        "where_trap",
        site,
        f"{question.op_name(op)} at {words(site)} {what} for entries that `where` discards. The gradient that "
        f"they get is zero, but zero times infinity is NaN: the gradient of {question.source_name} is not "
        f"finite.{operands}",
        finite_argument(question, op, where) or safe_first(question, op, where),
        symptom="nan",
        evidence=[position],
        because=question.op_name(op),
    )


def _nan_in_forward(
    question: Question,
    position: int,
    operands: str,
    target: int | None = None,
    grown: tuple[str, str] | None = None,
    *,
    includes_edge: bool = False,
) -> Finding:
    op, site = question.graph.ops[position], site_at(question.log, position)
    too = "with it" if question.is_named(op.outputs[0]) else "is not finite either"
    too = "" if target in op.outputs else f", and {what_is_not_finite(question, target)} {too}"
    told, smaller = huge_variable(question, position) or grown or ("", None)
    return finding_of(
        question,
        "nan_in_forward",
        site,
        f"{question.op_name(op)} at {words(site)} {_makes(question, position)}{too}.{operands}{told}",
        smaller or (edge_left_out(question, op) if includes_edge else None) or guarded(question, position),
        target,
        [position],
    )


def _makes(question: Question, position: int) -> str:
    """What an op makes infinite or NaN, and whether its inputs were sound."""
    op = question.graph.ops[position]
    sound = " from finite numbers" if all(is_finite(question.log.value(each, position)) for each in op.inputs) else ""
    if question.is_named(op.outputs[0]):
        return f"makes {question.name(op.outputs[0])} infinite or NaN{sound}"
    return f"gives infinity or NaN{sound}"


def _nan_from_unknown(question: Question, position: int) -> Finding:
    """NaN whose beginning the log does not hold: an op gave it, and not all is known of what that read."""
    name, site = question.op_name(question.graph.ops[position]), site_at(question.log, position)
    found = question.finding(
        "nan_in_forward",
        site,
        f"What {name} at {words(site)} gives is NaN, and so is the gradient of {question.source_name}. Whether {name} "
        "makes it, or has read it, is not known: some numbers that it read were not kept.",
        "Look at what it reads. A larger `max_bytes` keeps more; what is changed in place afterwards is lost.",
        severity="warning",
        symptom="nan",
        evidence=[position],
        because=name,
    )
    return replace(found, title=UNKNOWN_BEGINNING)


def _begins_above(question: Question, onset: Onset) -> Finding:
    """A step gives what is not finite, of a gradient that the log has no numbers of."""
    op, position = question.graph.ops[onset.step.op], onset.step.op
    name, site, is_shared = question.op_name(op), site_at(question.log, position), ranks_of(op) > 1
    origins = f"{name} makes it, or what came to it was so already,"
    if is_shared:
        origins = "another process brings it to the reduction there, or this one,"
    logs = "; the logs of all ranks together tell more: `tv.diagnose(tv.load(folder))`" if is_shared else ""
    found = question.finding(
        "nan_in_forward",
        site,
        f"The gradient of {question.source_name} is not finite where it comes through {name} at {words(site)}. Whether "
        f"{origins} is not known: those numbers were not kept.",
        f"A larger `max_bytes` keeps more of them{logs}.",
        severity="warning",
        symptom="nan",
        evidence=[position, onset.step.position],
        because=name,
    )
    return replace(found, title=UNKNOWN_BEGINNING)


def _domain_edge(question: Question, position: int, onset: Onset, operands: str, *, includes_edge: bool) -> Finding:
    op, site = question.graph.ops[position], site_at(question.log, position)
    return question.finding(
        "domain_edge",
        site,
        f"{question.op_name(op)} at {words(site)} is at the edge of its domain, where its derivative is infinite or "
        f"undefined: the gradient of {question.source_name} is not finite.{operands}",
        (edge_left_out(question, op) if includes_edge else None) or instead(question, position),
        symptom="nan",
        evidence=[position, onset.step.position],
        because=question.op_name(op),
    )
