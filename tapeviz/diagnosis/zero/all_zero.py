"""GradientCall -> Findings about gradients that are zero in every element.

A zero is no error by itself: a hinge that is met and a unit that is off have it by right. Only where the rule of an op
is zero whatever its input is it more than a hint.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers import elements
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.zero.context import Met
from tapeviz.diagnosis.zero.reasons import REASONS, of_last_resort
from tapeviz.diagnosis.zero.verdicts import Why
from tapeviz.events import BackwardStarted
from tapeviz.source.places import site_at


def all_zero(call: GradientCall, source: int) -> Finding | None:
    """The first op in program order at which a gradient becomes zero, if it is one of those that do it by nature."""
    for met in _met(call, source):
        why = next((why for reason in REASONS if (why := reason(met)) is not None), None)
        if why is not None:
            return _finding(met, why)
    return None


def zero_here(call: GradientCall, source: int) -> Finding | None:
    """The same for an op that is zero for the numbers it reads, whatever it is."""
    return next((_finding(met, of_last_resort(met)) for met in _met(call, source)), None)


def _met(call: GradientCall, source: int) -> Iterator[Met]:
    """Where a gradient becomes zero, but in another gradient: the second derivative of a line is so by right."""
    question = Question(call, source)
    births = (birth for birth in call.numbers.births(source, "zero") if not _in_backward(call, birth.step.op))
    return (Met(birth, question) for birth in births)


def _finding(met: Met, why: Why) -> Finding:
    step, question = met.birth.step, met.question
    position = step.op if why.at is None else why.at
    site, op = site_at(question.log, position), question.graph.ops[position]
    return question.finding(
        why.cause,
        why.line or site,
        f"{question.called(op)} at {words(site)} {why.does}: the gradient of {question.target_name} "
        f"with respect to {question.source_name} is zero everywhere.{_each(met.call, question.source)}",
        why.fix,
        severity=why.severity,
        symptom="zero",
        evidence=[position, step.position],
        because=why.does,
    )


def _each(call: GradientCall, source: int) -> str:
    """The entries one by one, where they are zero for several reasons."""
    return elements.explanation(call, source) if len(elements.zero_entries(call, source)) > 1 else ""


def _in_backward(call: GradientCall, position: int) -> bool:
    """Whether an op ran as part of a gradient call."""
    calls = call.graph.marks
    before = bisect_left(calls, position) - 1
    return before >= 0 and isinstance(call.log.events[calls[before]], BackwardStarted)
