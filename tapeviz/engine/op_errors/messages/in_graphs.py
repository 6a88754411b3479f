"""Shapes that do not fit -> TensorFlow's message while it builds a graph, where only shapes are known."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tapeviz.engine.op_errors.messages.axes import is_axis
from tapeviz.engine.op_errors.messages.base import MessageFunction, Shape, Values
from tapeviz.engine.op_errors.messages.shapes import ELEMENTWISE
from tapeviz.engine.op_errors.spelling import listed


def different_shapes(first: Shape, other: Shape) -> str | None:
    """The message about two shapes that should be the same, if they are not; None stands for any length."""
    if len(first) != len(other):
        return f"Shapes must be equal rank, but are {len(first)} and {len(other)}"
    at = next((i for i, n in enumerate(other) if n != first[i] and None not in (n, first[i])), None)
    if at is None:
        return None
    shapes = f"{listed(first)} and {listed(other)}"
    return f"Dimension {at} in both shapes must be equal, but are {first[at]} and {other[at]}. Shapes are {shapes}."


def unequal_dimensions(first: Shape, other: Shape) -> str | None:
    """The message about two shapes that do not broadcast, from the last axis on."""
    pairs = zip(first[::-1], other[::-1], strict=False)
    unlike = [(a, b) for a, b in pairs if a != b and 1 not in (a, b)]
    return f"Dimensions must be equal, but are {unlike[-1][0]} and {unlike[-1][1]}" if unlike else None


def _unlike_operands(values: Values) -> str | None:
    x, y = values
    return unequal_dimensions(x.shape, y.shape)


def _unlike_target(values: Values, *, shape: Any) -> str | None:
    return unequal_dimensions(values[0].shape, tuple(shape))


def _unlike_branches(values: Values) -> str | None:
    condition, x, y = (each.shape for each in values)
    return unequal_dimensions(x, y) or unequal_dimensions(condition, np.broadcast_shapes(x, y))


def _unlike_pieces(values: Values, *, axis: int) -> str | None:
    """Of pieces to join: their shapes without the axis along which they are."""
    rank = values[0].ndim
    other = next((each.ndim for each in values if each.ndim != rank), None)
    if not is_axis(axis, rank):
        return f"Shape must be at least rank {axis + 1 if axis >= 0 else -axis} but is rank {rank}"
    if other is not None:
        return f"Shape must be rank {rank} but is rank {other}"
    pieces = [tuple(np.delete(each.shape, axis).tolist()) for each in values]
    return next(filter(None, (different_shapes(pieces[0], each) for each in pieces)), None)


def different_shapes_among(values: Values) -> str | None:
    """The message about tensors that should have one shape, if they have not."""
    for i, each in enumerate(values):
        unlike = different_shapes(values[0].shape, each.shape)
        if unlike:
            return f"{unlike}\n\tFrom merging shape {i - 1} with other shapes."
    return None


def _unlike_rows(values: Values, *, axis: int) -> str | None:
    return different_shapes_among(values)


def _unlike_sizes(values: Values, *, shape: Any) -> str | None:
    if -1 in shape:
        wanted = prod(n for n in shape if n != -1)
        return f"Dimension size must be evenly divisible by {wanted} but is {values[0].size}"
    return f"Cannot reshape a tensor with {values[0].size} elements to shape {listed(shape)} ({prod(shape)} elements)"


def _order_of_others(values: Values, *, perm: Any) -> str | None:
    rank = values[0].ndim
    if len(perm) != rank:
        return f"Dimension must be {rank} but is {len(perm)}"
    return next((f"perm dim {i} is out of range of input rank {rank}" for i in perm if not is_axis(i, rank)), None)


def _no_place_for_axis(values: Values, *, axis: int) -> str:
    rank = values[0].ndim
    return f"dim {axis} not in the interval [{-rank - 1}, {rank}]."


def _no_axis_to_squeeze(values: Values, *, axis: Any) -> str | None:
    rank = values[0].ndim
    far = (at for at, i in enumerate(axis) if not is_axis(i, rank))
    return next((f"squeeze_dims[{at}] not in [{-rank},{rank})." for at in far), None)


def rank_below_two(x: Any) -> str | None:
    """The message about an array that has too few axes for a matrix, if it has."""
    return f"Shape must be at least rank 2 but is rank {x.ndim}" if x.ndim < 2 else None


_BY_COLUMNS = ("det", "slogdet", "expm")
"""Ops for which TensorFlow tells of the columns first."""


def not_square_in_graph(x: Any, op: str) -> str | None:
    """The message about an array for an op that takes square matrices, if it has no matrices, or others."""
    if x.ndim < 2 or x.shape[-1] == x.shape[-2]:
        return rank_below_two(x)
    rows, columns = x.shape[-2:]
    first, second = (columns, rows) if op in _BY_COLUMNS else (rows, columns)
    return f"Dimensions must be equal, but are {first} and {second}"


def _no_matrix(values: Values, **rest: Any) -> str | None:
    return rank_below_two(values[0])


def _too_deep(values: Values, *, batch_dims: int) -> str | None:
    x, indices = (listed(each.shape) for each in values)
    said = f"indices.shape[-1] must be <= params.rank, but saw indices shape: {indices} and params shape: {x}"
    return None if batch_dims else said


MESSAGES: dict[str, MessageFunction] = {
    **dict.fromkeys(ELEMENTWISE, _unlike_operands),
    **dict.fromkeys(("qr", "svd", "eigh", "slogdet", "diag_part"), _no_matrix),
    "broadcast_to": _unlike_target,
    "concat": _unlike_pieces,
    "expand_dims": _no_place_for_axis,
    "gather_nd": _too_deep,
    "reshape": _unlike_sizes,
    "squeeze": _no_axis_to_squeeze,
    "stack": _unlike_rows,
    "transpose": _order_of_others,
    "where": _unlike_branches,
}
