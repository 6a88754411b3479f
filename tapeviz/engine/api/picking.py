"""Picking by indices, conditions and rank, and putting back, under TensorFlow's names."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from tapeviz.engine.api.arguments import dtype_of, exactly, number_of, tensor_of, together, value_of
from tapeviz.engine.api.array import cast
from tapeviz.engine.api.clipping import clip_by_norm
from tapeviz.engine.api.integers import flag_of, one_of, setting_of, vector_of
from tapeviz.engine.api.joining import concat
from tapeviz.engine.api.table import export
from tapeviz.engine.constant import make
from tapeviz.engine.ops import math
from tapeviz.engine.ops import picking as ops
from tapeviz.engine.refusals.ops import require_scattered
from tapeviz.engine.refusals.require import require
from tapeviz.engine.refusals.sentences import listed
from tapeviz.errors import InvalidArgumentError


@export("gather")
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """The parts of `params` along an axis that `indices` name; one named twice gets both gradients.

    Raises:
        InvalidArgumentError: an index outside the axis, or batches that do not match or have the axis among them.
    """
    x, places = tensor_of(params), number_of(indices, f"{_gatherer(params)}.Tindices")
    along = batch_dims if axis is None else axis
    batch = 0 if batch_dims is None else setting_of(batch_dims, "batch_dims")
    axis, batch_dims = one_of(along, ".Taxis", hint=None, otherwise="axis must be scalar"), batch
    batch_dims = 0 if axis == 0 else batch_dims + places.ndim if batch_dims < 0 else batch_dims
    fits = 0 <= batch_dims <= axis % max(x.ndim, 1)
    if not fits:
        rank = f"Shape must be at least rank {axis + 1} but is rank {x.ndim}"
        raise InvalidArgumentError(f"{rank}. In gather along axis {axis} with {batch_dims} batch_dims.")
    _in_batches("gather", x.shape[:batch_dims], places.shape[:batch_dims])
    return ops.gather(x, places, axis=axis, batch_dims=batch_dims)


def _gatherer(params: Any) -> str:
    """Variables are gathered from by another op of TensorFlow's."""
    return "resource_gather" if hasattr(params, "read_value") else "gather"


def _in_batches(op: str, params: Any, indices: Any) -> None:
    """Params and indices agree in their first axes.

    Raises:
        InvalidArgumentError: they do not.
    """
    for i, (mine, theirs) in enumerate(zip(params, indices, strict=False)):
        if mine != theirs:
            both = f"params.shape[{i}]: {mine} should be equal to indices.shape[{i}]: {theirs}"
            raise InvalidArgumentError(f"{both}. In {op} they differ in their batches.", at_run=True)


@export("nn.embedding_lookup")
def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    """The rows of an embedding that `ids` name; with `max_norm`, longer ones are scaled down to that length.

    A list holds the parts of one embedding, the first rows first.

    Raises:
        ValueError: an empty list.
    """
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    rows = gather(concat(params, 0) if isinstance(params, list) else params, ids)
    if max_norm is None:
        return rows
    return clip_by_norm(rows, max_norm, axes=range(np.ndim(value_of(ids)), rows.ndim))


@export("gather_nd")
def gather_nd(
    params: Any, indices: Any, batch_dims: int = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Any:
    """The parts of `params` at the places along the last axis of `indices`.

    An index out of range is an error, or gives zeros if `bad_indices_policy` is "IGNORE".

    Raises:
        TypeError: no number of `batch_dims`.
        ValueError: a negative one, as many as `params` or `indices` have axes, or an unknown policy.
        InvalidArgumentError: params and indices that differ in their batches, or an index out of range.
    """
    x, places, batch_dims = (
        tensor_of(params),
        number_of(indices, "gather_nd.Tindices"),
        setting_of(batch_dims, "batch_dims"),
    )
    if batch_dims < 0:
        raise ValueError("tf.gather_nd does not allow negative batch_dims.")
    for which, each in (("params", x), ("indices", places)):
        require(each.ndim > 0, f"{which} must be at least a vector. In gather_nd: it is a scalar.")
    for which, each in (("indices", places), ("params", x)):
        if batch_dims >= each.ndim:
            raise ValueError(f"Argument `batch_dims` = {batch_dims} must be less than rank(`{which}`) = {each.ndim}")
    _in_batches("gather_nd", x.shape[:batch_dims], places.shape[:batch_dims])
    if 0 in x.shape and 0 not in places.shape:
        raise InvalidArgumentError(
            f"Requested more than 0 entries, but params is empty. Params shape: {listed(x.shape)}. In gather_nd."
        )
    places, good = _within(x.shape[batch_dims:], places, bad_indices_policy)
    return _or_zeros(good, ops.gather_nd(x, places, batch_dims=batch_dims))


def _within(shape: Any, places: Any, policy: str) -> tuple[Any, Any]:
    """Indices into a shape, 0 in place of those out of it, and which were in it; where they are an error, as they are.

    Raises:
        ValueError: an unknown policy.
    """
    if policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        raise ValueError(f'bad_indices_policy must be "", "DEFAULT", "ERROR" or "IGNORE", got {policy!r}.')
    if policy != "IGNORE":
        return places, None
    numbers = np.asarray(value_of(places))
    good = ((numbers >= 0) & (numbers < shape[: numbers.shape[-1]])).all(-1)
    return make(np.where(good[..., None], numbers, 0)), good


def _or_zeros(good: Any, rows: Any) -> Any:
    """Rows, zeros in place of those that are not good."""
    if good is None:
        return rows
    wide = good.reshape(good.shape + (1,) * (rows.ndim - good.ndim))
    return math.where(wide, rows, np.zeros((), rows._value.dtype))


@export("scatter_nd")
def scatter_nd(indices: Any, updates: Any, shape: Any, bad_indices_policy: str = "", name: str | None = None) -> Any:
    """Zeros of a shape, with the updates added at the places along the last axis of `indices`.

    An index out of range is an error, or is left out if `bad_indices_policy` is "IGNORE".

    Raises:
        TypeError: a shape of other numbers than integers.
    """
    rows = tensor_of(updates)
    lengths = vector_of(shape, "Shape must be a vector. In scatter_nd", attr="scatter_nd.Tindices", strict=True)
    places, good = _within(lengths, _places("scatter_nd", indices, rows, lengths), bad_indices_policy)
    return ops.scatter_nd(_or_zeros(good, rows), places, shape=lengths, batch_dims=0)


def _places(op: str, indices: Any, updates: Any, shape: Any) -> Any:
    """Indices into a shape, with an update of the right shape for each.

    Raises:
        InvalidArgumentError: updates of another shape.
    """
    places = number_of(indices, f"{op}.Tindices")
    require_scattered(op, places.shape, updates.shape, shape)
    return places


@export("tensor_scatter_nd_update")
def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """A copy of a tensor, overwritten by the updates at the indices."""
    x, rows = map(tensor_of, together("tensor_scatter_nd_update", tensor, updates))
    return ops.tensor_scatter_nd_update(x, _places("tensor_scatter_nd_update", indices, rows, x.shape), rows)


def _joining(op: str, done: str) -> Any:
    """The function of an op that joins updates with a copy of a tensor."""
    run = getattr(ops, op)

    def join(tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None) -> Any:
        x, rows = map(tensor_of, together(op, tensor, updates))
        places, good = _within(x.shape, _places(op, indices, rows, x.shape), bad_indices_policy)
        if good is not None:
            rows, places = (ops.boolean_mask(each, good, axis=0) for each in (rows, places))
        return run(x, places, rows)

    join.__name__ = join.__qualname__ = op
    join.__doc__ = f"""A copy of a tensor, {done} at the indices.

    An index out of range is an error, or is left out if `bad_indices_policy` is "IGNORE".
    """
    return export(op)(join)


tensor_scatter_nd_add = _joining("tensor_scatter_nd_add", "with the updates added")
tensor_scatter_nd_sub = _joining("tensor_scatter_nd_sub", "with the updates subtracted")
tensor_scatter_nd_max = _joining("tensor_scatter_nd_max", "with the updates where they are larger than what is")
tensor_scatter_nd_min = _joining("tensor_scatter_nd_min", "with the updates where they are smaller than what is")


@export("where")
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """`x` where the condition holds, else `y`, broadcast; with the condition alone, the places where it holds.

    A NaN or infinite slope on the side not taken still becomes a NaN gradient: make its argument safe as well.

    Raises:
        ValueError: only one of `x` and `y`.
        InvalidArgumentError: the condition alone, and a scalar, which has no places.
    """
    if x is None and y is None:
        places = number_of(condition, "where_true")
        require(
            places.ndim > 0,
            "WhereOp : Unhandled input dimensions: 0. A scalar has no places; tf.where(condition, x, y) chooses one of "
            "two.",
            at_run=True,
        )
        return ops.where_true(places)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return math.where(exactly(condition, "bool", "where", 0, x, y), *together("where", x, y))


@export("math.top_k", "nn.top_k")
def top_k(input: Any, k: Any = 1, sorted: bool = True, index_type: Any = None, name: str | None = None) -> Any:
    """The k largest numbers along the last axis and their indices; of equal ones the first.

    Unless they are `sorted`, they come in the order in which TensorFlow happens to find them.
    """
    order = {} if flag_of(sorted, "sorted", unless_told=True) else {"in_order": False}
    count = one_of(k, "top_k.Tk", input)
    values, indices = ops.top_k(number_of(input, "top_k"), k=count, **order)
    return TopKV2(values, indices if index_type is None else cast(indices, index_type))


class TopKV2(NamedTuple):
    """What `top_k` found."""

    values: Any
    indices: Any


@export("math.in_top_k", "nn.in_top_k")
def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Any:
    """Whether each row's target is among its k largest predictions. No gradient.

    Raises:
        InvalidArgumentError: other ranks than 1 and 2, not one target for each row, or a `k` of another dtype.
    """
    rows = exactly(predictions, "float32", "in_top_k", 0, targets)
    z, count = together("in_top_k", targets, k)
    require(rows.ndim == 2, f"predictions must be 2-dimensional. In in_top_k: they are of shape {rows.shape}.")
    require(z.ndim == 1, f"targets must be 1-dimensional. In in_top_k: they are of shape {z.shape}.")
    if z.shape[0] != rows.shape[0]:
        lengths = f"First dimension of predictions {rows.shape[0]} must match length of targets {z.shape[0]}"
        raise InvalidArgumentError(f"{lengths}. In in_top_k.")
    number = one_of(count, "in_top_k", strict=True, otherwise="k must be 0-D, got shape {shape}")
    return ops.in_top_k(z, rows, k=number)


@export("searchsorted")
def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = "int32", name: str | None = None
) -> Any:
    """Where each value would go into a sorted vector. No gradient.

    Raises:
        InvalidArgumentError: values of another dtype, or other leading axes, than the sequence.
        ValueError: a `side` that is neither left nor right.
    """
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = {side!r}.")
    wanted, x, values = dtype_of(out_type, "searchsorted.out_type"), tensor_of(sorted_sequence), tensor_of(values)
    together("searchsorted", x, values)
    if not values.ndim or prod(values.shape[:-1]) != prod(x.shape[:-1]):
        said = (
            "Leading dim_size of both tensors must match"
            if values.ndim
            else "slice index -1 of dimension 0 out of bounds"
        )
        raise InvalidArgumentError(
            f"{said}. In searchsorted: values of shape {values.shape} for a sequence of shape {x.shape}.",
            at_run=values.ndim > 0,
        )
    return ops.searchsorted(x, values, side=side, out_type=wanted)


@export("unique")
def unique(x: Any, out_idx: Any = "int32", name: str | None = None) -> Any:
    """The distinct numbers of a vector in order of appearance, and for each number its place among them.

    Raises:
        InvalidArgumentError: `x` is no vector.
    """
    x, places = number_of(x, "unique"), dtype_of(out_idx, "unique.out_idx")
    if x.ndim != 1:
        raise InvalidArgumentError("unique expects a 1D vector.")
    return Unique(*ops.unique(x, out_idx=places))


class Unique(NamedTuple):
    """What `unique` found."""

    y: Any
    idx: Any
