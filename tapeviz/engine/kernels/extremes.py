"""Two arrays -> the larger or the smaller number of each two; of 0 and -0, the one that TensorFlow gives.

NumPy's loops give the second of them, as the registers of TensorFlow's machine do; of what is left over beside full
registers TensorFlow gives the first. Numbers of 16 bits fill none: bfloat16 is here an array of a class of its own, and
with float16 NumPy gives the first too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import float32, float64, ndarray

from tapeviz.engine.kernels.eigen_math import FEW, LANES
from tapeviz.engine.specs.dtypes import Array

OfTwo = Callable[[Any, Any], Any]


def _of_two(extreme: OfTwo, is_it: OfTwo) -> OfTwo:
    def compute(x: Any, y: Any) -> Any:
        kind = type(x)
        if kind is type(y) and (kind is float32 or kind is float64):
            return x if is_it(x, y) or x != x else y
        if kind is not ndarray and isinstance(x, ndarray):
            return extreme(y, x)
        count, lanes = _count(x, y), LANES.get(x.dtype.char)
        if lanes is None or count > FEW:
            return extreme(x, y)
        left = count % lanes
        if left == count:
            return extreme(y, x)
        found = extreme(x, y)
        if left:
            if x.shape != y.shape and x.ndim and y.ndim:
                x, y = np.broadcast_arrays(x, y)
            found.flat[-left:] = extreme(y.flat[-left:], x.flat[-left:])
        return found

    return compute


def _count(x: Array, y: Array) -> int:
    """The size of the result; NumPy raises the error for shapes that do not broadcast."""
    if not y.ndim or x.shape == y.shape:
        return int(x.size)
    return int(y.size if not x.ndim else np.broadcast(x, y).size)


larger = _of_two(np.maximum, operator.ge)
smaller = _of_two(np.minimum, operator.le)
