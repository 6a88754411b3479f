"""Birth -> Finding: the program's own gradient function, or a hook, returned NaN or infinity."""

from __future__ import annotations

from collections.abc import Callable

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers import hooks
from tapeviz.diagnosis.numbers.run_numbers import Onset
from tapeviz.diagnosis.own_rules import gradient_function
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import Site
from tapeviz.source.places import site_at


def returned_non_finite(call: GradientCall, onset: Onset) -> Callable[[Question], Finding] | None:
    """The finding about a gradient that the program's own code made NaN or infinite; None if it did not."""
    if hooks.is_hooks_doing(call, onset):
        return lambda question: _by_a_hook(question, onset)
    if call.log.is_users(call.graph.ops[onset.step.op]):
        return lambda question: _by_a_gradient_function(question, onset)
    return None


def _by_a_hook(question: Question, onset: Onset) -> Finding:
    op, at = question.graph.ops[onset.step.op], site_at(question.log, onset.step.op)
    does, line = hooks.effect(question.call, onset, "NaN or infinity")
    return _finding(
        question,
        onset,
        f"{question.op_name(op)} at {words(at)} {does}",
        "Look at what the hook computes: it is handed the gradient, and what it returns goes on in its place.",
        at if line is None else line,
    )


def _by_a_gradient_function(question: Question, onset: Onset) -> Finding:
    op = question.graph.ops[onset.step.op]
    site = gradient_function(question.graph, question.call.texts, onset.step.op)
    whose = f"The gradient function of {question.op_name(op)}, which ends at {words(site)},"
    if site == site_at(question.log, onset.step.op):  # where it stands could not be told
        whose = f"The gradient function that the program gives {question.op_name(op)} at {words(site)}"
    return _finding(
        question,
        onset,
        f"{whose} returned NaN or infinity for {question.name(onset.contribution.tensor)}, though what came to it was "
        "finite",
        "Look at what the gradient function computes there, such as a division by zero: it has to return the upstream "
        "gradient times a finite derivative.",
        site,
    )


def _finding(question: Question, onset: Onset, message: str, fix: str, site: Site | None) -> Finding:
    return question.finding(
        "custom_gradient_bug",
        site,
        f"{message}: the gradient of {question.source_name} is not finite.",
        fix,
        symptom="nan",
        evidence=[onset.step.op, onset.step.position],
    )
