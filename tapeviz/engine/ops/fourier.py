"""The op table: Fourier transforms along the last axis, the last two and the last three.

A transform is the transpose of itself, so its rule, the conjugate transpose, is the inverse but for its scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts
from tapeviz.engine.kernels import silent
from tapeviz.engine.specs.dtypes import Array
from tapeviz.engine.values.convert import unboxed


def _primal(transform: Callable[..., Any], rank: int) -> Callable[[Any], Any]:
    axes = tuple(range(-rank, 0))

    def transformed(x: Array) -> Any:
        return unboxed(transform(x, axes=axes).astype(x.dtype, copy=False)) if x.size else x

    return transformed


def _pair(forwards: str, backwards: str, rank: int) -> tuple[Any, Any]:
    """A transform and its inverse."""

    def count(g: Array) -> float:
        return float(math.prod(g.shape[-rank:]))

    def transform(name: str, primal: Callable[..., Any], rule: Callable[[Any], Any]) -> Any:
        return defop(name, _primal(primal, rank), Facts(over="rows", holomorphic=False), x=rule)

    there = transform(forwards, silent.fftn, lambda g: back(g) * count(g))
    back = transform(backwards, silent.ifftn, lambda g: there(g) * (1 / count(g)))
    return there, back


fft, ifft = _pair("fft", "ifft", 1)
fft2d, ifft2d = _pair("fft2d", "ifft2d", 2)
fft3d, ifft3d = _pair("fft3d", "ifft3d", 3)
