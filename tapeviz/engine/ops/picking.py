"""The op table: slices, gather and scatter, masks and top-k, each beside its transpose."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from tapeviz.engine.backward.slices import Slices
from tapeviz.engine.facts import Facts
from tapeviz.engine.kernels.insertion_sort import SHORT, inserted
from tapeviz.engine.kernels.top_k import largest
from tapeviz.engine.op import defop
from tapeviz.engine.op_errors.messages.indices import index_out_of_range, indices_out_of_range
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.scatter_shapes import require_scattered
from tapeviz.engine.ops.array import Shape, cast_like, dtype_name, reshape
from tapeviz.engine.ops.math import equal, zeros_like
from tapeviz.engine.rules.batching import Batch
from tapeviz.engine.values.convert import unboxed
from tapeviz.errors import InvalidArgumentError

# ----- picking by place: ints, (start, stop, step), None for a new axis, "..." -----


def _indexer(index: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(slice(*each) if type(each) is tuple else ... if each == "..." else each for each in index)


def _put(x: Any, *, index: tuple[Any, ...], shape: Shape) -> Any:
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


def _within(indices: Any, length: int) -> None:
    if indices.size:
        low, high = int(np.min(indices)), int(np.max(indices))
        if low < 0 or high >= length:
            raise InvalidArgumentError(f"{index_out_of_range(indices, length)}. In gather.", at_run=True)


def _gather(x: Any, indices: Any, *, axis: int, batch_dims: int) -> Any:
    _within(indices, x.shape[axis])
    if not batch_dims:
        return unboxed(x.take(indices, axis))
    axis = normalize_axis_index(axis, x.ndim)
    rows = indices.reshape(indices.shape[:batch_dims] + (1,) * (axis - batch_dims) + indices.shape[batch_dims:])
    rows = rows.reshape(rows.shape + (1,) * (x.ndim - axis - 1))
    lead = [np.arange(x.shape[i]).reshape((-1,) + (1,) * (rows.ndim - i - 1)) for i in range(axis)]
    after = x.ndim - axis - 1
    tail = [np.arange(x.shape[axis + 1 + i]).reshape((-1,) + (1,) * (after - i - 1)) for i in range(after)]
    return x[(*lead, rows, *tail)]


def _scatter_rows(x: Any, indices: Any, *, shape: Shape, axis: int, batch_dims: int) -> Any:
    """The transpose of gather: each row is added to where it was read from."""
    places = _gather(np.arange(int(np.prod(shape))).reshape(shape), indices, axis=axis, batch_dims=batch_dims)
    return _add_at(places, x, shape)


def _add_at(places: Any, x: Any, shape: Shape) -> Any:
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


def _columns(op: str, indices: Any, shape: Shape) -> tuple[Any, ...]:
    columns = tuple(np.moveaxis(np.asarray(indices), -1, 0))
    for column, length in zip(columns, shape, strict=False):
        if column.size and (int(np.min(column)) < 0 or int(np.max(column)) >= length):
            raise InvalidArgumentError(f"{indices_out_of_range(op, indices, shape)}. In {op}.", at_run=True)
    return columns


def _gather_nd(x: Any, indices: Any, *, batch_dims: int, op: str = "gather_nd") -> Any:
    columns = _columns(op, indices, x.shape[batch_dims:])
    lead = [np.arange(x.shape[i]).reshape((-1,) + (1,) * (indices.ndim - 2 - i)) for i in range(batch_dims)]
    if not columns:  # an index of no numbers is of the whole
        return np.array(np.broadcast_to(x[tuple(lead)], indices.shape[:-1] + x.shape[batch_dims:]))
    return unboxed(x[(*lead, *columns)])


def _scatter_nd(x: Any, indices: Any, *, shape: Shape, batch_dims: int) -> Any:
    whole = np.arange(int(np.prod(shape))).reshape(shape)
    places = _gather_nd(whole, indices, batch_dims=batch_dims, op="scatter_nd")
    return _add_at(places, x, shape)


def _gather_nd_rule(g: Any, indices: Any, x_shape: Shape, batch_dims: int) -> Any:
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


def _overwritten(x: Any, indices: Any, updates: Any) -> Any:
    out = np.array(x)
    out[_columns("tensor_scatter_nd_update", indices, x.shape)] = updates
    return out


def _joined(op: str, ufunc: Any) -> Callable[..., Any]:
    """A primal that combines each update with the number in its place."""

    def primal(x: Any, indices: Any, updates: Any) -> Any:
        out = np.array(x)
        ufunc.at(out, _columns(op, indices, x.shape), updates)
        return out

    return primal


def _extreme(op: str, ufunc: Any) -> Callable[..., Any]:
    """A primal that takes the larger, or smaller, of two numbers; NaN in x stays, and NaN in updates is ignored."""
    join = _joined(op, ufunc)
    return lambda x, indices, updates: np.where(x == x, join(x, indices, updates), x)


tensor_scatter_nd_update = defop(
    "tensor_scatter_nd_update",
    _overwritten,
    Facts(over="all"),
    x=lambda g, indices, updates_shape: tensor_scatter_nd_update(g, indices, np.zeros(updates_shape, dtype_name(g))),
    indices=None,
    updates=lambda g, indices: gather_nd(g, indices, batch_dims=0),
)
tensor_scatter_nd_add = defop(
    "tensor_scatter_nd_add",
    _joined("tensor_scatter_nd_add", np.add),
    Facts(over="all"),
    x=lambda g: g,
    indices=None,
    updates=lambda g, indices: gather_nd(g, indices, batch_dims=0),
)
tensor_scatter_nd_sub = defop(
    "tensor_scatter_nd_sub",
    _joined("tensor_scatter_nd_sub", np.subtract),
    Facts(over="all"),
    x=lambda g: g,
    indices=None,
    updates=lambda g, indices: gather_nd(-g, indices, batch_dims=0),
)


def _shares(g: Any, x: Any, indices: Any, updates: Any, out: Any, x_shape: Shape) -> tuple[Any, Any, Any]:
    """The gradient shared among equal numbers; which numbers of x are among these, and which updates."""
    old = cast_like(equal(x, out), g)
    new = cast_like(equal(updates, gather_nd(out, indices, batch_dims=0)), g)
    return g / (old + scatter_nd(new, indices, shape=x_shape, batch_dims=0)), old, new


def _old_rule(g: Any, x: Any, indices: Any, updates: Any, out: Any, x_shape: Shape) -> Any:
    share, old, _ = _shares(g, x, indices, updates, out, x_shape)
    return share * old


def _new_rule(g: Any, x: Any, indices: Any, updates: Any, out: Any, x_shape: Shape) -> Any:
    share, _, new = _shares(g, x, indices, updates, out, x_shape)
    return gather_nd(share, indices, batch_dims=0) * new


tensor_scatter_nd_max = defop(
    "tensor_scatter_nd_max",
    _extreme("tensor_scatter_nd_max", np.fmax),
    Facts(seed_shape="broadcast", over="all"),
    x=_old_rule,
    indices=None,
    updates=_new_rule,
)
tensor_scatter_nd_min = defop(
    "tensor_scatter_nd_min",
    _extreme("tensor_scatter_nd_min", np.fmin),
    Facts(seed_shape="broadcast", over="all"),
    x=_old_rule,
    indices=None,
    updates=_new_rule,
)

# ----- picking by a mask, and by rank -----

boolean_mask = defop(
    "boolean_mask",
    lambda x, mask, *, axis: x[(slice(None),) * axis + (mask,)],
    x=lambda g, mask, x_shape, axis: put_mask(g, mask, shape=x_shape, axis=axis),
    mask=None,
)


def _put_mask(x: Any, mask: Any, *, shape: Shape, axis: int) -> Any:
    out = np.zeros(shape, x.dtype)
    out[(slice(None),) * axis + (mask,)] = x
    return out


put_mask = defop(
    "put_mask",
    _put_mask,
    x=lambda g, mask, axis: boolean_mask(g, mask, axis=axis),
    mask=None,
)


def _order(x: Any, *, axis: int, descending: bool) -> Any:
    """The indices that sort; of equal numbers the lower index comes first, in both directions."""
    axis = normalize_axis_index(axis, x.ndim)
    if x.dtype.kind == "f" and x.shape[axis] <= SHORT and np.isnan(x).any():
        falling = x if descending else -x
        return np.apply_along_axis(lambda row: np.array(inserted(row.tolist()), np.int32), axis, falling)
    if not descending:
        return np.argsort(x, axis=axis, kind="stable").astype(np.int32)
    last = x.shape[axis] - 1
    backwards = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return (last - np.flip(backwards, axis)).astype(np.int32)


def _put_along(x: Any, indices: Any, *, shape: Shape, axis: int) -> Any:
    out = np.zeros(shape, x.dtype)
    np.put_along_axis(out, indices, x, axis)
    out += out.dtype.type(0)  # TensorFlow adds to zeros, and 0.0 + -0.0 is 0.0
    return out


def _as_it_falls(g: Any, descending: bool) -> Any:
    """A gradient on its way past a minus: TensorFlow knows how numbers fall, and has them rise by a minus, twice.

    So what none comes to is -0.0.
    """
    return g if descending else -g


argsort = defop(
    "argsort",
    _order,
    Facts(recast=True),
    x=lambda g, x, axis, descending: (
        _as_it_falls(zeros_like(x), descending) if axis in (-1, len(x.shape) - 1) else None
    ),
)
take_along = defop(
    "take_along",
    lambda x, indices, *, axis: np.take_along_axis(x, indices, axis),
    x=lambda g, indices, x_shape, axis: put_along(g, indices, shape=x_shape, axis=axis),
    indices=None,
)
put_along = defop(
    "put_along",
    _put_along,
    x=lambda g, indices, axis: take_along(g, indices, axis=axis),
    indices=None,
)
sort = defop(
    "sort",
    lambda x, *, axis, descending: np.take_along_axis(x, _order(x, axis=axis, descending=descending), axis),
    x=lambda g, x, x_shape, axis, descending: _as_it_falls(
        put_along(_as_it_falls(g, descending), argsort(x, axis=axis, descending=descending), shape=x_shape, axis=axis),
        descending,
    ),
)


def _top_k(x: Any, *, k: int, in_order: bool = True) -> tuple[Any, Any]:
    require(k >= 0, f"Need k >= 0, got {k}, in top_k.")
    require(
        k <= x.shape[-1],
        f"input must have at least k columns. Had {x.shape[-1]}, needed {k}, in top_k.",
        while_building=f"input must have last dimension >= k = {k} but is {x.shape[-1]}",
    )
    unsorted = not in_order and k > 1
    if 0 < k < x.shape[-1] and (unsorted or (x.dtype.kind == "f" and np.isnan(x).any())):
        rows = x.reshape(-1, x.shape[-1])
        indices = np.array([largest(row, k, in_order) for row in rows], np.int32).reshape(*x.shape[:-1], k)
    else:
        indices = _order(x, axis=-1, descending=True)[..., :k]
    return np.take_along_axis(x, indices, -1), indices


top_k = defop("top_k", _top_k, x=lambda g, out, x_shape: put_along(g[0], out[1], shape=x_shape, axis=-1))
