"""How a rule is off -> the same in words: a factor, a sign, a transpose, a tensor that is missing, inputs swapped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeviz.diagnosis.numbers.slips import Array, Slip, alike, alike_in, constant
from tapeviz.phrases import counted


class RuleInput(NamedTuple):
    """What is known of one input of a function: its name, its numbers, and how its gradient is off."""

    slot: int
    name: str
    off: Slip
    rule: Array
    witness: Array


def share_of(ratio: Array, other: Array, within: float) -> complex | None:
    """The number that what is missing is of another array, entry by entry; None if that is the same everywhere."""
    if constant(other, within) is not None:
        return None
    with np.errstate(all="ignore"):
        return constant(np.where(other != 0, ratio / other, np.nan), within)


def swapped(inputs: Sequence[RuleInput], within: float) -> str | None:
    """Where two inputs have each other's gradient."""
    if len(inputs) != 2 or any(each.off.factor is not None for each in inputs):
        return None
    for one in inputs:
        for other in inputs:
            crossed = alike(one.rule, other.witness, within) and alike(other.rule, one.witness, within)
            if one.slot < other.slot and crossed:
                return f"{one.name} gets the gradient of {other.name}, and {other.name} that of {one.name}"
    return None


def off_by(about: RuleInput, known: Sequence[tuple[str, Array]], within: float) -> str:
    """What is wrong with the gradient of one input; `known` are tensors, by name, that may be what is missing."""
    off, name = about.off, about.name
    if off.kind == "conjugate":
        how = f"what it gives for {name} is the conjugate of it"
    elif off.kind == "transposed":
        how = f"what it gives for {name} is its transpose"
    elif off.kind == "unwanted":
        how = f"the derivative is zero in all entries, and what it gives for {name} is not"
    elif off.kind == "entrywise":
        how = f"what it gives for {name} is zero where its upstream gradient is zero, as if each entry were by itself"
    elif off.factor is not None:
        how = _by_factor(name, off.factor, within)
    else:
        how = (
            _by_zeros(about, within)
            or _by_array(about, known, within)
            or _by_term(about, known, within)
            or f"what it gives for {name} is not it"
        )
    where = f"at [{', '.join(map(str, off.index))}] it" if off.index else "it"
    return f"{how} ({where} gives {_number(off.gave)} where {_number(off.due)} is due)"


def _by_factor(name: str, factor: complex, within: float) -> str:
    near, about = max(1e-3, within / 2), "about " if within > 0.15 else ""
    inverse = (1 / factor).real
    if abs(factor + 1) < near:
        return f"what it gives for {name} has the opposite sign"
    if not factor.imag and inverse > 1 + near and abs(inverse - round(inverse)) < near * inverse:
        return f"what it gives for {name} is {about}1/{round(inverse)} of it"
    return f"what it gives for {name} is {about}{_number(factor)} times it"


def _by_array(about: RuleInput, known: Sequence[tuple[str, Array]], within: float) -> str | None:
    """Where what is missing, or too much, is a tensor that the function reads or gives."""
    for name, value in known:
        if value.shape != about.rule.shape or value.size < 2 or value.dtype.kind not in "fc":
            continue
        for ratio, says in ((about.off.ratio, "is missing"), (1 / about.off.ratio, "is too much")):
            share = share_of(ratio, value, within)
            if share is not None:
                times = "" if abs(share - 1) < 2 * within else f"{_number(share)} times "
                return f"in what it gives for {about.name} a factor of {times}{name} {says}"
    return None


def _by_zeros(about: RuleInput, within: float) -> str | None:
    """Where all entries that are off are zeros."""
    right = alike_in(about.rule, about.witness, within)
    off = ~right & (np.abs(about.witness) > within * float(np.abs(about.witness).mean()))
    if about.rule[off].any() or not off.any():
        return None
    if not about.rule.any():
        return f"what it gives for {about.name} is zero, as if that were detached"
    return f"what it gives for {about.name} is zero at {counted(int(off.sum()), 'entry')}, as behind a mask"


def _by_term(about: RuleInput, known: Sequence[tuple[str, Array]], within: float) -> str | None:
    """Where what is due is the sum of what is given and of a term: a tensor, or one number for each row."""
    missing = about.witness - about.rule
    for name, value in known:
        if value.shape == missing.shape and value.size > 1 and value.dtype.kind in "fc":
            with np.errstate(all="ignore"):
                share = constant(np.where(value != 0, missing / value, np.nan), within)
            if share is not None:
                return f"in what it gives for {about.name} a term of {_number(share)} times {name} is missing"
    first = np.broadcast_to(missing[..., :1], missing.shape)
    if missing.ndim > 1 and missing.shape[-1] > 1 and alike(missing, first, within):
        return f"in what it gives for {about.name} a term is missing that is the same along the last axis"
    return None


def _number(value: Any) -> str:
    number = complex(value)
    return f"{number.real:.4g}" if not number.imag else f"{number.real:.4g}{number.imag:+.4g}j"
