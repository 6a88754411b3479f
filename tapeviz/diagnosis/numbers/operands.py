"""An op that stops being finite -> the entry where it does, and the numbers that met there."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.diagnosis.dialects import spoken_in
from tapeviz.diagnosis.numbers.sweep import Birth, Sweep
from tapeviz.events.summary import is_finite
from tapeviz.graph import Op

VALUES = {"eigh": "eigenvalues", "svd": "singular values"}
"""The ops whose vectors have no derivative where two of their values are equal, and what those are called."""

NEAR = 1e-6
"""Two values that differ by less than this part of the largest are equal, but for rounding."""


def met_forward(sweep: Sweep, position: int) -> str:
    """The operands of the first entry that an op's primal makes infinite or NaN, as a sentence; "" if not known."""
    op = sweep.call.graph.ops[position]
    out = sweep.value(op.outputs[0])
    entry = first_not_finite(out)
    if entry is None:
        return ""
    operands = [_at(sweep.value(each, position), entry, out.shape) for each in op.inputs]
    if 0 in sweep.call.log.tensors[op.inputs[0]].shape:
        return f" `{_called(sweep, op)}` reads no entries at all."
    known = [each for each in operands if each is not None]
    if len(known) < len(operands):
        return ""
    return f" {_place(entry)}`{_called(sweep, op)}` of {' and '.join(known)} is {_number(out[entry])}."


def met_backward(sweep: Sweep, born: Birth) -> str:
    """The operands and the upstream gradient where a contribution is first infinite or NaN, as a sentence."""
    op = sweep.call.graph.ops[born.step.op]
    equal = equal_values(sweep, op)
    if equal:
        return f" Two of its {VALUES[op.op]} are equal, {equal}: their vectors have no derivative."
    met = sweep.meeting(born)
    entry = None if met is None else first_not_finite(met[1])
    if met is None or entry is None:
        return ""
    upstream, bad = met
    own = _at(sweep.value(op.inputs[born.contribution.slot], born.step.op), entry, bad.shape)
    g = _at(upstream, entry, bad.shape)
    if own is None:
        return ""
    begin = f" {_place(entry)}`{_called(sweep, op)}` reads {own}"
    if g is None:
        return f"{begin}, and the gradient becomes {_number(bad[entry])}."
    if float(g) == 0:
        return f"{begin}: the upstream gradient is 0 there, and zero times infinity is NaN."
    return f"{begin}: the upstream gradient {g} times its derivative is {_number(bad[entry])}."


def equal_values(sweep: Sweep, op: Op) -> str:
    """Two eigenvalues or singular values of an op that are equal, or all but; "" if there are none."""
    known = [value for each in op.outputs if (value := sweep.value(each)) is not None] if op.op in VALUES else []
    values = np.sort(min(known, key=np.ndim), axis=-1) if known else np.empty(0)
    gaps = np.diff(values)
    if not gaps.size or gaps.min() > NEAR * np.abs(values).max():
        return ""
    *lead, at = np.unravel_index(int(gaps.argmin()), gaps.shape)
    return f"{_number(values[(*lead, at)])} and {_number(values[(*lead, at + 1)])}"


def _called(sweep: Sweep, op: Op) -> str:
    return spoken_in(sweep.call.log).op(op.op)


def first_not_finite(array: Any) -> tuple[int, ...] | None:
    """The first entry of an array that is NaN or infinite; None where there is none, or no array."""
    return None if is_finite(array) else tuple(np.argwhere(~np.isfinite(array))[0].tolist())


def _place(entry: tuple[int, ...]) -> str:
    return f"At entry {list(entry)}, " if entry else ""


def _at(value: Any, entry: tuple[int, ...], shape: tuple[int, ...]) -> str | None:
    """What one operand contributes to an entry; None where it is not known, or is not one number."""
    if value is None or value.dtype.kind not in "fiub":
        return None
    try:
        return _number(np.broadcast_to(value, shape)[entry])
    except ValueError:
        return None


def _number(value: Any) -> str:
    return f"{value:.4g}".replace("nan", "NaN").replace("inf", "infinity")
