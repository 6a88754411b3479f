"""A function of each number in TensorFlow's very digits, as long as there are few; many go NumPy's quick way.

Eigen fills registers with numbers, evaluates a formula of its own on these, and asks the C library for what is left
over. NumPy has other formulas, so that about a third of its results differ in the last digit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import float32, float64, ndarray

from tapeviz.engine.kernels.registers import FEW, LANES

ONE, DOUBLE_ONE = float32(1), float64(1)
"""Times these, a number of Python's is one of NumPy's: in less than half the time that a call of the class takes."""

Formula = Callable[[Any], Any]
OfOne = Callable[[float], float]


def elementwise(
    many: Formula, of_one: dict[str, OfOne], registers: dict[str, Formula], *, quick: OfOne | None = None
) -> Formula:
    """A function of arrays and of NumPy's scalars; of float32 and float64 by these, by `dtype.char`.

    Args:
        many: NumPy's, for all else.
        of_one: those of a number that is left over.
        registers: those of one axis of numbers that fill registers; without it every number is left over.
        quick: Python's own, where it is `of_one` of float64 and rounds to that of float32 but for one in hundreds.
    """
    single, double = quick or of_one["f"], quick or of_one["d"]

    def compute(x: Any) -> Any:
        kind = type(x)
        try:
            if kind is float32:
                return ONE * single(x)
            if kind is float64:
                return DOUBLE_ONE * double(x)
        except (ValueError, OverflowError):  # Python's own raise where there is no number
            return many(x)
        few = kind is ndarray and x.size <= FEW and x.dtype.char in LANES
        return by_number(x) if few else many(x)

    def by_number(x: Any) -> Any:
        char = x.dtype.char
        made = np.empty(x.shape, x.dtype)
        flat, into = x.reshape(-1), made.reshape(-1)
        full = x.size - x.size % LANES[char] if char in registers else 0
        if full:
            into[:full] = registers[char](flat[:full])
        if full < x.size:
            into[full:] = [*map(of_one[char], flat[full:].tolist())]
        return made if made.shape else made[()]

    if quick:
        compute.quick = quick  # type: ignore[attr-defined]
    return compute
