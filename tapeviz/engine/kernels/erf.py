"""Arrays -> their error functions, which NumPy has not: Python's number by number, or many numbers by series.

In float32 a Taylor series around the nearest of some points, computed in float64, rounds to the same number but for one
in thousands, then to its neighbour.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

MANY = 256
"""Numbers in an array from which on the series pays."""
STEPS = 32
"""Points per 1."""
SLOPE = 2 / math.sqrt(math.pi)
"""That of `erf` at 0."""


def _each(function: Callable[[float], float]) -> Callable[[Any], Any]:
    """A function of one float, for arrays."""
    of_objects = np.frompyfunc(function, 1, 1)
    return lambda x: np.asarray(of_objects(x), dtype=x.dtype)


_erf_of_each, _erfc_of_each = _each(math.erf), _each(math.erfc)


class _Series:
    """A function of numbers from 0 to `end`, by its derivatives over their factorials at points between."""

    def __init__(self, end: int, derivatives: Callable[[Any], list[Any]]) -> None:
        self.end = end
        points = np.arange(end * STEPS + 1) / STEPS
        self._tables = [each / math.factorial(order) for order, each in enumerate(derivatives(points))]

    def __call__(self, x: Any) -> Any:
        steps = np.rint(x * STEPS)
        away, index = x - steps / STEPS, steps.astype(np.intp)
        total = self._tables[-1].take(index, mode="clip")
        for table in reversed(self._tables[:-1]):
            total *= away
            total += table.take(index, mode="clip")
        return total


def _of_erf(x: Any) -> list[Any]:
    """`erf` and its derivatives, each from those before."""
    slope = SLOPE * np.exp(-x * x)
    bend = -2 * x * slope
    third = -2 * slope - 2 * x * bend
    return [np.array([math.erf(point) for point in x]), slope, bend, third, -4 * bend - 2 * x * third]


def _of_scaled_erfc(x: Any) -> list[Any]:
    """exp(x^2) erfc(x) and its derivatives: it changes slowly where `erfc` vanishes."""
    value = np.array([math.erfc(point) * math.exp(point * point) for point in x])
    slope = 2 * x * value - SLOPE
    bend = 2 * value + 2 * x * slope
    third = 4 * slope + 2 * x * bend
    return [value, slope, bend, third, 6 * bend + 2 * x * third]


_small_erf = _Series(4, _of_erf)  # from there on it is 1 in float32
_scaled_erfc = _Series(11, _of_scaled_erfc)  # from there on `erfc` is 0


def erf(x: Any) -> Any:
    """The error function.

    >>> import numpy as np
    >>> erf(np.array([0.0, 1.0]))
    array([0.        , 0.84270079])
    """
    if x.size < MANY or x.dtype != np.float32:
        return _erf_of_each(x)
    size = np.minimum(np.abs(x).astype(np.float64), _small_erf.end)
    return np.copysign(_small_erf(size), x).astype(np.float32)


def erfc(x: Any) -> Any:
    """1 less the error function, exact where that is nearly 1.

    >>> import numpy as np
    >>> erfc(np.array([0.0, 5.0]))
    array([1.00000000e+00, 1.53745979e-12])
    """
    if x.size < MANY or x.dtype != np.float32:
        return _erfc_of_each(x)
    size = np.minimum(np.abs(x).astype(np.float64), _scaled_erfc.end)
    found = np.exp(-size * size) * _scaled_erfc(size)
    return np.where(x < 0, 2 - found, found).astype(np.float32)
