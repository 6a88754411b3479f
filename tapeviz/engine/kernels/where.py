"""A condition and arrays -> `np.where`, and the product with a condition, faster than NumPy where that is slow.

NumPy branches on the condition of each number, which costs a processor that cannot predict it many times the work;
products of numbers and truth values go through buffers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.specs.dtypes import Array

MANY = 10_000
"""The sizes of arrays from which on bit masks are faster than branches."""
BITS = {np.dtype(np.float16): np.dtype(np.int16), np.dtype(np.float32): np.dtype(np.int32)}
"""Integers of the width of floats; wider floats gain nothing."""


def select(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, y elsewhere; shapes broadcast.

    >>> select(np.array([True, False]), np.array([1.0, 2.0]), np.float64(0))
    array([1., 0.])
    """
    bits = BITS.get(x.dtype)
    if bits is None or condition.size < MANY or x.dtype != y.dtype or condition.dtype != bool:
        return np.where(condition, x, y)
    others = y.view(bits)
    return ((x.view(bits) ^ others) & -condition.astype(bits) ^ others).view(x.dtype)


def passed(x: Array, condition: Array) -> Any:
    """x times 1 where the condition holds, times 0 elsewhere, where infinity and NaN give NaN.

    >>> passed(np.array([2.0, 3.0]), np.array([True, False]))
    array([2., 0.])
    """
    if type(condition) is not np.ndarray or x.shape != condition.shape:
        return x * condition
    product = condition.astype(x.dtype)
    product *= x
    return product
