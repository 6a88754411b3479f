"""A zero in a gradient -> whether underflow made it: the upstream was too small, or the derivative is surely not 0."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import POWERS, QUOTIENT_SLOTS
from tapeviz.graph import Op
from tapeviz.replay import Step

WIDE = (np.dtype(np.float32), np.dtype(np.float64))
"""The types whose least numbers no single step comes near: what is there has shrunk over many."""


def has_underflown(call: GradientCall, step: Step) -> bool:
    """Whether all that arrives at a step lies within the last digits above the least number of its type."""

    def find() -> bool:
        arrived = [call.numbers.value(each) for each in step.upstream if each is not None]
        return bool(arrived) and all(
            each is not None and each.dtype in WIDE and each.size > 0 and np.abs(each).max() < _limit(each.dtype)
            for each in arrived
        )

    return call.once(("underflown", step.position), find)


@cache
def _limit(dtype: np.dtype[np.floating]) -> float:
    known = np.finfo(dtype)
    return float(known.tiny) / float(known.eps)


def has_slope(call: GradientCall, op: Op, slot: int) -> Any:
    """For the entries of a power's base, or of a quotient, whether its derivative is not zero; None if not known."""
    values = [call.numbers.value(each) for each in op.inputs]
    if any(each is None or each.dtype.kind not in "fiu" for each in values):
        return None
    if op.op in QUOTIENT_SLOTS:
        above, below = (values[each] for each in QUOTIENT_SLOTS[op.op])
        is_finite = np.isfinite(above) & np.isfinite(below)
        return is_finite if slot == QUOTIENT_SLOTS[op.op][0] else is_finite & (above != 0)
    if op.op not in POWERS or slot != 0:
        return None
    base, *exponents = values
    sloped = (base != 0) & np.isfinite(base)
    for each in exponents:
        if np.ndim(each):
            return None
        sloped = sloped & (each != 0)
    return sloped
