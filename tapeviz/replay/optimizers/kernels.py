"""The ops that optimizers are made of, each rounded where a library's kernel rounds.

A kernel of PyTorch's multiplies and adds in one rounding where the processor can, as all do that XLA compiles; of 16
bits PyTorch computes in 32. Sources: `aten/src/ATen/native/cpu/{BinaryOps,Lerp,PointwiseOps}Kernel.cpp` of PyTorch.

Of roots and sums the last digit depends on the processor: in `as_in` a library whose programs this process records they
are the library's own; elsewhere a root is the nearest number, and a sum is NumPy's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from tapeviz.events.own_kernels import NUMPYS, Kernel, OwnKernels, kernels_of
from tapeviz.replay.optimizers.steps import Array

HALF = 2
"""Bytes of the dtypes whose ops are computed in float32."""
_OWN: ContextVar[OwnKernels] = ContextVar("tapeviz.own_kernels", default=NUMPYS)


@contextmanager
def as_in(library: str) -> Iterator[None]:
    """A block in which roots and sums are those of a library, if this process knows them."""
    before = _OWN.set(kernels_of(library))
    try:
        yield
    finally:
        _OWN.reset(before)


def _by(own: Kernel | None, a: Array) -> Array | None:
    """What a framework's kernel gives; None without one, or where it has no such dtype."""
    if own is None or a.dtype not in (np.float32, np.float64):
        return None
    found = np.asarray(own(a))
    return found if found.dtype == a.dtype else None


def multiply_add(a: Any, b: Array, c: Array) -> Array:
    """a b + c in one rounding: of float32, what float64 gives holds all digits that count; of float64, in two.

    >>> multiply_add(3.0, np.float32([2.0]), np.float32([1.0]))
    array([7.], dtype=float32)
    """
    kind = _computed_in(c)
    exact = np.asarray(a, kind).astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)
    found: Array = exact.astype(kind).astype(c.dtype)
    return found


def root(a: Array) -> Array:
    """√a.

    >>> root(np.float32([4.0]))
    array([2.], dtype=float32)
    """
    own = _by(_OWN.get().root, a)
    found: Array = np.sqrt(a) if own is None else own
    return found


def inverse_root(a: Array) -> Array:
    """1 / √a, rounded once.

    >>> inverse_root(np.float32([4.0]))
    array([0.5], dtype=float32)
    """
    own = _by(_OWN.get().inverse_root, a)
    found: Array = (1 / np.sqrt(a.astype(np.float64))).astype(a.dtype) if own is None else own
    return found


def total(a: Array) -> Array:
    """The sum of all entries.

    >>> total(np.float32([1.0, 2.0]))
    np.float32(3.0)
    """
    own = _by(_OWN.get().total, a)
    found: Array = np.sum(a) if own is None else own
    return found


def norm(arrays: Sequence[Array]) -> Any:
    """The root of the sum of all squares.

    >>> norm([np.float32([3.0]), np.float32([[4.0]])])
    np.float32(5.0)
    """
    return np.sqrt(total(np.stack([total(each * each) for each in arrays])))


def add(a: Array, b: Array, alpha: float) -> Array:
    """a + alpha b, as `a.add(b, alpha=alpha)` gives it.

    >>> add(np.float32([1.0]), np.float32([2.0]), 0.5)
    array([2.], dtype=float32)
    """
    return multiply_add(alpha, b, a)


def lerp(a: Array, b: Array, weight: float) -> Array:
    """a + weight (b - a), as `a.lerp(b, weight)` gives it: from the end that is nearer.

    >>> lerp(np.float32([1.0]), np.float32([3.0]), 0.5)
    array([2.], dtype=float32)
    """
    kind = _computed_in(a)
    apart = b.astype(kind) - a.astype(kind)
    if abs(kind(weight)) < 0.5:
        return multiply_add(weight, apart, a)
    return multiply_add(kind(weight) - kind(1), apart, b)


def addcmul(a: Array, b: Array, c: Array, value: float) -> Array:
    """a + value b c, as `a.addcmul(b, c, value=value)` gives it.

    >>> addcmul(np.float32([1.0]), np.float32([2.0]), np.float32([3.0]), 0.5)
    array([4.], dtype=float32)
    """
    kind = _computed_in(a)
    return multiply_add(kind(value) * b.astype(kind), c, a)


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
