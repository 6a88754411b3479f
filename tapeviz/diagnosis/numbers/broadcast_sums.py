"""A contribution that sums up over rows, as that of a broadcast operand -> whether the rows cancel.

A number that is added to every row gets the sum of the rows' gradients. Ahead of an op that takes the mean of the rows
away, such as a batch normalization, or that compares scores, as a softmax does, that sum is zero whatever the numbers
are, or what rounding leaves of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import (
    ADDITIVE,
    CHOICES,
    COPIES,
    NORMALIZATIONS,
    PRODUCTS,
    RESHAPING,
    SCALINGS,
    SOFTMAX_LOSSES,
    SOFTMAXES,
    VIEWS,
)
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import at
from tapeviz.graph import Graph
from tapeviz.replay import Contribution, Step
from tapeviz.source.places import site_at

ROUNDINGS = 32
"""What rounding leaves of a sum that cancels is no more than so many epsilons of the sum of its magnitudes."""

CHANNELS = 1
"""The axis of a convolution's result along which its bias lies."""


ATTENTION, KEY = "attention", 1
"""The op of attention in one, and the slot of its keys."""
PASSING = VIEWS | RESHAPING | COPIES | SCALINGS | PRODUCTS | ADDITIVE | CHOICES
"""What is the same of every row goes on through these as such, or as what is the same of every score."""
STEADY = (
    "Ahead of what takes a mean away, as a normalization does, or compares scores, as a softmax, they always do; "
    "otherwise it is at its best value."
)


class SummedRows(NamedTuple):
    """How many rows an operand was added to, and where their gradients cancel but for rounding."""

    number: int
    cancel: Any


def rows_of(call: GradientCall, step: Step, contribution: Contribution) -> SummedRows | None:
    """The rows that a contribution sums up; None if it is no such sum, or its numbers were not kept."""
    value, upstream = call.numbers.value(contribution.cotangent), call.numbers.value(step.upstream[0])
    if value is None or upstream is None or value.dtype.kind != "f" or not 0 < value.size < upstream.size:
        return None
    axes = _stretched(value.shape, upstream.shape, is_convolved=call.graph.ops[step.op].op == "conv")
    if axes is None:
        return None
    wide = np.asarray(upstream, np.float64)
    total, magnitude = (np.sum(each, axis=axes).reshape(value.shape) for each in (wide, np.abs(wide)))
    left = ROUNDINGS * np.finfo(value.dtype).eps * magnitude
    is_sum = (np.minimum(np.abs(value - total), np.abs(value + total)) <= left).all()
    return SummedRows(upstream.size // value.size, (magnitude > 0) & (np.abs(value) <= left)) if is_sum else None


def explanation(call: GradientCall, source: int) -> str:
    """That a gradient is the sum of rows that cancel, as sentences; empty where it is not."""
    contributions = [(step, each) for step in call.run.steps for each in step.contributions if each.tensor == source]
    rows = rows_of(call, *contributions[0]) if len(contributions) == 1 else None
    if rows is None or not rows.cancel.all():
        return ""
    cancel = f"the gradients of the {rows.number:,} rows that {name_of(call.graph, source)} is added to cancel"
    return f" It is zero but for rounding: {cancel}. {remedy(call, contributions[0][0].op)}"


def remedy(call: GradientCall, position: int) -> str:
    """What to do about a number that the op at a position adds to rows whose gradients cancel, as a sentence."""
    taking = _taking_away(call.graph, call.graph.ops[position].outputs[0])
    if taking is None:
        return STEADY
    op = call.graph.ops[taking]
    named = f"`{op.op}`{at(site_at(call.log, taking))}"
    if op.op in NORMALIZATIONS:
        return f"{named} takes the mean away, and with it what was added to every row: leave it out there."
    return f"{named} compares scores: what is added to all that it compares, as this is, has no effect. Leave it out."


def _taking_away(graph: Graph, tensor: int) -> int | None:
    """The position of the op that alone gets what is made of a tensor, and takes away what was added to every row."""
    while len(uses := graph.consumers(tensor)) == 1:
        [(position, slot)] = uses
        op = graph.ops[position]
        if op.op in NORMALIZATIONS | SOFTMAXES | SOFTMAX_LOSSES or (op.op, slot) == (ATTENTION, KEY):
            return position
        if op.op not in PASSING:
            return None
        tensor = op.outputs[0]
    return None


def _stretched(shape: tuple[int, ...], wide: tuple[int, ...], is_convolved: bool) -> tuple[int, ...] | None:
    """The axes of a wider shape along which an operand was stretched; None where it does not fit."""
    if is_convolved:
        fits = len(shape) == 1 and len(wide) > CHANNELS and wide[CHANNELS] == shape[0]
        return tuple(axis for axis in range(len(wide)) if axis != CHANNELS) if fits else None
    lead = len(wide) - len(shape)
    if lead < 0 or any(size not in (1, wide[lead + at]) for at, size in enumerate(shape)):
        return None
    return (*range(lead), *(lead + at for at, size in enumerate(shape) if size != wide[lead + at]))
