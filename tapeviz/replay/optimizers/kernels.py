"""The ops that PyTorch's optimizers are made of, each rounded where its kernel rounds.

A kernel multiplies and adds in one rounding where the processor can; of 16 bits it computes in 32. Sources:
`aten/src/ATen/native/cpu/{BinaryOps,Lerp,PointwiseOps}Kernel.cpp` of PyTorch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.replay.optimizers.steps import Array

HALF = 2
"""Bytes of the dtypes whose ops are computed in float32."""


def add(a: Array, b: Array, alpha: float) -> Array:
    """a + alpha b, as `a.add(b, alpha=alpha)` gives it.

    >>> add(np.float32([1.0]), np.float32([2.0]), 0.5)
    array([2.], dtype=float32)
    """
    kind = _computed_in(a)
    return _fused(kind(alpha), b, a, a.dtype)


def lerp(a: Array, b: Array, weight: float) -> Array:
    """a + weight (b - a), as `a.lerp(b, weight)` gives it: from the end that is nearer.

    >>> lerp(np.float32([1.0]), np.float32([3.0]), 0.5)
    array([2.], dtype=float32)
    """
    kind = _computed_in(a)
    apart = b.astype(kind) - a.astype(kind)
    if abs(kind(weight)) < 0.5:
        return _fused(kind(weight), apart, a, a.dtype)
    return _fused(kind(weight) - kind(1), apart, b, a.dtype)


def addcmul(a: Array, b: Array, c: Array, value: float) -> Array:
    """a + value b c, as `a.addcmul(b, c, value=value)` gives it.

    >>> addcmul(np.float32([1.0]), np.float32([2.0]), np.float32([3.0]), 0.5)
    array([4.], dtype=float32)
    """
    kind = _computed_in(a)
    return _fused(kind(value) * b.astype(kind), c, a, a.dtype)


def addcdiv(a: Array, b: Array, c: Array, value: float) -> Array:
    """a + value b / c, as `a.addcdiv(b, c, value=value)` gives it.

    >>> addcdiv(np.float32([1.0]), np.float32([3.0]), np.float32([2.0]), 2.0)
    array([4.], dtype=float32)
    """
    kind = _computed_in(a)
    found: Array = (a.astype(kind) + kind(value) * b.astype(kind) / c.astype(kind)).astype(a.dtype)
    return found


def _computed_in(a: Array) -> Any:
    return np.float32 if a.dtype.itemsize == HALF else a.dtype.type


def _fused(a: Any, b: Array, c: Array, dtype: np.dtype[Any]) -> Array:
    """a b + c in one rounding: of float32, what float64 gives holds all digits that count; of float64, in two."""
    exact = np.asarray(a, np.float64) * b.astype(np.float64) + c.astype(np.float64)
    found: Array = exact.astype(_computed_in(c)).astype(dtype)
    return found
