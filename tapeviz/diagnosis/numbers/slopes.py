"""An op, a slot -> the elements where its derivative is surely not 0, so that a zero there is underflow."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import POWERS
from tapeviz.graph import Op


def has_slope(call: GradientCall, op: Op, slot: int) -> Any:
    """For the entries of a power's base whether its derivative is not zero; None where that is not known."""
    values = [call.numbers.value(each) for each in op.inputs]
    if op.op not in POWERS or slot != 0 or any(each is None or each.dtype.kind not in "fiu" for each in values):
        return None
    base, *exponents = values
    sloped = (base != 0) & np.isfinite(base)
    for each in exponents:
        if np.ndim(each):
            return None
        sloped = sloped & (each != 0)
    return sloped
