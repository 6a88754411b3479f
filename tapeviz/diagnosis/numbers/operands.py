"""An op that stops being finite -> the entry where it does, the numbers that met there, and whether that is a pole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers.run_numbers import Onset
from tapeviz.diagnosis.op_kinds import QUOTIENTS, may_have_pole
from tapeviz.events.summary import Summary, is_finite, oddities, summary_of
from tapeviz.graph import Op

VALUES = {"eigh": "eigenvalues", "svd": "singular values"}
"""The ops whose vectors have no derivative where two of their values are equal, and what those are called."""

WHOLE = frozenset({"cholesky", "inv", "solve", *VALUES})
"""Ops each entry of whose result depends on all that they read."""

NEAR = 1e-6
"""Two values that differ by less than this part of the largest are equal, but for rounding."""


def numbers_forward(call: GradientCall, position: int) -> str:
    """The operands of the first entry that an op's primal makes infinite or NaN, as a sentence; "" if not known.

    One that it makes so comes before one that it was given so.
    """
    op = call.graph.ops[position]
    out = call.numbers.value(op.outputs[0])
    if is_finite(out):
        return ""
    values = [call.numbers.value(each, position) for each in op.inputs]
    entry = _first(_made_so(out, values)) or _first(~np.isfinite(out))
    operands = [_at(each, entry, out.shape) for each in values]
    if 0 in call.log.tensors[op.inputs[0]].shape:
        return f" `{_op_name(call, op)}` reads no entries at all."
    known = [each for each in operands if each is not None]
    if len(known) < len(operands) or op.op in WHOLE:
        return ""
    return f" {_place(entry)}`{_op_name(call, op)}` of {' and '.join(known)} is {_number(out[entry])}."


def numbers_backward(call: GradientCall, onset: Onset) -> str:
    """The operands and the upstream gradient where a contribution is first infinite or NaN, as a sentence."""
    op = call.graph.ops[onset.step.op]
    equal = equal_values(call, op)
    if equal:
        return f" Two of its {VALUES[op.op]} are equal, {equal}: their vectors have no derivative."
    met = call.numbers.upstream_and_contribution(onset)
    entry = None if met is None else first_not_finite(met[1])
    if met is None or entry is None:
        return ""
    upstream, bad = met
    own = _at(call.numbers.value(op.inputs[onset.contribution.slot], onset.step.op), entry, bad.shape)
    g = _at(upstream, entry, bad.shape)
    if own is None:
        return ""
    begin = f" {_place(entry)}`{_op_name(call, op)}` reads {own}"
    if g is None:
        return f"{begin}, and the gradient becomes {_number(bad[entry])}."
    if float(g) == 0:
        return f"{begin}: the upstream gradient is 0 there, and zero times infinity is NaN."
    return f"{begin}: the upstream gradient {g} times its derivative is {_number(bad[entry])}."


def equal_values(call: GradientCall, op: Op) -> str:
    """Two eigenvalues or singular values of an op that are equal, or all but; "" if there are none."""
    known = [value for each in op.outputs if (value := call.numbers.value(each)) is not None] if op.op in VALUES else []
    values = np.sort(min(known, key=np.ndim), axis=-1) if known else np.empty(0)
    gaps = np.diff(values)
    if not gaps.size or gaps.min() > NEAR * np.abs(values).max():
        return ""
    *lead, at = np.unravel_index(int(gaps.argmin()), gaps.shape)
    return f"{_number(values[(*lead, at)])} and {_number(values[(*lead, at + 1)])}"


def _op_name(call: GradientCall, op: Op) -> str:
    return dialect_of(call.log).op(op.op)


def first_not_finite(array: Any) -> tuple[int, ...] | None:
    """The first entry of an array that is NaN or infinite; None where there is none, or no array."""
    return None if is_finite(array) else _first(~np.isfinite(array))


def _first(chosen: Any) -> Any:
    """The first entry that is chosen, None where none is."""
    return next((tuple(entry) for entry in np.argwhere(chosen).tolist()), None)


def _made_so(out: Any, values: Iterable[Any]) -> Any:
    """The entries that are not finite though all operands are there, or NaN though none is."""
    infinite = invalid = np.zeros(out.shape, bool)
    for each in values:
        if each is not None and each.dtype.kind in "fc" and _stretches(each, out):
            infinite, invalid = infinite | ~np.isfinite(each), invalid | np.isnan(each)
    return np.where(np.isnan(out), ~invalid, ~np.isfinite(out) & ~infinite)


def _stretches(value: Any, out: Any) -> bool:
    """Whether each entry of an operand meets that of the result at its place."""
    pairs = zip(value.shape[::-1], out.shape[::-1], strict=False)
    return value.ndim <= out.ndim and all(m in (1, n) for m, n in pairs)


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


def is_pole(call: GradientCall, position: int) -> bool:
    """Whether an infinite output comes of an input at 0 or ±1, where functions with an edge have their poles."""
    op = call.graph.ops[position]
    out = call.numbers.known(op.outputs[0])
    if out is None or "nan" in oddities(out) or op.op in QUOTIENTS or not may_have_pole(call.log, op):
        return False
    if isinstance(out, Summary):
        given = [summary_of(call.numbers.known(each, position)) for each in op.inputs]
        return any(each.zeros or {abs(each.min), abs(each.max)} & {0.0, 1.0} for each in given if each is not None)
    bad = ~np.isfinite(out)
    inputs = [call.numbers.value(each, position) for each in op.inputs]
    return any(
        np.isin(np.abs(each[bad] if each.shape == out.shape else each), (0.0, 1.0)).any()
        for each in inputs
        if each is not None and each.dtype.kind in "fc"
    )
