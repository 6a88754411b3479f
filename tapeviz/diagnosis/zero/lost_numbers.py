"""An operand that is zero everywhere -> the op that made it of numbers that are not.

They are too small, or divided by too large ones, multiplied by zero, cut off, or less themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers.operands import is_pole
from tapeviz.diagnosis.op_kinds import BOUNDED, CLIPS, COPIES, DIFFERENCES, POWERS, PRODUCTS, VIEWS
from tapeviz.diagnosis.paths.chains import Chains
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.advice import advice, largest
from tapeviz.diagnosis.zero.factors import first_zeros
from tapeviz.diagnosis.zero.verdicts import Verdict
from tapeviz.graph import Op

TOO_LATE = "Compute it in float32: to scale the loss up comes too late for what is zero already."
"""What to do where the values themselves are too small for float16."""

STOPS = frozenset({"stop_gradient"})
"""The copies that no gradient passes: a difference with one of them is zero, and its gradient is not."""

MEANS = frozenset({"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"})
"""Reductions that give the numbers they read, where they are over a single entry."""

OF_ITSELF = "Compare it with what differs from it: other numbers, or a mean over several entries."
"""What to do about a difference that is always zero."""

_MEET: dict[str, Callable[..., np.ndarray]] = {
    "mul": np.logical_and,
    "div": np.logical_and,
    **dict.fromkeys((*POWERS, "cast"), lambda base, *_: base.astype(bool)),
}
"""Op -> where its result is not zero, by where its operands are not."""


ON_FLAT_PART = "is on its flat part for every element of its input"
"""What is said of an op that meets its bound alone."""


def lost_at(question: Question, zeros: int) -> Verdict | None:
    """Why a tensor is zero in every element though it was made of numbers that are not."""
    call, graph = question.call, question.graph
    position = graph.producer(first_zeros(call, zeros))
    if position is None:
        return None
    op = graph.ops[position]
    too_large = divided_by_infinity(question, position)
    if too_large is not None:
        return too_large
    if question.log.tensors[op.outputs[0]].dtype == "float16" and _underflows(call, op, position):
        does = "makes zero of numbers that are not zero, but too small for float16"
        return Verdict("precision_underflow", does, "warning", TOO_LATE, at=position)
    return _times_zero(question, op, position) or _of_itself(question, op, position) or _cut_off(question, position)


def _times_zero(question: Question, op: Op, position: int) -> Verdict | None:
    """A product of numbers with a zero that is written out, or that a written number becomes in few bits."""
    rows, call = question.log.tensors, question.call
    written = [each for each in op.inputs[:2] if rows[each].role == "literal"]
    if op.op not in PRODUCTS or not written or any(_is_not_zero(call.numbers.value(each)) for each in written):
        return None
    dtype = rows[op.outputs[0]].dtype
    few = dtype == "float16"
    does = f"multiplies by a number that is zero{' in float16' if few else ''}"
    return Verdict("zero_factor", does, "hint", TOO_LATE if few else None, at=position)


def _of_itself(question: Question, op: Op, position: int) -> Verdict | None:
    """A difference of a tensor and the same one, or its mean over a single entry."""
    if op.op not in DIFFERENCES:
        return None
    unchanged = question.call.once("unchanged", lambda: Chains(lambda each: _same_numbers(question.call, each)))
    ends = {unchanged.end(each) for each in op.inputs[:2]}
    if len(ends) > 1:
        return None
    does = f"compares {question.name(ends.pop())} with itself, which leaves zeros"
    return Verdict("constant_by_construction", does, "hint", OF_ITSELF, at=position)


def _same_numbers(call: GradientCall, tensor: int) -> int | None:
    """What an op reads that gives its numbers as they are: a view, a mean over one entry, a division by 1."""
    made = call.graph.op_of(tensor)
    if made is None or made.op in STOPS:
        return None
    rows = call.log.tensors
    numbers = [each for each in made.inputs if rows[each].role != "literal"]
    is_one_entry = made.op in MEANS and prod(rows[made.inputs[0]].shape) == prod(rows[tensor].shape)
    factors = [call.numbers.value(each) for each in made.inputs if each not in numbers]
    by_one = made.op in ("mul", "div") and all(each is not None and (each == 1).all() for each in factors)
    passes = made.op in VIEWS | COPIES or is_one_entry or (by_one and made.inputs[0] == numbers[0])
    return numbers[0] if passes and len(numbers) == 1 else None


def _cut_off(question: Question, position: int) -> Verdict | None:
    """A bound, or the flat part of an activation, is zero."""
    op, call, rows = question.graph.ops[position], question.call, question.log.tensors
    numbers = [at for at, each in enumerate(op.inputs) if rows[each].role not in ("literal", "constant")]
    if op.op not in BOUNDED | CLIPS or len(numbers) != 1:
        return None
    value = call.numbers.value(op.inputs[numbers[0]], position)
    if value is None or not value.all():
        return None
    fix = "Scale the input, or move the bound, so that not all of it is cut off."
    return Verdict("saturation", ON_FLAT_PART, "hint", fix, at=position)


def _is_not_zero(value: Any) -> bool:
    return value is None or bool(value.any())


def _underflows(call: GradientCall, op: Op, position: int) -> bool:
    values = [call.numbers.value(each, position) for each in op.inputs]
    if op.op not in _MEET or not values or any(each is None for each in values):
        return False
    return bool(_MEET[op.op](*values).any())


def divided_by_infinity(question: Question, at: int) -> Verdict | None:
    """For a division by infinity: the op that first made that of finite numbers on the way to it."""
    call, graph = question.call, question.graph
    if graph.ops[at].op != "div" or not _is_infinite(call, graph.ops[at].inputs[1], at):
        return None
    back = call.once("first infinite", lambda: Chains(lambda each: _infinite_read(call, each)))
    divisor = back.end(graph.ops[at].inputs[1])
    position = graph.producer(divisor)
    if position is None or is_pole(call, position):
        return None
    dtype = question.log.tensors[divisor].dtype
    does = f"makes numbers beyond {largest(dtype)}, the largest {dtype}, and what is divided by them is zero"
    return Verdict("nan_in_forward", does, "warning", advice(question, graph.ops[position]), at=position)


def _infinite_read(call: GradientCall, tensor: int) -> int | None:
    """The first that is infinite of what the op reads which made a tensor."""
    made, at = call.graph.op_of(tensor), call.graph.producer(tensor)
    read = () if made is None or at is None else made.inputs
    return next((each for each in read if at is not None and _is_infinite(call, each, at)), None)


def _is_infinite(call: GradientCall, tensor: int, position: int) -> bool:
    value = call.numbers.value(tensor, position)
    return value is not None and value.dtype.kind == "f" and value.size > 0 and bool(np.isinf(value).any())
