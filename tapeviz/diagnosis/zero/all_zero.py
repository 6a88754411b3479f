"""GradientCall -> Findings about gradients that are zero in every element.

A zero is no error by itself: a hinge that is met and a unit that is off have it by right. Only where the rule of an op
is zero whatever its input is it more than a hint.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers import elements, hooks
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.zero.cancel import cancelled
from tapeviz.diagnosis.zero.context import ZeroContext
from tapeviz.diagnosis.zero.reasons import first_verdict, of_last_resort
from tapeviz.diagnosis.zero.verdicts import Verdict
from tapeviz.events import BackwardStarted
from tapeviz.source.places import site_at


def all_zero(call: GradientCall, source: int) -> Finding | None:
    """The first op in program order at which a gradient becomes zero, if it is one of those that do it by nature.

    That an operand happens to be zero comes last: on another path the gradient may be lost for good.
    """
    verdicts = [
        (context, verdict) for context in _contexts(call, source) if (verdict := first_verdict(context)) is not None
    ]
    for context, verdict in verdicts:
        if verdict.cause != "zero_factor":
            return _finding(context, verdict)
    return cancelled(call, source) or next((_finding(*each) for each in verdicts), None)


def zero_here(call: GradientCall, source: int) -> Finding | None:
    """The same for an op that is zero for the numbers it reads, whatever it is."""
    return next((_finding(context, of_last_resort(context)) for context in _contexts(call, source)), None)


def _contexts(call: GradientCall, source: int) -> Iterator[ZeroContext]:
    """Where a gradient becomes zero, but in another gradient: the second derivative of a line is so by right.

    Where contributions add up to nothing it is no op that makes it so.
    """
    question = Question(call, source)
    for onset in call.numbers.onsets(source, "zero"):
        if not _in_backward(call, onset.step.op) and (not onset.is_of_total or hooks.is_hooks_doing(call, onset)):
            yield ZeroContext(onset, question)


def _finding(context: ZeroContext, verdict: Verdict) -> Finding:
    step, question = context.onset.step, context.question
    position = step.op if verdict.at is None else verdict.at
    site, op = site_at(question.log, position), question.graph.ops[position]
    return question.finding(
        verdict.cause,
        verdict.line or site,
        f"{question.op_name(op)} at {words(site)} {verdict.does}: the gradient of {question.target_name} "
        f"with respect to {question.source_name} is zero everywhere.{_each(context.call, question.source)}",
        verdict.fix,
        severity=verdict.severity,
        symptom="zero",
        evidence=[position, step.position],
        because=verdict.does,
    )


def _each(call: GradientCall, source: int) -> str:
    """The entries one by one, where they are zero for several reasons."""
    return elements.explanation(call, source) if len(elements.zero_entries(call, source)) > 1 else ""


def _in_backward(call: GradientCall, position: int) -> bool:
    """Whether an op ran as part of a gradient call."""
    calls = call.graph.marks
    before = bisect_left(calls, position) - 1
    return before >= 0 and isinstance(call.log.events[calls[before]], BackwardStarted)
