"""What a rule gave, and the gradient that is due -> how the one differs from the other, in one word where there is one.

Entries are compared where both are finite and not zero, and where the gradient that is due is sure: at a kink, a tie or
a cancellation it is another at inputs a few roundings away. A few entries that differ prove nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

Array: TypeAlias = "np.ndarray[Any, Any]"
Kind: TypeAlias = Literal["factor", "conjugate", "transposed", "varying", "unwanted", "entrywise"]

DOUBLE, HALF = 2.0**-52, 2.0**-10
EPSILONS = {"float64": DOUBLE, "complex128": DOUBLE, "float16": HALF, "complex32": HALF, "bfloat16": 2.0**-7}
SINGLE = 2.0**-23
"""The distance of 1 to the next number in each dtype, and in all others."""

MOSTLY = 0.9
"""The part of the entries that must differ."""
SURELY = 0.25
"""The part of the entries with a gradient that must be sure."""
SOME = 0.1
"""The share of entries that another draw changes, at least."""
SURELY_ROUNDED = 0.01
"""The tolerance up to which what is left of terms that cancel is told from what is due."""
AT_LEAST = 0.02
"""By how much a rule must be off as a whole where it is not off by a factor: it may be an approximation."""


@dataclass(frozen=True)
class Slip:
    """How a rule is off, with an entry that shows it; `factor` is what it gave over what is due, if that is one number.

    `index` is () for a scalar. `ratio` is what is due over what it gave, NaN where that is not sure.
    """

    kind: Kind
    factor: complex | None
    index: tuple[int, ...]
    gave: Any
    due: Any
    ratio: Array
    count: int


def epsilon(dtype: str) -> float:
    """The distance of 1 to the next number in a dtype.

    >>> epsilon("bfloat16")
    0.0078125
    """
    return EPSILONS.get(dtype, SINGLE)


def tolerance(narrowest: str) -> float:
    """How far two numbers may be apart that are computed otherwise in a dtype: half of its digits are not looked at.

    >>> tolerance("float32") < 2e-3 < tolerance("float16") < 0.1 < tolerance("bfloat16") < 0.3
    True
    """
    return 3 * float(np.sqrt(epsilon(narrowest)))


def slip(rule: Array, witness: Array, nearby: Array, narrowest: str) -> Slip | None:
    """How a rule is off; None where it is not, or where that is not sure.

    >>> due = np.array([2.0, 4.0, 6.0])
    >>> slip(due / 2, due, due, "float64").factor, slip(due * 1.0000001, due, due, "float32")
    ((0.5+0j), None)
    """
    if rule.shape != witness.shape or rule.shape != nearby.shape or not rule.size:
        return None
    rule, witness, nearby = (each.astype(_wide(rule, witness)) for each in (rule, witness, nearby))
    within = tolerance(narrowest)
    with np.errstate(all="ignore"):
        if _cancels(rule, witness, nearby, within):
            index = _index(np.abs(rule))
            return Slip("unwanted", None, index, rule[index], 0.0, np.full(rule.shape, np.nan), rule.size)
        sure = _sure(rule, witness, nearby, within, epsilon(narrowest))
        differs = sure & (np.abs(rule - witness) > 2 * within * np.maximum(np.abs(rule), np.abs(witness)))
        some, many = np.count_nonzero((rule != 0) | (witness != 0)), np.count_nonzero(sure)
        is_turned = differs.any() and _is_square(rule) and alike(rule.T, witness, within)
        if many < SURELY * some or not differs.any() or (np.count_nonzero(differs) < MOSTLY * many and not is_turned):
            return None
        ratio = np.where(sure, witness / rule, np.nan)
        kind, factor = ("transposed", None) if is_turned else _kind(rule, witness, sure, within)
        if kind == "varying" and is_near(rule[sure], witness[sure]):
            return None
    index = _index(np.where(differs, np.abs(witness), 0))
    return Slip(kind, factor, index, rule[index], witness[index], ratio, int(np.count_nonzero(sure)))


def entrywise(rule: Array, witness: Array, nearby: Array, upstream: Array, narrowest: str) -> Slip | None:
    """How a rule is off that gives nothing where the upstream gradient is zero, as if no entry had a part in another.

    >>> due, upstream = np.array([2.0, -1.0, -1.0]), np.array([1.0, 0.0, 0.0])
    >>> entrywise(due * upstream, due, due, upstream, "float64").index, entrywise(due, due, due, upstream, "float64")
    ((1,), None)
    """
    if len({each.shape for each in (rule, witness, nearby, upstream)}) > 1:
        return None
    within = tolerance(narrowest)
    sizes = np.abs(np.where(np.isfinite(witness), witness, 0))
    sure = np.isfinite(nearby) & (sizes > within * sizes.max(initial=0)) & alike_in(witness, nearby, within)
    idle = upstream == 0
    off = sure & idle & (rule == 0)
    if not off.any() or rule[idle].any() or not rule.any():
        return None
    index = _index(np.where(off, sizes, 0))
    ratio = np.full(rule.shape, np.nan)
    return Slip("entrywise", None, index, rule[index], witness[index], ratio, int(np.count_nonzero(off)))


def masked(rule: Array, witness: Array, nearby: Array, narrowest: str) -> tuple[Slip | None, bool]:
    """How some entries of a rule are off, zeros included, if any surely are; and whether any is that is not sure.

    >>> due = np.array([2.0, 4.0, 6.0])
    >>> masked(due * [1, 0, 1], due, due, "float64")[0].index, masked(due * [1, 0, 1], due, -due, "float64")
    ((1,), (None, True))
    """
    if rule.shape != witness.shape or rule.shape != nearby.shape or not rule.size:
        return None, False
    rule, witness, nearby = (each.astype(_wide(rule, witness)) for each in (rule, witness, nearby))
    within = tolerance(narrowest)
    with np.errstate(all="ignore"):
        finite = np.isfinite(rule) & np.isfinite(witness)
        least = within * float(np.abs(witness[finite]).mean()) if finite.any() else 0.0
        differs = finite & (np.abs(rule - witness) > 2 * within * np.maximum(np.abs(rule), np.abs(witness)) + least)
        sure = np.abs(witness - nearby) <= within * np.abs(witness) + least
        ratio = np.where(sure & (rule != 0), witness / rule, np.nan)
    off = differs & sure
    if not off.any():
        return None, bool(differs.any())
    index = _index(np.where(off, np.abs(rule - witness), 0))
    return Slip("varying", None, index, rule[index], witness[index], ratio, int(np.count_nonzero(off))), False


def other_draw(rule: Array, witness: Array, nearby: Array, narrowest: str) -> Slip | None:
    """How a rule that has drawn anew is off, zeros included; None where it is not.

    >>> due = np.array([2.0, 0.0, 2.0, 0.0])
    >>> other_draw(due[::-1], due, due, "float64").count, other_draw(due, due, due, "float64")
    (4, None)
    """
    if rule.shape != witness.shape or rule.shape != nearby.shape or not rule.size:
        return None
    rule, witness, nearby = (each.astype(_wide(rule, witness)) for each in (rule, witness, nearby))
    within = tolerance(narrowest)
    known = np.isfinite(rule) & np.isfinite(witness) & alike_in(witness, nearby, within)
    differs = known & ~alike_in(rule, witness, 2 * within)
    if np.count_nonzero(differs) < SOME * np.count_nonzero(known & ((rule != 0) | (witness != 0))) or not differs.any():
        return None
    at = _index(np.where(differs, np.abs(rule - witness), 0))
    return Slip("varying", None, at, rule[at], witness[at], np.full(rule.shape, np.nan), int(np.count_nonzero(known)))


def alike_in(one: Array, other: Array, within: float) -> Array:
    """The entries at which two arrays are the same but for rounding."""
    same: Array = np.abs(one - other) <= within * np.maximum(np.abs(one), np.abs(other))
    return same


def constant(values: Array, within: float) -> complex | None:
    """The one number that all values are but for rounding, NaN left out; None if they differ, or are few."""
    known = values[np.isfinite(values)]
    if not known.size:
        return None
    middle = complex(np.median(known.real), np.median(known.imag))
    apart = np.abs(known - middle) > 2 * within * abs(middle)
    if not middle or np.count_nonzero(apart) > 0.02 * known.size:
        return None
    return complex(middle.real) if abs(middle.imag) <= 2 * within * abs(middle) else middle


def alike(one: Array, other: Array, within: float) -> bool:
    """Whether two gradients are the same but for rounding, where both are finite."""
    if one.shape != other.shape:
        return False
    known = np.isfinite(one) & np.isfinite(other)
    size = max(float(np.abs(one[known]).max(initial=0)), float(np.abs(other[known]).max(initial=0)))
    return bool(known.any()) and bool((np.abs(one - other)[known] <= 2 * within * size).all())


def _index(sizes: Array) -> tuple[int, ...]:
    """Where the largest entry is."""
    return tuple(int(each) for each in np.unravel_index(np.argmax(sizes), sizes.shape))


def _wide(*arrays: Array) -> type:
    return np.complex128 if any(map(np.iscomplexobj, arrays)) else np.float64


def _cancels(rule: Array, witness: Array, nearby: Array, within: float) -> bool:
    """Whether what is due is the rounding of zero, other than in the rule: terms of it cancel in every entry."""
    due = np.maximum(np.abs(witness), np.abs(nearby))
    rounded = within < SURELY_ROUNDED and due.any() and np.isfinite(rule).all() and np.isfinite(due).all()
    return bool(rounded and (np.abs(rule) > 0).any() and (due <= within**2 * np.abs(rule).max()).all())


def _sure(rule: Array, witness: Array, nearby: Array, within: float, epsilon: float) -> Array:
    """The entries at which the two can be compared."""
    finite = np.isfinite(rule) & np.isfinite(witness) & np.isfinite(nearby)
    largest = float(np.abs(witness[finite]).max(initial=0))
    counts = finite & (rule != 0) & (np.abs(witness) > 4 * epsilon * largest)
    sure: Array = counts & (np.abs(witness - nearby) <= within * np.abs(witness))
    return sure


def _kind(rule: Array, witness: Array, sure: Array, within: float) -> tuple[Kind, complex | None]:
    if np.iscomplexobj(rule) and alike(rule[sure], witness[sure].conj(), within):
        return "conjugate", None
    factor = constant(np.where(sure, rule / witness, np.nan), within)
    if factor is not None:
        return "factor", factor
    return "varying", None


def _is_square(array: Array) -> bool:
    return array.ndim == 2 and array.shape[0] == array.shape[1] > 1


def is_near(rule: Array, witness: Array) -> bool:
    """Whether a rule is off by so little as a whole that it may be an approximation.

    >>> is_near(np.array([1.0, 1.01]), np.ones(2)), is_near(np.array([1.0, 2.0]), np.ones(2))
    (True, False)
    """
    return bool(np.linalg.norm(rule - witness) < AT_LEAST * np.linalg.norm(witness))
