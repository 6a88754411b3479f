"""An operand that is zero everywhere -> the op that lost its numbers, too small or divided by too large ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers.operands import is_pole
from tapeviz.diagnosis.op_kinds import POWERS
from tapeviz.diagnosis.paths.chains import Chains
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.advice import advice, largest
from tapeviz.diagnosis.zero.factors import first_zeros
from tapeviz.diagnosis.zero.verdicts import Verdict
from tapeviz.graph import Op

TOO_LATE = "Compute it in float32: to scale the loss up comes too late for what is zero already."
"""What to do where the values themselves are too small for float16."""

_MEET: dict[str, Callable[..., np.ndarray]] = {
    "mul": np.logical_and,
    "div": np.logical_and,
    **dict.fromkeys((*POWERS, "cast"), lambda base, *_: base.astype(bool)),
}
"""Op -> where its result is not zero, by where its operands are not."""


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
    return None


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
