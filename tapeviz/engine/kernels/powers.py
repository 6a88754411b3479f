"""Two arrays, bases and exponents -> powers, few of them in TensorFlow's very digits.

Eigen takes 2 to the exponent times the logarithm of the base to that of 2, with twice the digits up to there. Those
of float32 are in float64 here, which takes half the time that pairs do and gives the same bits of millions of numbers.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy import ndarray

from tapeviz.engine.kernels.doubled import Pair, exact_product, exact_sum, over_number, plus, times, times_number
from tapeviz.engine.kernels.libm import of_one
from tapeviz.engine.kernels.pairwise import Formula, pairwise
from tapeviz.engine.kernels.registers import LN2, clamped, exp_double, exp_single, near_one, polynomial

SHORT = 1 - 2.0**-40
"""Times this, halves are rounded towards 0."""


def power(x: Any, y: Any) -> Any:
    """x to the y; NaN where that is no real number.

    >>> power(np.float32([1, 2, 3]), np.float32(2))
    array([1., 4., 9.], dtype=float32)
    """
    return _of_arrays(x, y) if type(x) is ndarray or type(y) is ndarray else x**y


def _anywhere(of_positive: Formula, huge: float) -> Formula:
    """A formula for positive bases -> one for all; from `huge` on exponents are as good as infinite."""

    def formula(x: Any, y: Any) -> Any:
        one = y == 1
        if one.all():  # as in the slope of a square
            return x
        near = np.abs(y) < huge
        if (near & (x > 0) & (x < np.inf)).all():
            return np.where(one, x, of_positive(x, y))
        size = np.abs(x)
        found = of_positive(size, y) * np.copysign(x.dtype.type(1), x) ** y
        found = np.where(near & (size > 0) & (size < np.inf), found, x ** np.where(near, y, y * np.inf))
        return np.where(one, x, found)

    return formula


def _of_single(x: Any, y: Any) -> Any:
    away, exponent = near_one(x)
    p = polynomial(
        *(away, 0.09701083, -0.16896486, 0.17200837, -0.17892273, 0.20505345, -0.24046677, 0.28857553),
        *(-0.36067414, 0.4808979),
    )
    away = away.astype(np.float64)
    power = (polynomial(away, p, -0.7213475158826865, 1.4426950417421107, exponent)) * y
    whole = np.rint(power * SHORT)
    high, left = _parts((power - whole).astype(np.float32) * np.float64(np.float32(LN2)))
    return _scaled(exp_single(high) * (1 + left), whole)


def _parts(x: Any) -> Pair:
    """The nearest float32, and what that leaves."""
    high = x.astype(np.float32)
    return high, (x - high).astype(np.float32)


def _of_double(x: Any, y: Any) -> Any:
    away, exponent = near_one(x)
    high, left = plus(exact_product(exponent, y), times_number(_log2(away), y))
    whole = _nearest(high)
    part = high - whole + left
    more = _nearest(part)
    high, left = exact_product(part - more, np.float64(LN2))
    return _scaled(exp_double(high) * (1 + left), whole + more)


def _scaled(x: Any, power: Any) -> Any:
    """Times 2 to the power, beyond whose bound all is 0 or infinite."""
    return np.ldexp(x, clamped(power, 4096).astype(np.intc))


def _nearest(x: Any) -> Any:
    """Whole number, halves away from 0."""
    return np.trunc(x + np.copysign(0.49999999999999994, x))


def _log2(away: Any) -> Pair:
    """The logarithm of 1 + away to the base of 2, by a series in what is (x - 1) / (x + 1) for x, times 2 / ln(2)."""
    one = np.float64(1)
    r = over_number(times_number((np.float64(2.88539008177792677), 4.07660016854549667e-17), away), away + 2)
    square = times(r, r)
    fourth = times(square, square)[0]
    even = polynomial(
        *(fourth, 2.87074255468000586e-9, 2.31032094540014656e-7, 2.31271023278625638e-5, 2.88543873228900172e-3)
    )
    odd = polynomial(fourth, 2.38957980901884082e-8, 2.27279857398537278e-6, 2.47556738444535513e-4)
    series = plus(
        (np.float64(0.0400377511598501157), -4.77726582251425391e-19), times_number(square, odd * square[0] + even)
    )
    high, left = times(square, series)
    total, more = exact_sum(one, high)
    return times(exact_sum(total, left + more), r)


_of_arrays = pairwise(
    operator.pow,
    of_one("pow", operator.pow, 2),
    {"f": _anywhere(_of_single, 128 * LN2 / 2**-23), "d": _anywhere(_of_double, 1024 * LN2 / 2**-52)},
)
