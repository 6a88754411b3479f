"""Bases and exponents -> powers, with exactly TensorFlow's digits if they are few.

Eigen computes 2^(y log2 x), with twice the digits until the last step. For float32 that is done in float64 here, which
takes half the time of pairs of numbers and gives the same bits. For float64 all powers are the C library's: Eigen's way
would take longer here than all of TensorFlow's op.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy import ndarray

from tapeviz.engine.kernels.eigen_math import LN2, clamped, constant, constants, exp_near_zero, near_one, polynomial
from tapeviz.engine.kernels.libm import of_one
from tapeviz.engine.kernels.pairwise import pairwise
from tapeviz.engine.specs.dtypes import Array

SHORT = 1 - 2.0**-40
"""The factor just below 1 by which halves are rounded towards 0."""
HUGE = constant(128 * LN2 / 2**-23, "f")
"""The size from which on exponents count as infinite."""
_ZERO, _ONE, _INFINITE = constants("f", 0, 1, np.inf)
_LN2 = constant(float(np.float32(LN2)), "d")


def power(x: Array, y: Array) -> Any:
    """x to the y; NaN where that is no real number.

    >>> power(np.float32([1, 2, 3]), np.float32(2))
    array([1., 4., 9.], dtype=float32)
    """
    return _of_arrays(x, y) if type(x) is ndarray or type(y) is ndarray else x**y


def _of_registers(x: Array, y: Array) -> Any:
    one = y == _ONE
    ones = np.count_nonzero(one)
    if ones == y.size:  # as in the slope of a square
        return x
    near = np.abs(y) < HUGE
    if np.count_nonzero(near & (x > _ZERO) & (x < _INFINITE)) == x.size:
        found = _of_positive(x, y)
    else:
        size = np.abs(x)
        found = _of_positive(size, y) * np.copysign(_ONE, x) ** y
        found = np.where(near & (size > _ZERO) & (size < _INFINITE), found, x ** np.where(near, y, y * _INFINITE))
    return np.where(one, x, found) if ones else found


def _of_positive(x: Array, y: Array) -> Any:
    away, exponent = near_one(x)
    p = polynomial(
        *(away, 0.09701083, -0.16896486, 0.17200837, -0.17892273, 0.20505345, -0.24046677, 0.28857553),
        *(-0.36067414, 0.4808979),
    )
    power = polynomial(away.astype(np.float64), p, -0.7213475158826865, 1.4426950417421107, exponent) * y
    whole = np.rint(power * SHORT)
    part = (power - whole).astype(np.float32) * _LN2
    high = part.astype(np.float32)
    left = (part - high).astype(np.float32)
    found = exp_near_zero(high, high * high) * (_ONE + left)
    return np.ldexp(found, clamped(whole, 4096).astype(np.intc))  # 0 or infinite beyond that


_of_arrays = pairwise(operator.pow, of_one("pow", operator.pow, 2), {"f": _of_registers})
