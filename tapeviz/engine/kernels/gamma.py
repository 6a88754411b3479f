"""Arrays -> the logarithm of the gamma function and its derivatives, which NumPy lacks.

TensorFlow asks the C library for `lgamma`, number by number, and so does this, but for many numbers of float32, which
go by Stirling's series. The derivatives are Eigen's formulas after Cephes in the arithmetic of the dtype; for few
numbers, the functions in them are the C library's.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from tapeviz.engine.kernels.eigen_math import LANES, polynomial
from tapeviz.engine.kernels.elementary import tan
from tapeviz.engine.kernels.elementwise import Formula, elementwise
from tapeviz.engine.kernels.libm import of_one
from tapeviz.engine.kernels.pairwise import PLAIN, pairwise
from tapeviz.engine.specs.dtypes import Array

_log = elementwise(np.log, of_one("log", np.log), {})
_exp = elementwise(np.exp, of_one("exp", np.exp), {})
_power = pairwise(operator.pow, of_one("pow", operator.pow, 2), {})

SHIFT = 10
"""The number from which on the asymptotic series are exact; smaller ones are increased by the recurrences."""
DIGAMMA = {
    "f": (-1 / 240, 1 / 252, -1 / 120, 1 / 12),
    "d": (1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12),
}
"""B(2k) / 2k with its sign, for k down to 1: what stands before 1 / x^2k in the series of digamma, by `dtype.char`."""
FAR = {"f": 1e8, "d": 1e17}
"""The number from which on that series does not change the result."""
ZETA = (
    *(12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1.8924375803183791606e9, 7.47242496e10),
    *(-2.950130727918164224e12, 1.1646782814350067249e14, -4.5979787224074726105e15, 1.8152105401943546773e17),
    -7.1661652561756670113e18,
)
"""(2k)! / B(2k) for k from 1."""
STIRLING = (-1 / 1680, 1 / 1260, -1 / 360, 1 / 12)
"""B(2k) / (2k (2k - 1)), for k down to 1."""
DEEP = -1e5
"""Terms of the sum for zeta that are smaller than this do not change it."""


def _by_32_bits(function: Formula) -> Formula:
    """The function for all dtypes of floats, from one for float32 and float64."""

    def of_any(x: Array) -> Any:
        if type(x) in PLAIN and x.dtype.char in LANES:
            return function(x)
        return function(np.asarray(x, np.float32)).astype(x.dtype)

    return of_any


# ----- the logarithm -----


def _log_of_many(x: Array) -> Any:
    if x.dtype.char == "d":
        return _log_of_each(x.reshape(-1)).reshape(x.shape)
    return _log_by_series(x.astype(np.float64)).astype(x.dtype)


def _log_of_each(x: Array) -> Any:
    """`math.lgamma`, which takes half the time of the C library's function, but raises if the result is infinite."""
    numbers = x.tolist()
    try:
        return np.fromiter(map(math.lgamma, numbers), x.dtype, x.size)
    except (ValueError, OverflowError):
        return np.fromiter(map(_LGAMMA["d"], numbers), x.dtype, x.size)


def _log_by_series(x: Any) -> Any:
    """Stirling's series at x + 10, less the logarithm of the ten factors between; below 0 by reflection."""
    below = x <= 0
    y = np.where(below, 1 - x, x)
    near = np.minimum(y, 1e30)  # further out the factors do not show
    pairs = near * (near + 9)  # (y + k) (y + 9 - k) is this and k (9 - k)
    between = polynomial(pairs, 1, 60, 1308, 12176, 40320) * pairs
    y10 = y + SHIFT
    series = polynomial(1 / (y10 * y10), *STIRLING) / y10
    found = (y10 - 0.5) * np.log(y10) - y10 + 0.5 * math.log(2 * math.pi) + series - np.log(between)
    found = np.where((y == 1) | (y == 2), 0, found)
    if below.any():
        found = np.where(below, np.log(np.pi / np.abs(np.sin(np.pi * np.fmod(x, 1)))) - found, found)
    return np.where(np.isinf(x), np.inf, found)


_LGAMMA = of_one("lgamma", _log_by_series)
lgamma = _by_32_bits(elementwise(_log_of_many, _LGAMMA, {}))


# ----- its derivatives -----


@_by_32_bits
def digamma(x: Any) -> Any:
    """By the recurrence digamma(x) = digamma(x + 1) - 1 / x, then a series; below 0 by reflection.

    >>> digamma(np.array([1.0, 2.0]))
    array([-0.57721566,  0.42278434])
    """
    below = x <= 0
    shifted = np.where(below, 1 - x, x)
    terms = np.zeros_like(x)
    while (near := shifted < SHIFT).any():
        terms = terms + np.where(near, 1 / shifted, 0)
        shifted = shifted + near
    square = 1 / (shifted * shifted)
    char = x.dtype.char
    series = np.where(shifted < FAR[char], square * polynomial(square, *DIGAMMA[char]), 0)
    found = _log(shifted) - 0.5 / shifted - series - terms
    return np.where(below, found - _cotangent(x), found) if below.any() else found


def _cotangent(x: Array) -> Any:
    """pi / tan(pi x), computed from the distance to the nearest integer; 0 halfway between two, NaN at each."""
    away = x - np.floor(x)
    away = np.where(away > 0.5, x - (np.floor(x) + 1), away)
    pi = x.dtype.type(np.pi)
    return np.where(away == 0, np.nan, np.where(away == 0.5, 0, pi / tan(pi * away)))


def polygamma(a: Array, x: Array) -> Any:
    """(-1)^(a+1) a! zeta(a+1, x), for whole a from 1; for 0 it is digamma.

    >>> polygamma(np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    array([-0.57721566,  1.64493407])
    """
    a, x = np.broadcast_arrays(np.asarray(a, x.dtype), x)
    order = a + 1
    sign = np.where(order % 2 == 0, x.dtype.type(1), x.dtype.type(-1))
    found = sign * _exp(lgamma(order)) * _zeta(order, x)
    first = a == 0
    if first.any():
        found = np.where(first, digamma(x), found)
    return np.where((a >= 0) & (np.floor(a) == a), found, np.nan)


def _zeta(s: Array, q: Array) -> Any:
    """The sum of (q + k)^-s over k from 0: ten terms one by one, the others by the Euler-Maclaurin formula."""
    least, until = np.finfo(q.dtype).epsneg, {"f": -np.inf, "d": 9}[q.dtype.char]
    base, term = q, _power(q, -s)
    total, done, count = term, np.zeros(q.shape, bool), 0
    while (left := ~done & ((count < 9) | (base > DEEP) & (base <= until))).any():
        count += 1
        base = np.where(left, base + 1, base)
        term = np.where(left, _power(base, -s), term)
        total = np.where(left, total + term, total)
        done = done | (np.abs(term / total) < least)
    done = done | (term == 0)
    left = ~done
    total = np.where(left, total + term * base / (s - 1) - 0.5 * term, total)
    factor = np.ones_like(q)
    for k, divisor in enumerate(ZETA):
        factor = factor * (s + 2 * k)
        term = term / base
        more = factor * term / divisor
        total = np.where(left, total + more, total)
        left = left & ~(np.abs(more / total) < least)
        if not left.any():
            break
        factor = factor * (s + (2 * k + 1))
        term = term / base
    pole = (q <= 0) & (np.floor(q) == q)
    return np.where(pole, np.where(s % 2 == 0, np.inf, np.nan), total).astype(q.dtype)
