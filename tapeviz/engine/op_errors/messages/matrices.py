"""Matrices that do not fit -> TensorFlow's message."""

from __future__ import annotations

from math import prod
from typing import Any

from tapeviz.engine.op_errors.messages.base import MessageFunction, Values
from tapeviz.engine.op_errors.spelling import listed


def _batches(values: Values) -> str:
    x, y = (listed(each.shape) for each in values)
    return f"In[0] and In[1] must have compatible batch dimensions: {x} vs. {y}"


def not_square(x: Any) -> str:
    """The message about an array that is no square matrix."""
    return f"Input tensor 0 must have rank >= 2, got {x.ndim}" if x.ndim < 2 else "Input matrix must be square."


def _decomposition(values: Values, **rest: Any) -> str | None:
    x = values[0]
    return not_square(x) if x.ndim < 2 or x.shape[-1] != x.shape[-2] else None


def _diagonal(values: Values) -> str | None:
    shape = values[0].shape
    return f"input must be at least 2-dim, received shape: {listed(shape)}" if len(shape) < 2 else None


def _expm(values: Values, **rest: Any) -> str:
    """TensorFlow squares a list of matrices."""
    shape = values[0].shape
    squared = listed((prod(shape[:-2]), *shape[-2:]))
    return f"Matrix size-incompatible: In[0]: {squared}, In[1]: {squared} 0 0"


def _solve(values: Values) -> str:
    return "Input matrix and rhs are incompatible."


def _einsum(values: Values, *, equation: str) -> str | None:
    lengths: dict[str, int] = {}
    for slot, (labels, each) in enumerate(zip(equation.partition("->")[0].split(","), values, strict=True)):
        if len(labels) != each.ndim:
            return f"Expected input {slot} to have rank {len(labels)} but got: {each.ndim}"
        for axis, (label, n) in enumerate(zip(labels, each.shape, strict=True)):
            known = lengths.setdefault(label, n)
            if n != known:
                return (
                    f"Expected dimension {known} at axis {axis} of the input shaped {listed(each.shape)} "
                    f"but got dimension {n}"
                )
    return None


MESSAGES: dict[str, MessageFunction] = {
    **dict.fromkeys(("qr", "svd", "eigh", "slogdet"), _decomposition),
    "diag_part": _diagonal,
    "einsum": _einsum,
    "expm": _expm,
    "matmul": _batches,
    "solve": _solve,
}
