"""Two arrays, bases and exponents -> powers, few of them in TensorFlow's very digits.

Eigen takes 2 to the exponent times the logarithm of the base to that of 2, with twice the digits up to there: of
float32 these are in float64 here, which takes half the time that pairs do and gives the same bits of millions of
numbers. Of float64 all are the C library's: Eigen's way would take longer than TensorFlow takes in all.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy import ndarray

from tapeviz.engine.kernels.libm import of_one
from tapeviz.engine.kernels.pairwise import pairwise
from tapeviz.engine.kernels.registers import LN2, clamped, exp_single, near_one, polynomial

SHORT = 1 - 2.0**-40
"""Times this, halves are rounded towards 0."""
HUGE = 128 * LN2 / 2**-23
"""From here on exponents are as good as infinite."""


def power(x: Any, y: Any) -> Any:
    """x to the y; NaN where that is no real number.

    >>> power(np.float32([1, 2, 3]), np.float32(2))
    array([1., 4., 9.], dtype=float32)
    """
    return _of_arrays(x, y) if type(x) is ndarray or type(y) is ndarray else x**y


def _of_registers(x: Any, y: Any) -> Any:
    one = y == 1
    if one.all():  # as in the slope of a square
        return x
    near = np.abs(y) < HUGE
    if (near & (x > 0) & (x < np.inf)).all():
        return np.where(one, x, _of_positive(x, y))
    size = np.abs(x)
    found = _of_positive(size, y) * np.copysign(np.float32(1), x) ** y
    found = np.where(near & (size > 0) & (size < np.inf), found, x ** np.where(near, y, y * np.inf))
    return np.where(one, x, found)


def _of_positive(x: Any, y: Any) -> Any:
    away, exponent = near_one(x)
    p = polynomial(
        *(away, 0.09701083, -0.16896486, 0.17200837, -0.17892273, 0.20505345, -0.24046677, 0.28857553),
        *(-0.36067414, 0.4808979),
    )
    power = polynomial(away.astype(np.float64), p, -0.7213475158826865, 1.4426950417421107, exponent) * y
    whole = np.rint(power * SHORT)
    part = (power - whole).astype(np.float32) * np.float64(np.float32(LN2))
    high = part.astype(np.float32)
    left = (part - high).astype(np.float32)
    return np.ldexp(exp_single(high) * (1 + left), clamped(whole, 4096).astype(np.intc))  # 0 or infinite beyond that


_of_arrays = pairwise(operator.pow, of_one("pow", operator.pow, 2), {"f": _of_registers})
