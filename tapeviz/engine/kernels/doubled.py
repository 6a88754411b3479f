"""Pairs of floats, the second what the first leaves of a number -> their sums, products, quotients: twice the digits.

After Dekker and Veltkamp, as Eigen computes where there are no fused multiply-adds. A sum is exact if its first part is
not the smaller one. Here float64 alone needs pairs: what float32 leaves is in float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Pair = tuple[Any, Any]
HALVES = 2.0**27 + 1
"""Times this, and back, a float64 loses the second half of its digits."""


def exact_sum(x: Any, y: Any) -> Pair:
    """
    >>> exact_sum(1.0, 2.0**-60)
    (1.0, 8.673617379884035e-19)
    """
    total = x + y
    return total, y - (total - x)


def exact_product(x: Any, y: Any) -> Pair:
    """
    >>> exact_product(1 + 2.0**-30, 1 + 2.0**-30)
    (1.0000000018626451, 8.673617379884035e-19)
    """
    found = x * y
    (x, x_left), (y, y_left) = _halves(x), _halves(y)
    return found, x * y - found + x * y_left + x_left * y + x_left * y_left


def _halves(x: Any) -> Pair:
    much = HALVES * x
    half = (x - much) + much
    return half, x - half


def plus(x: Pair, y: Pair) -> Pair:
    total, left = exact_sum(x[0], y[0])
    return exact_sum(total, y[1] + left + x[1])


def times_number(x: Pair, y: Any) -> Pair:
    found, left = exact_product(x[0], y)
    total, more = exact_sum(found, x[1] * y)
    return exact_sum(total, more + left)


def times(x: Pair, y: Pair) -> Pair:
    """Both parts of `y` at once, as two rows."""
    (high, low), (high_left, low_left) = times_number(x, np.array(y))
    return plus((high, high_left), (low, low_left))


def over_number(x: Pair, y: Any) -> Pair:
    ratio = x[0] / y
    back, left = exact_product(ratio, y)
    return exact_sum(ratio, (x[0] - back - left + x[1]) / y)
