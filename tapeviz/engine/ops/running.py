"""The op table: cumulative sums and products along an axis."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts
from tapeviz.engine.ops.math import divide_no_nan, exp, greater, log, where, zeros_like
from tapeviz.engine.specs.dtype_sets import FLOATS, NUMBERS
from tapeviz.engine.specs.dtypes import Array, finfo


def _running(accumulated: Callable[..., Any], first: float) -> Callable[..., Any]:
    """The primal of an accumulation; `exclusive` begins with `first` and leaves the last one out."""

    def primal(x: Array, *, axis: int, exclusive: bool, reverse: bool) -> Any:
        axis = normalize_axis_index(axis, x.ndim)
        turn = (slice(None),) * axis + (slice(None, None, -1),)
        out = accumulated(x[turn] if reverse else x, axis=axis, dtype=x.dtype)
        if exclusive:
            shifted = np.full_like(out, first)
            shifted[(slice(None),) * axis + (slice(1, None),)] = out[(slice(None),) * axis + (slice(None, -1),)]
            out = shifted
        return out[turn] if reverse else out

    return primal


def _totals(x: Array, *, axis: int, dtype: Any) -> Any:
    """The running sums, added to 0, so that none is -0."""
    totals = np.add.accumulate(x, axis=axis, dtype=dtype)
    totals += dtype.type(0)
    return totals


def _accumulated_logarithms(x: Array, *, axis: int, dtype: Any) -> Any:
    """The running logarithms of sums of exponentials."""
    if np.isfinite(x).all():
        return np.logaddexp.accumulate(x, axis=axis, dtype=dtype)
    along = np.moveaxis(x, axis, 0)
    return np.stack([*accumulate(along, _logarithm_of_both, initial=np.full_like(along[0], -np.inf))][1:], axis)


def _logarithm_of_both(total: Array, x: Array) -> Any:
    """The logarithm of the sum of two exponentials, as TensorFlow computes it for numbers that are not finite.

    Its comparisons take an x that is NaN for as large as the total, and it subtracts what is infinite from itself.
    """
    lower, upper = np.where(x < total, x, total), np.where(total < x, x, total)
    return np.where(lower == np.inf, np.nan, np.logaddexp(lower, upper))


def _cumprod_rule(g: Array, x: Array, out: Array, axis: int, exclusive: bool, reverse: bool) -> Any:
    """The VJP of a running product: it divides by x, as TensorFlow does, with 0 where x is 0."""
    total = cumsum(out * g, axis=axis, exclusive=exclusive, reverse=not reverse)
    return divide_no_nan(total, x)


def _cumulative_rule(g: Array, x: object, out: object, axis: int, exclusive: bool, reverse: bool) -> Any:
    """The VJP: positive and negative gradients are summed separately, as logarithms, so that nothing overflows."""

    def part(size: Array) -> Any:
        logs = where(greater(size, zeros_like(size)), log(size), zeros_like(size) + _smallest(size))
        total = cumulative_logsumexp(logs - out, axis=axis, exclusive=exclusive, reverse=not reverse)
        return exp(total + x)

    return part(g) - part(-g)


def _smallest(x: Array) -> float:
    return float(finfo(x.dtype.name).min)


cumulative_logsumexp = defop(
    "cumulative_logsumexp",
    _running(_accumulated_logarithms, -np.inf),
    Facts(seed_shape="broadcast", dtypes=FLOATS),
    x=_cumulative_rule,
)
cumsum = defop(
    "cumsum",
    _running(_totals, 0),
    Facts(dtypes=NUMBERS),
    x=lambda g, axis, exclusive, reverse: cumsum(g, axis=axis, exclusive=exclusive, reverse=not reverse),
)
cumprod = defop(
    "cumprod",
    _running(np.multiply.accumulate, 1),
    Facts(seed_shape="broadcast", holomorphic=False, dtypes=NUMBERS),
    x=_cumprod_rule,
)
