"""Question -> Finding: the derivative of an op that bends at one place is a step, which has none itself."""

from __future__ import annotations

import ast

from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.op_kinds import COMPARISONS, KINKED
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.source.lines import line_of
from tapeviz.diagnosis.wording.places import site_at, words


def step_of_a_kink(question: Question, position: int) -> Finding | None:
    """The path ends at a comparison that the user did not write: the derivative of a kinked op is made with it."""
    graph, op, taken = question.graph, question.graph.ops[position], site_at(question.log, position)
    nodes = (node for statement in line_of(taken) for node in ast.walk(statement))
    if op.op not in COMPARISONS or any(isinstance(each, ast.Compare) for each in nodes):
        return None
    kink = next((at for at, _ in graph.consumers(op.inputs[0]) if graph.ops[at].op in KINKED), None)
    if kink is None:
        return None
    site, called = site_at(question.log, kink), question.called(graph.ops[kink])
    others = [each for each in question.call.sources if each in question.call.reached]
    return question.finding(
        "constant_by_construction",
        site,
        f"The second derivative of {called} at {words(site)} is zero wherever there is one: its derivative, taken at "
        f"{words(taken)}, does not change with {question.source_name}, and {question.outcome}.",
        f"If that is meant, all is well. Otherwise use a smooth function in place of {called}, such as `tf.tanh` or "
        "`tf.math.softplus`.",
        severity="hint" if others else "error",
        evidence=[kink, position],
    )
