"""Shapes that do not fit -> TensorFlow's message."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

from tapeviz.engine.graph_mode.batch_length import batch_length
from tapeviz.engine.op_errors.messages.axes import is_axis, no_such_axis
from tapeviz.engine.op_errors.messages.base import MessageFunction, Values
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.errors import Unforeseen


def incompatible_shapes(x: Iterable[int], y: Iterable[int]) -> str:
    """The message about two shapes that do not broadcast."""
    return f"Incompatible shapes: {listed(x)} vs. {listed(y)}"


def different_update_shape(variable: Iterable[int], update: Iterable[int]) -> str:
    """The message about an update of another shape than the variable's, where updates are not broadcast."""
    return (
        f"Cannot update variable with shape {listed(variable)} using a Tensor with shape {listed(update)}, shapes must "
        "be equal"
    )


def elementwise(values: Values) -> str | None:
    """The message about two operands that do not broadcast."""
    x, y = (each.shape for each in values)
    try:
        np.broadcast_shapes(x, y)
    except ValueError:
        said = incompatible_shapes(x, y)
        return Unforeseen(said) if _are_open(x, y) else said
    return None


def _are_open(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
    """Whether all mismatches are with the length of a batch, which a graph does not know."""
    axes = range(-1, -min(len(x), len(y)) - 1, -1)
    unlike = [axis for axis in axes if x[axis] != y[axis] and 1 not in (x[axis], y[axis])]
    return all(any(-axis == len(each) and each[0] == batch_length.get() for each in (x, y)) for axis in unlike)


def _broadcast_to(values: Values, *, shape: Any) -> str:
    unlike = elementwise((values[0], np.empty(shape, np.bool_)))
    return unlike or f"Unable to broadcast tensor of shape {listed(values[0].shape)} to tensor of shape {listed(shape)}"


def _where(values: Values) -> str:
    condition, x, y = (listed(each.shape) for each in values)
    return f"condition {condition}, then {x}, and else {y} must be broadcastable"


def _mask(values: Values) -> str:
    x, condition = (listed(each.shape) for each in values)
    return f"condition {condition}, then {x}, and else [] must be broadcastable"


def _reshape(values: Values, *, shape: Any) -> str:
    unknown = [i for i, n in enumerate(shape) if n == -1]
    if len(unknown) > 1:
        return Unforeseen(f"Only one input size may be -1, not both {unknown[0]} and {unknown[1]}")
    wanted = prod(n for n in shape if n != -1)
    needs = f"shape requires a multiple of {wanted}" if unknown else f"shape has {wanted}"
    return f"Input to reshape is a tensor with {values[0].size} values, but the requested {needs}"


def _transpose(values: Values, *, perm: Any) -> str | None:
    rank = values[0].ndim
    if len(perm) != rank:
        return f"transpose expects a vector of size {rank}. But input(1) is a vector of size {len(perm)}"
    far = next((f"{i} is out of range [0 .. {rank})" for i in perm if not 0 <= i < rank), None)
    order = ",".join(map(str, perm))
    return far or next((Unforeseen(f"{i} is missing from {{{order}}}.") for i in range(rank) if i not in perm), None)


def _expand_dims(values: Values, *, axis: int) -> str:
    return f"Tried to expand dim index {axis} for tensor with {values[0].ndim} dimensions."


def _squeeze(values: Values, *, axis: Any) -> str | None:
    shape = values[0].shape
    for i in axis:
        if not is_axis(i, len(shape)):
            return f"Tried to squeeze dim index {i} for tensor with {len(shape)} dimensions."
    wide = next((i % len(shape) for i in axis if shape[i] != 1), None)
    return None if wide is None else f"Can not squeeze dim[{wide}], expected a dimension of 1, got {shape[wide]}"


def _concat(values: Values, *, axis: int) -> str | None:
    first = values[0].shape
    if not is_axis(axis, len(first)):
        return f"ConcatOp : {no_such_axis('Expected concatenating dimensions')(values, axis=axis)}"
    for i, each in enumerate(values):
        both = f"shape[0] = {listed(first)} vs. shape[{i}] = {listed(each.shape)}"
        if each.ndim != len(first):
            return f"ConcatOp : Ranks of all input tensors should match: {both}"
        differ = [at for at, n in enumerate(each.shape) if n != first[at] and at != axis % len(first)]
        if differ:
            return f"ConcatOp : Dimension {differ[0]} in both shapes must be equal: {both}"
    return None


def _stack(values: Values, *, axis: int) -> str | None:
    first = values[0].shape
    for i, each in enumerate(values):
        if each.shape != first:
            return (
                f"Shapes of all inputs must match: values[0].shape = {listed(first)} != "
                f"values[{i}].shape = {listed(each.shape)}"
            )
    return None


def different_addends(values: Values) -> str:
    """The message about tensors of different shapes in a sum without broadcasting."""
    first = values[0].shape
    i, other = next((i, each.shape) for i, each in enumerate(values) if each.shape != first)
    same = "Inputs to operation AddN of type AddN must have the same size and shape."
    return f"{same}  Input 0: {listed(first)} != input {i}: {listed(other)}"


def _tile(values: Values, *, multiples: Any) -> str | None:
    wrong = ((i, n) for i, n in enumerate(multiples) if n < 0)
    return next((Unforeseen(f"Expected multiples[{i}] >= 0, but got {n}") for i, n in wrong), None)


def _repeat(values: Values, *, repeats: Any, axis: int) -> str | None:
    """The message of `tile`, by which TensorFlow repeats, along a new axis behind the repeated one."""
    return _tile(values, multiples=(*[1] * (axis + 1), min(repeats)))


MESSAGES: dict[str, MessageFunction] = {
    "broadcast_to": _broadcast_to,
    "concat": _concat,
    "expand_dims": _expand_dims,
    "repeat": _repeat,
    "reshape": _reshape,
    "squeeze": _squeeze,
    "stack": _stack,
    "tile": _tile,
    "transpose": _transpose,
    "mask": _mask,
    "where": _where,
}
