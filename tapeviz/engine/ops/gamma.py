"""The op table: the logarithm of the gamma function and its derivatives, of which each is the next one's slope."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.convert import unboxed
from tapeviz.engine.op import defop, sum_to
from tapeviz.engine.ops.math import ones_like

SHIFT = 10.0
"""From here on the asymptotic series are exact in float64; what is smaller is brought here by the recurrences."""

_DIGAMMA = [-1 / 12, 1 / 120, -1 / 252, 1 / 240, -1 / 132, 691 / 32760, -1 / 12]
"""B(2k) / 2k with its sign, for k from 1: what stands before 1 / x^2k in the series of digamma."""

_BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330]
"""B(2k), for k from 1."""


def _in_float64(function: Callable[..., Any], *values: Any) -> Any:
    """A function of float64 arrays, of any floats."""
    with np.errstate(all="ignore"):
        found = function(*(np.asarray(each, np.float64) for each in values))
        return unboxed(np.asarray(found, dtype=values[-1].dtype))


def _log_of_gamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):  # a pole, or beyond the largest float
        return math.inf


def _digamma(x: Any) -> Any:
    """The recurrence digamma(x) = digamma(x + 1) - 1 / x, then the series; below 0 by reflection."""
    below = x <= 0
    y = np.where(below, 1 - x, x)
    shifted, found = y, np.zeros_like(y)
    while (near := shifted < SHIFT).any():
        found = found - np.where(near, 1 / shifted, 0)
        shifted = np.where(near, shifted + 1, shifted)
    square = 1 / (shifted * shifted)
    series = sum(factor * square**k for k, factor in enumerate(_DIGAMMA, 1))
    found = found + np.log(shifted) - 0.5 / shifted + series
    pole = below & (np.floor(x) == x)
    return np.where(pole, np.nan, np.where(below, found - math.pi / np.tan(math.pi * np.fmod(x, 1)), found))


def _polygamma(a: Any, x: Any) -> Any:
    """(-1)^(a+1) a! zeta(a+1, x), for whole a from 1; for 0 it is digamma."""
    a, x = np.broadcast_arrays(a, x)
    sign = np.where(a % 2 == 1, 1.0, -1.0)
    factorial = np.array([_log_of_gamma(each + 1) for each in a.ravel()]).reshape(a.shape)
    found = sign * np.exp(factorial) * _zeta(a + 1, x)
    found = np.where(a == 0, _digamma(x), found)
    return np.where((a < 0) | (np.floor(a) != a), np.nan, found)


def _zeta(s: Any, q: Any) -> Any:
    """The sum of (q + k)^-s over k from 0: term by term up to `SHIFT`, by the Euler-Maclaurin formula from there."""
    shifted, found = q, np.zeros_like(q)
    far_below = q < -1e5  # as good as at an infinite distance: the terms there add up to nothing that shows
    while (near := (shifted < SHIFT) & ~far_below).any():
        found = found + np.where(near, shifted**-s, 0)
        shifted = np.where(near, shifted + 1, shifted)
    power = shifted**-s
    tail, factor = power * shifted / (s - 1) + power / 2, s * power / shifted
    for k, bernoulli in enumerate(_BERNOULLI, 1):
        tail = tail + bernoulli / math.factorial(2 * k) * factor
        factor = factor * (s + 2 * k - 1) * (s + 2 * k) / (shifted * shifted)
    pole = (q <= 0) & (np.floor(q) == q)
    at_pole = np.where(s % 2 == 0, np.inf, np.nan)
    return np.where(pole, at_pole, np.where(np.isposinf(q), 0.0, found + tail))


def _lgamma(x: Any) -> Any:
    return np.frompyfunc(_log_of_gamma, 1, 1)(x)


lgamma = defop("lgamma", lambda x: _in_float64(_lgamma, x), x=lambda g, x: g * digamma(x))
digamma = defop("digamma", lambda x: _in_float64(_digamma, x), x=lambda g, x: g * polygamma(ones_like(x), x))
polygamma = defop(
    "polygamma",
    lambda a, x: _in_float64(_polygamma, a, x),
    a=None,
    x=lambda g, a, x, x_shape: sum_to(g * polygamma(a + 1, x), x_shape),
)
