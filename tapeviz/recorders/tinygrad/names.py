"""A node of tinygrad's graph -> the op of the catalog that it is, and which of its sources are operands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tinygrad.dtype import dtypes
from tinygrad.uop import Ops

from tapeviz.events.types import Attrs
from tapeviz.recorders.plain_values import plain
from tapeviz.recorders.tinygrad.table import ROWS

MOVES = frozenset((Ops.RESHAPE, Ops.EXPAND, Ops.PAD, Ops.SHRINK, Ops.PERMUTE, Ops.FLIP))
"""Ops of which only the first source is an operand; the others are numbers that say where to."""

LEAVES = frozenset((Ops.BUFFER, Ops.CONST, Ops.PARAM, Ops.RANGE, Ops.MSTACK, Ops.MSELECT, Ops.INDEX))
"""What is made of no other tensor."""


@dataclass(frozen=True)
class Form:
    """How a node is written into the log: the name of its op, and attributes."""

    name: str
    attrs: Attrs = ()


def form_of(uop: Any) -> Form:
    """The op that a node is."""
    op = uop.op
    if op is Ops.GETTUPLE and uop.src[0].op is Ops.FUNCTION:
        return Form(str(getattr(uop.src[0].arg, "name", None) or "function"))
    if op in (Ops.AFTER, Ops.GETTUPLE):
        return Form("identity")
    own = f"REDUCE.{uop.arg[0].name}" if op is Ops.REDUCE else op.name
    signature = ROWS.get(own)
    name = signature.name if signature is not None else op.name.lower()
    return Form(name, tuple((key, plain(value)) for key, value in _attributes(uop)))


def operands_of(uop: Any) -> list[tuple[int, Any]]:
    """The nodes whose numbers go into a node's, each with the index of the source by which a gradient comes to it."""
    op = uop.op
    if op is Ops.GETTUPLE:
        inner = uop.src[0]
        if inner.op is Ops.TUPLE:
            return [(uop.arg, inner.src[uop.arg])]
        return list(enumerate(inner.src[1:], 1))
    if op is Ops.AFTER:
        stores = [each for each in uop.src[1:] if each.op is Ops.STORE]
        return [(1, stores[0].src[1])] if stores else [(0, uop.src[0])]
    if op in MOVES:
        return [(0, uop.src[0])]
    return [] if op in LEAVES else list(enumerate(uop.src))


def is_number(uop: Any) -> bool:
    """Whether a node is a single number that was written into an expression: it is in no device's memory."""
    return uop.device is None and uop.shape == ()


def has_gradient(uop: Any) -> bool:
    """Whether a gradient can pass a node: its numbers are floats."""
    return bool(dtypes.is_float(uop.dtype))


def _attributes(uop: Any) -> list[tuple[str, Any]]:
    op = uop.op
    if op is Ops.REDUCE:
        return [("axis", tuple(range(uop.arg[1])))]
    if op is Ops.CAST:
        return [("dtype", dtype_name(uop.dtype)), ("source", dtype_name(uop.src[0].dtype))]
    if op in (Ops.RESHAPE, Ops.EXPAND):
        return [("shape", tuple(uop.shape))]
    if op is Ops.PERMUTE:
        return [("perm", uop.marg)]
    if op is Ops.FLIP:
        return [("axis", tuple(axis for axis, turns in enumerate(uop.marg) if turns))]
    if op is Ops.SHRINK:
        return [("index", tuple((start, start + size, None) for start, size in uop.marg))]
    if op is Ops.PAD:
        lengths = uop.src[0].shape
        return [("paddings", tuple((a, size - a - n) for (a, size), n in zip(uop.marg, lengths, strict=True)))]
    return [("axis", 0)] if op is Ops.STACK else []


def dtype_name(dtype: Any) -> str:
    return {"float": "float32", "double": "float64", "half": "float16", "int": "int32", "long": "int64"}.get(
        str(dtype).removeprefix("dtypes."), str(dtype).removeprefix("dtypes.")
    )
