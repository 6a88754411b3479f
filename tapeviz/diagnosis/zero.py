"""Run -> Findings about gradients that are zero in every element.

A zero is no error by itself: a hinge that is met and a unit that is off have it by right. Only where the rule of an op
is zero whatever its input is it more than a hint.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tapeviz.diagnosis import factors
from tapeviz.diagnosis.cancel import OF_A_SUM, is_read_as_sum
from tapeviz.diagnosis.custom import is_users
from tapeviz.diagnosis.finding import Finding, Severity
from tapeviz.diagnosis.numbers import elements
from tapeviz.diagnosis.numbers.operands import VALUES, equal_values
from tapeviz.diagnosis.numbers.sweep import Birth, Sweep
from tapeviz.diagnosis.op_kinds import BOUNDED, EXTREMES, PRODUCTS, RECTIFIERS, SCALINGS, SOFTMAX_LOSSES, SOFTMAXES
from tapeviz.diagnosis.outside import stray
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.places import site_at, words
from tapeviz.diagnosis.wording.safe import apart
from tapeviz.diagnosis.wording.smooth import passed_through, smooth
from tapeviz.events import BackwardStarted
from tapeviz.graph import Op

OFF = "is off for every element of its input"
"""What a rectifier does that gives zeros alone, and passes no gradient."""

ONE_LOGIT = (
    "One unit wants the cross-entropy of a sigmoid, `tf.nn.sigmoid_cross_entropy_with_logits`; that of a softmax wants "
    "one unit per class."
)
"""What to write in place of a cross-entropy over a single unit."""


class Why(NamedTuple):
    """What makes a gradient zero: what the op does, how sure that is, and a cure, if not the cause's general one.

    `at` is the op, if not the one of the birth.
    """

    cause: str
    does: str
    severity: Severity
    fix: str | None = None
    at: int | None = None


HERE = Why("zero_derivative", "passes nothing on, for the numbers that it meets", "hint")
"""What is left to say of a zero that none of the rules explains."""

OWN = Why(
    "zero_derivative",
    "passes nothing on, because the gradient function that the program gives it returns zeros",
    "hint",
    "If it is to hold the gradient back, all is well. Otherwise let its gradient function return `upstream * "
    "derivative` for each input.",
)
"""The same, of an op that has a gradient function of the user's own."""


OF_NO_ROWS = (
    "If no row was to be picked, as for an expert that none chose, all is well. Otherwise look at what picks the rows."
)
"""What to do about an op that met no rows."""


def all_zero(sweep: Sweep, source: int) -> Finding | None:
    """The first op in program order at which a gradient becomes zero, if it is one of those that do it by nature."""
    question = Question(sweep.call, source)
    for birth in _births(sweep, source):
        why = _explanation(sweep, birth, question)
        if why is not None:
            return _finding(sweep, birth, question, why)
    return None


def zero_here(sweep: Sweep, source: int) -> Finding | None:
    """The same for an op that is zero for the numbers it reads, whatever it is."""
    question = Question(sweep.call, source)
    for birth in _births(sweep, source):
        op = sweep.call.graph.ops[birth.step.op]
        if is_users(sweep.call.log, op):
            return _finding(sweep, birth, question, OWN)
        zeros = factors.zero_operands(sweep, op, birth.step.op, birth.contribution.slot)
        why = _by_zeros(sweep, question, zeros[0], "reads", "an operand") if zeros else HERE
        return _finding(sweep, birth, question, why)
    return None


def _births(sweep: Sweep, source: int) -> Iterator[Birth]:
    """Where a gradient becomes zero, but in another gradient: the second derivative of a line is so by right."""
    return (birth for birth in sweep.births(source, "zero") if not _in_backward(sweep, birth.step.op))


def _finding(sweep: Sweep, birth: Birth, question: Question, why: Why) -> Finding:
    position = birth.step.op if why.at is None else why.at
    site, op = site_at(question.log, position), question.graph.ops[position]
    return question.finding(
        why.cause,
        site,
        f"{question.called(op)} at {words(site)} {why.does}: the gradient of {question.target_name} "
        f"with respect to {question.source_name} is zero everywhere.{_each(sweep, question.source)}",
        why.fix,
        severity=why.severity,
        symptom="zero",
        evidence=[position, birth.step.position],
    )


def _each(sweep: Sweep, source: int) -> str:
    """The entries one by one, where they are zero for several reasons."""
    return elements.told(sweep, source) if len(elements.zero_entries(sweep, source)) > 1 else ""


def _in_backward(sweep: Sweep, position: int) -> bool:
    """Whether an op ran as part of a gradient call."""
    calls = sweep.call.marks
    before = bisect_left(calls, position) - 1
    return before >= 0 and isinstance(sweep.call.log.events[calls[before]], BackwardStarted)


def _explanation(sweep: Sweep, birth: Birth, question: Question) -> Why | None:
    """Why the op of a birth makes a gradient zero; None where that is none of the reasons that are known."""
    op = sweep.call.graph.ops[birth.step.op]
    slot = birth.contribution.slot
    row = sweep.call.log.row(op.op)
    argument = None if row is None else row.argument(slot)
    empty = next((shape for each in op.outputs if 0 in (shape := sweep.call.log.tensors[each].shape)), None)
    if empty is not None:
        return Why("zero_derivative", f"has an empty result, of shape {empty}", "hint", OF_NO_ROWS)
    outside = stray(sweep, birth.step.op)
    if outside is not None:
        return Why("zero_derivative", outside.told(question, op.inputs[0]), "warning", outside.fix)
    if row is not None and argument is not None and row.vjps.get(argument) in ("0", None):
        return Why("nondifferentiable_op", "has derivative zero whatever its input is", "error", smooth(question, op))
    if op.op in SOFTMAXES | SOFTMAX_LOSSES and _is_single(sweep, op, slot):
        fix = ONE_LOGIT if op.op in SOFTMAX_LOSSES else None
        return Why("constant_by_construction", "is over a single unit, whose share is always 1", "error", fix)
    if is_read_as_sum(sweep, birth.step):
        return Why("constant_by_construction", "is read as a sum, which is always 1", "warning", OF_A_SUM)
    rest = [each for at, each in enumerate(op.inputs[:2]) if at != slot]
    others = [sweep.value(each, birth.step.op) for each in rest]
    free = question.source not in sweep.call.ancestors_of(rest)
    if op.op in PRODUCTS and slot < 2 and free and any(each is not None and not each.any() for each in others):
        off = factors.switched_off(sweep, rest[0])
        if off is not None:
            return Why("dead_activation", OFF, "hint", at=off)
        return _by_zeros(sweep, question, rest[0], "multiplies by", "a factor")
    if _underflows(sweep, birth, others):
        does = "multiplies factors" if op.op in PRODUCTS | {"square"} else "makes zero of numbers"
        return Why("precision_underflow", f"{does} that are not zero, but too small for float16", "warning")
    if op.op in RECTIFIERS or (op.op == "maximum" and _are_zero(others)):
        return Why("dead_activation", OFF, "hint")
    if op.op in BOUNDED or (op.op in EXTREMES and _is_bound(sweep, birth)):
        fix = f"Scale the input, or {passed_through(question, op, slot)}."
        return Why("saturation", "is on its flat part for every element of its input", "hint", fix)
    equal = equal_values(sweep, op)
    if equal:
        does = f"leaves out the derivative of vectors whose {VALUES[op.op]} are equal, as {equal} are"
        return Why("zero_derivative", does, "hint", apart(question, op))
    return None


def _by_zeros(sweep: Sweep, question: Question, zeros: int, does: str, kind: str) -> Why:
    """An operand of some kind is zero: by design perhaps, if it is about to learn."""
    learner = factors.learner(sweep, zeros)
    fix = None
    if learner is not None:
        fix = (
            f"If that is how it starts, leave it so: {question.name(learner)} has a gradient, and once it is updated, "
            f"{question.source_name} gets one. Otherwise start from values that are not all zero."
        )
    return Why("zero_factor", f"{does} {factors.called(question, sweep, zeros, kind)}", "hint", fix)


def _is_single(sweep: Sweep, op: Op, slot: int) -> bool:
    """Whether an op that shares 1 out among the units of an axis of an operand has but one of them there."""
    shape = sweep.call.log.tensors[op.inputs[slot]].shape
    axis = dict(op.attrs).get("axis", min(1, len(shape) - 1) if op.op == "cross_entropy" else -1)
    return bool(shape) and isinstance(axis, int) and shape[axis] == 1


def _underflows(sweep: Sweep, birth: Birth, others: list[np.ndarray | None]) -> bool:
    """Whether a linear op or a product made zeros in float16 of factors that are not zero."""
    dtype = sweep.call.log.tensors[birth.contribution.cotangent].dtype
    op = sweep.call.graph.ops[birth.step.op]
    factors = [each for each in others if each is not None]
    return dtype == "float16" and op.op in PRODUCTS | SCALINGS and all(each.any() for each in factors)


def _are_zero(values: list[np.ndarray | None]) -> bool:
    return all(each is not None and each.ndim == 0 and not each.any() for each in values)


def _is_bound(sweep: Sweep, birth: Birth) -> bool:
    """Whether the other operand of a maximum or minimum is a fixed number."""
    op = sweep.call.graph.ops[birth.step.op]
    others = [each for at, each in enumerate(op.inputs) if at != birth.contribution.slot]
    return all(sweep.call.log.tensors[each].role in ("literal", "constant") for each in others)
