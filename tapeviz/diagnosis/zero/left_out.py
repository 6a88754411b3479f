"""An op that leaves out all that it is given -> what it does: a dropout, a mask, a choice, a write, a norm of one."""

from __future__ import annotations

import numpy as np

from tapeviz.diagnosis.zero.context import ZeroContext
from tapeviz.diagnosis.zero.verdicts import (
    OF_A_CHOICE,
    OF_A_DROPOUT,
    OF_A_MASK,
    OF_A_NORM,
    OF_A_PADDING,
    OF_NEW_NUMBERS,
    Verdict,
)

_DROPPING = ("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout")
_CHOOSING = {("where", 1): False, ("where", 2): True, ("mask", 0): False}
"""An op and the slot of an operand -> the truth of its condition where it does not take that."""
_FILLING = frozenset({"zero", "fill", "copy"})
"""Ops of PyTorch that give a whole tensor other numbers, in place."""
_WRITING = frozenset({"setitem", "tensor_scatter_nd_update", "dynamic_update_slice"})
"""Ops whose first operand passes on where they write nothing."""


def of_what_is_left_out(context: ZeroContext) -> Verdict | None:
    """A dropout, a mask, a choice or the row of a padding takes all that an op reads from the target."""
    attrs, read = dict(context.op.attrs), [context.call.numbers.value(each) for each in context.op.inputs]
    if context.op.op in _DROPPING and attrs.get("p") == 1.0:
        return Verdict("zero_derivative", "drops every element of its input, at a rate of 1", "hint", OF_A_DROPOUT)
    if context.op.op == "masked_fill" and context.slot == 0 and read[1] is not None and read[1].all():
        return Verdict("zero_derivative", "fills every element of its input", "hint", OF_A_MASK)
    padding = attrs.get("padding_idx")
    if padding is not None and context.slot == 0 and read[1] is not None and (read[1] == padding).all():
        does = f"reads the row of `padding_idx`, {padding}, alone, which gets no gradient"
        return Verdict("zero_derivative", does, "hint", OF_A_PADDING)
    return _of_a_write(context) or _of_a_norm(context) or _of_a_choice(context, read)


def _of_a_write(context: ZeroContext) -> Verdict | None:
    """What a tensor held is written over, with numbers that were not made of it."""
    is_filled = context.op.op in _FILLING and dict(context.op.attrs).get("in_place") is True
    if context.slot != 0 or not (is_filled or context.op.op in _WRITING):
        return None
    if is_filled:
        return Verdict("inplace_modification", "overwrites every element of its input", "warning", OF_NEW_NUMBERS)
    does = "overwrites every element of its input that the target changes with"
    return Verdict("unused_source", does, "hint", OF_NEW_NUMBERS)


def _of_a_choice(context: ZeroContext, read: list[np.ndarray | None]) -> Verdict | None:
    elsewhere = _CHOOSING.get((context.op.op, context.slot))
    condition = None if elsewhere is None else read[1 if context.op.op == "mask" else 0]
    if condition is None or condition.dtype.kind != "b" or not (condition == elsewhere).all():
        return None
    if context.op.op == "mask":
        return Verdict("zero_derivative", "drops every element of its input", "hint", OF_A_MASK)
    return Verdict("zero_derivative", "takes the other operand at every entry", "hint", OF_A_CHOICE)


def _of_a_norm(context: ZeroContext) -> Verdict | None:
    """A normalization over a single number takes that number from itself."""
    shape = dict(context.op.attrs).get("normalized_shape")
    is_single = isinstance(shape, tuple) and all(each == 1 for each in shape)
    if context.op.op != "layer_norm" or context.slot != 0 or not is_single:
        return None
    does = "runs over a single number, from which it takes that number itself"
    return Verdict("constant_by_construction", does, "hint", OF_A_NORM)
