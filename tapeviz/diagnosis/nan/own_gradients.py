"""Birth -> Finding: the program's own gradient function, or a hook, returned NaN or infinity."""

from __future__ import annotations

from collections.abc import Callable

from tapeviz.diagnosis.custom import gradient_function
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers import hooks
from tapeviz.diagnosis.numbers.run_numbers import Birth
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import Site
from tapeviz.source.places import site_at


def returned_so(call: GradientCall, born: Birth) -> Callable[[Question], Finding] | None:
    """The finding about a gradient that the program's own code made NaN or infinite; None if it did not."""
    if hooks.is_spoilt(call, born, "nan"):
        return lambda question: _by_a_hook(question, born)
    if call.log.is_users(call.graph.ops[born.step.op]):
        return lambda question: _by_a_gradient_function(question, born)
    return None


def _by_a_hook(question: Question, born: Birth) -> Finding:
    op, at = question.graph.ops[born.step.op], site_at(question.log, born.step.op)
    does, line = hooks.effect(question.call, born, "NaN or infinity")
    return _finding(
        question,
        born,
        f"{question.called(op)} at {words(at)} {does}",
        "Look at what the hook computes: it is handed the gradient, and what it returns goes on in its place.",
        at if line is None else line,
    )


def _by_a_gradient_function(question: Question, born: Birth) -> Finding:
    op = question.graph.ops[born.step.op]
    site = gradient_function(question.graph, question.call.texts, born.step.op)
    whose = f"The gradient function of {question.called(op)}, which ends at {words(site)},"
    if site == site_at(question.log, born.step.op):  # where it stands could not be told
        whose = f"The gradient function that the program gives {question.called(op)} at {words(site)}"
    return _finding(
        question,
        born,
        f"{whose} returned NaN or infinity for {question.name(born.contribution.tensor)}, though what came to it was "
        "finite",
        "Look at what the gradient function computes there, such as a division by zero: it has to return the upstream "
        "gradient times a finite derivative.",
        site,
    )


def _finding(question: Question, born: Birth, told: str, fix: str, site: Site | None) -> Finding:
    return question.finding(
        "custom_gradient_bug",
        site,
        f"{told}: the gradient of {question.source_name} is not finite.",
        fix,
        symptom="nan",
        evidence=[born.step.op, born.step.position],
    )
