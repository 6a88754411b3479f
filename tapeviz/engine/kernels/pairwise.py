"""A function of two numbers -> a ufunc with exactly TensorFlow's digits for few numbers, and NumPy's for many.

Eigen broadcasts both operands to the shape of the result, and then fills registers as with one operand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import float32, float64, ndarray

from tapeviz.engine.kernels.eigen_math import FEW, LANES
from tapeviz.engine.kernels.elementwise import in_rows
from tapeviz.engine.specs.dtypes import Array

PLAIN = frozenset((ndarray, float32, float64))

Formula = Callable[[Any, Any], Any]
OfTwo = Callable[[float, float], float]


def pairwise(many: Formula, of_two: dict[str, OfTwo], registers: dict[str, Formula]) -> Formula:
    """A function of arrays and of NumPy's scalars; of float32 and float64 by these, by `dtype.char`.

    Args:
        many: NumPy's, for all else.
        of_two: those of numbers that are left over.
        registers: those of two axes of numbers that fill registers; without it all numbers are left over.
    """

    def compute(x: Array, y: Array) -> Any:
        char = x.dtype.char
        if type(x) not in PLAIN or type(y) not in PLAIN or char not in LANES or char != y.dtype.char:
            return many(x, y)
        shape = x.shape if x.shape == y.shape else np.broadcast(x, y).shape
        size = math.prod(shape)
        if not 0 < size <= FEW:
            return many(x, y)
        made = in_rows(of_two, registers, _stretched(x, shape, size), _stretched(y, shape, size)).reshape(shape)
        return made if shape else made[()]

    return compute


def _stretched(x: Array, shape: tuple[int, ...], size: int) -> Any:
    """In one axis."""
    if x.size == 1:
        return x.repeat(size)
    return (x if x.shape == shape else np.broadcast_to(x, shape)).reshape(-1)
