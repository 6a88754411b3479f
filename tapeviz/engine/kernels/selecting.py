"""A condition and two arrays -> one or the other, number by number: `np.where`, and faster where that is slow.

NumPy asks the condition of each number by a branch, and what a processor cannot guess costs it many times the work.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MANY = 10_000
"""Numbers from which on it is quicker to choose by masks of bits."""
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
