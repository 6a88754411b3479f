"""An op whose output is infinite -> whether that is a pole of its function, and not a number too large."""

from __future__ import annotations

import numpy as np

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.op_kinds import QUOTIENTS, may_have_pole
from tapeviz.events.summary import oddities


def is_pole(call: GradientCall, position: int) -> bool:
    """Whether an infinite output comes of an input at 0 or ±1, where functions with an edge have their poles."""
    op = call.graph.ops[position]
    out = call.numbers.value(op.outputs[0])
    if out is None or "nan" in oddities(out) or op.op in QUOTIENTS or not may_have_pole(call.log, op):
        return False
    bad = ~np.isfinite(out)
    inputs = [call.numbers.value(each, position) for each in op.inputs]
    return any(
        np.isin(np.abs(each[bad] if each.shape == out.shape else each), (0.0, 1.0)).any()
        for each in inputs
        if each is not None and each.dtype.kind in "fc"
    )
