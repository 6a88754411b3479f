"""GradientCall -> Findings about gradients that are zero in every element.

A zero is no error by itself: a hinge that is met and a unit that is off have it by right. Only where the rule of an op
is zero whatever its input is it more than a hint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers import elements, hooks
from tapeviz.diagnosis.numbers.run_numbers import Onset
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.zero.cancel import cancelled
from tapeviz.diagnosis.zero.context import ZeroContext
from tapeviz.diagnosis.zero.reasons import OF_THE_SOURCE, REASONS, of_last_resort, without_derivative
from tapeviz.diagnosis.zero.verdicts import Verdict
from tapeviz.source.places import site_at


def all_zero(call: GradientCall, source: int) -> Finding | None:
    """The first op in program order at which a gradient becomes zero, if it is one of those that do it by nature.

    That an operand happens to be zero comes last: on another path the gradient may be lost for good.
    """
    contexts = list(_contexts(call, source))
    verdicts = [(context, verdict) for context in contexts if (verdict := _first_verdict(context)) is not None]
    for context, verdict in verdicts:
        if verdict.cause != "zero_factor":
            return _finding(context, verdict)
    found = cancelled(call, source)
    if found is not None or verdicts:
        found = _of_a_share(Question(call, source)) or found
    return found or next((_finding(*each) for each in verdicts), None)


def _of_a_share(question: Question) -> Finding | None:
    """What loses the gradient for good on one path, where on others it is zero for these numbers alone.

    That is a rule of the user's that gives zeros, and an op without a derivative.
    """
    call = question.call
    for onset in call.once("lost shares", lambda: _lost_shares(call)):
        if call.is_made_of(onset.contribution.tensor, question.source):
            context = ZeroContext(onset, question)
            if call.log.is_users(context.op):
                return _finding(context, of_last_resort(context))
            verdict = without_derivative(context)
            if verdict is not None:
                return _finding(context, verdict._replace(severity="warning"))
    return None


def _lost_shares(call: GradientCall) -> list[Onset]:
    """The steps that made zeros of gradients that were none, in program order."""
    is_zero = call.numbers.is_zero
    steps = [each for each in call.run.steps if not all(is_zero(up) for up in each.upstream if up is not None)]
    found = [Onset(step, part) for step in steps for part in step.contributions if is_zero(part.cotangent)]
    return sorted(found, key=lambda each: each.step.op)


def zero_here(call: GradientCall, source: int) -> Finding | None:
    """The same for an op that is zero for the numbers it reads, whatever it is."""
    return next((_finding(context, of_last_resort(context)) for context in _contexts(call, source)), None)


def _contexts(call: GradientCall, source: int) -> Iterator[ZeroContext]:
    """Where a gradient becomes zero, but in another gradient: the second derivative of a line is so by right.

    Where contributions add up to nothing it is no op that makes it so.
    """
    question = Question(call, source)
    for onset in call.numbers.onsets(source, "zero"):
        if not call.graph.is_backward(onset.step.op) and (not onset.is_of_total or hooks.is_hooks_doing(call, onset)):
            yield ZeroContext(onset, question)


def _first_verdict(context: ZeroContext) -> Verdict | None:
    """The first reason that fits; of those that fit an op for whatever source, this is found out once."""
    onset = context.onset
    key = ("fitting", onset.step.position, onset.contribution.slot, onset.is_of_total)
    fitting = context.call.once(key, lambda: _fitting(context))
    return next((verdict for reason in fitting if (verdict := reason(context)) is not None), None)


def _fitting(context: ZeroContext) -> list[Callable[[ZeroContext], Verdict | None]]:
    """The reasons that may fit a source whose gradient becomes zero there, up to the first that fits them all."""
    found: list[Callable[[ZeroContext], Verdict | None]] = []
    for reason in REASONS:
        if reason in OF_THE_SOURCE:
            found.append(reason)
        elif reason(context) is not None:
            return [*found, reason]
    return found


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
    return elements.explanation(call, source) if elements.are_for_several_reasons(call, source) else ""
