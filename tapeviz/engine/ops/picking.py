"""The op table: slices, gather and masks, each beside its transpose."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from tapeviz.engine.backward.slices import Slices
from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts
from tapeviz.engine.op_errors.reasons import index_out_of_range, indices_out_of_range
from tapeviz.engine.op_errors.scatter_shapes import require_scattered
from tapeviz.engine.ops.array import Shape, reshape
from tapeviz.engine.rules.batching import Batch
from tapeviz.engine.specs.dtypes import Array
from tapeviz.engine.values.convert import unboxed
from tapeviz.errors import InvalidArgumentError

# ----- picking by place: ints, (start, stop, step), None for a new axis, "..." -----


def _indexer(index: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(slice(*each) if type(each) is tuple else ... if each == "..." else each for each in index)


def _put(x: Array, *, index: tuple[Any, ...], shape: Shape) -> Any:
    out = np.zeros(shape, x.dtype)
    out[_indexer(index)] = x
    return unboxed(out)


getitem = defop(
    "getitem",
    lambda x, *, index: unboxed(x[_indexer(index)]),
    x=lambda g, x_shape, index: put(g, index=index, shape=x_shape),
)
put = defop("put", _put, x=lambda g, index: getitem(g, index=index))

# ----- picking by tensors of indices -----


def _within(indices: Array, length: int) -> None:
    if indices.size:
        low, high = int(np.min(indices)), int(np.max(indices))
        if low < 0 or high >= length:
            raise InvalidArgumentError(f"{index_out_of_range(indices, length)}. In gather.", at_run=True)


def _gather(x: Array, indices: Array, *, axis: int, batch_dims: int) -> Any:
    _within(indices, x.shape[axis])
    if not batch_dims:
        return unboxed(x.take(indices.astype(np.intp, copy=False), axis))
    axis = normalize_axis_index(axis, x.ndim)
    rows = indices.reshape(indices.shape[:batch_dims] + (1,) * (axis - batch_dims) + indices.shape[batch_dims:])
    rows = rows.reshape(rows.shape + (1,) * (x.ndim - axis - 1))
    lead = [np.arange(x.shape[i]).reshape((-1,) + (1,) * (rows.ndim - i - 1)) for i in range(axis)]
    after = x.ndim - axis - 1
    tail = [np.arange(x.shape[axis + 1 + i]).reshape((-1,) + (1,) * (after - i - 1)) for i in range(after)]
    return x[(*lead, rows, *tail)]


def _scatter_rows(x: Array, indices: Array, *, shape: Shape, axis: int, batch_dims: int) -> Any:
    """The transpose of gather: each row is added to where it was read from."""
    places = _gather(np.arange(int(np.prod(shape))).reshape(shape), indices, axis=axis, batch_dims=batch_dims)
    return _add_at(places, x, shape)


def _add_at(places: Array, x: Array, shape: Shape) -> Any:
    out = np.full(int(np.prod(shape)), b"" if x.dtype.kind == "O" else 0, x.dtype)
    np.add.at(out, np.reshape(places, -1), np.reshape(x, -1))
    return unboxed(out.reshape(shape))


def _gather_rule(g: Any, indices: Any, x_shape: Shape, axis: int, batch_dims: int) -> Any:
    """The VJP of gather: slices along the first axis, as most rows of a large table are not read."""
    if axis or batch_dims or type(g) is Batch:
        return scatter_rows(g, indices, shape=x_shape, axis=axis, batch_dims=batch_dims)
    picked = math.prod(indices.shape)
    return Slices([(reshape(g, shape=(picked, *x_shape[1:])), reshape(indices, shape=(picked,)))], x_shape)


gather = defop("gather", _gather, x=_gather_rule, indices=None)
scatter_rows = defop(
    "scatter_rows",
    _scatter_rows,
    Facts(tangents="transposed"),  # as `scatter_nd` below
    x=lambda g, indices, axis, batch_dims: gather(g, indices, axis=axis, batch_dims=batch_dims),
    indices=None,
)


def columns_of(op: str, indices: object, shape: Shape) -> tuple[Any, ...]:
    """The indices into each of the first axes of a shape, from rows of them.

    Raises:
        InvalidArgumentError: one is outside the shape.
    """
    columns = tuple(np.moveaxis(np.asarray(indices), -1, 0))
    for column, length in zip(columns, shape, strict=False):
        if column.size and (int(np.min(column)) < 0 or int(np.max(column)) >= length):
            raise InvalidArgumentError(f"{indices_out_of_range(indices, shape)}. In {op}.", at_run=True)
    return columns


def _gather_nd(x: Array, indices: Array, *, batch_dims: int, op: str = "gather_nd") -> Any:
    columns = columns_of(op, indices, x.shape[batch_dims:])
    lead = [np.arange(x.shape[i]).reshape((-1,) + (1,) * (indices.ndim - 2 - i)) for i in range(batch_dims)]
    if not columns:  # an index of no numbers is of the whole
        return np.array(np.broadcast_to(x[tuple(lead)], indices.shape[:-1] + x.shape[batch_dims:]))
    return unboxed(x[(*lead, *columns)])


def _scatter_nd(x: Array, indices: Array, *, shape: Shape, batch_dims: int) -> Any:
    whole = np.arange(int(np.prod(shape))).reshape(shape)
    places = _gather_nd(whole, indices, batch_dims=batch_dims, op="scatter_nd")
    return _add_at(places, x, shape)


def _gather_nd_rule(g: Array, indices: Array, x_shape: Shape, batch_dims: int) -> Any:
    """A list of rows is a `gather`; one place alone cannot be scattered to.

    Raises:
        InvalidArgumentError: indices that are a vector, or have no numbers in a row.
    """
    if not batch_dims:
        if len(indices.shape) == 2 and indices.shape[-1] == 1:
            return _gather_rule(g, reshape(indices, shape=(indices.shape[0],)), x_shape, 0, 0)
        require_scattered("scatter_nd", indices.shape, g.shape, x_shape)
    return scatter_nd(g, indices, shape=x_shape, batch_dims=batch_dims)


gather_nd = defop(
    "gather_nd",
    lambda x, indices, *, batch_dims: _gather_nd(x, indices, batch_dims=batch_dims),
    x=_gather_nd_rule,
    indices=None,
)
scatter_nd = defop(
    "scatter_nd",
    _scatter_nd,
    Facts(tangents="transposed"),  # by the gradient of `gather`: slices, as TensorFlow's
    x=lambda g, indices, batch_dims: gather_nd(g, indices, batch_dims=batch_dims),
    indices=None,
)


# ----- picking by a mask -----

boolean_mask = defop(
    "boolean_mask",
    lambda x, mask, *, axis: x[(slice(None),) * axis + (mask,)],
    x=lambda g, mask, x_shape, axis: put_mask(g, mask, shape=x_shape, axis=axis),
    mask=None,
)


def _put_mask(x: Array, mask: Array, *, shape: Shape, axis: int) -> Any:
    out = np.zeros(shape, x.dtype)
    out[(slice(None),) * axis + (mask,)] = x
    return out


put_mask = defop(
    "put_mask",
    _put_mask,
    x=lambda g, mask, axis: boolean_mask(g, mask, axis=axis),
    mask=None,
)
