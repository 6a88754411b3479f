"""`gather`, embeddings and `where` under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import exactly, number_of, tensor_of, together, value_of
from tapeviz.engine.functions.array.joining import concat
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import one_of, setting_of
from tapeviz.engine.functions.math.clipping import clip_by_norm
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import math, searching
from tapeviz.engine.ops import picking as ops
from tapeviz.engine.values.constant import make
from tapeviz.errors import InvalidArgumentError


@export("gather")
def gather(
    params: object,
    indices: object,
    validate_indices: object = None,
    axis: object = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """The slices of a tensor at some indices along an axis.

    If an index occurs several times, the gradients of its slices are added.

    Args:
        params: a tensor, or what can become one.
        indices: a tensor of integers of any shape, which takes the place of the axis in the result.
        validate_indices: ignored.
        axis: the axis; by default the first one after the batch axes.
        batch_dims: how many leading axes `params` and `indices` have in common.

    Raises:
        InvalidArgumentError: an index is out of range, the batch axes do not match, or `axis` is one of them.

    >>> import tapeviz as tf
    >>> tf.gather([10, 20, 30], [2, 0]).numpy().tolist()
    [30, 10]
    """
    x, places = tensor_of(params), number_of(indices, f"{_gatherer(params)}.Tindices")
    along = batch_dims if axis is None else axis
    batch = 0 if batch_dims is None else setting_of(batch_dims, "batch_dims")
    axis = one_of(along, ".Taxis", hint=None, otherwise="axis must be scalar")
    batch = 0 if axis == 0 else batch
    needed = axis + 1 if axis >= 0 else -axis
    if x.ndim and needed > x.ndim:
        raise InvalidArgumentError(f"Shape must be at least rank {needed} but is rank {x.ndim}. In gather.")
    least, most = -places.ndim, places.ndim
    if not least <= batch <= most:
        wanted = f"Expected batch_dims in the range [{least}, {most}], but got {batch}"
        raise InvalidArgumentError(f"{wanted}. In gather, by the axes of its indices.")
    batch_dims, along = batch + places.ndim if batch < 0 else batch, axis % max(x.ndim, 1)
    if batch_dims > along:
        bound = f"than rank(params) ({x.ndim})" if batch_dims >= x.ndim else f"than or equal to axis ({along})"
        raise InvalidArgumentError(f"batch_dims ({batch_dims}) must be less {bound}. In gather.")
    _in_batches("gather", x.shape[:batch_dims], places.shape[:batch_dims])
    return ops.gather(x, places, axis=axis, batch_dims=batch_dims)


def _gatherer(params: object) -> str:
    """The name of TensorFlow's op: it has another one for variables."""
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
def embedding_lookup(params: object, ids: object, max_norm: object = None, name: str | None = None) -> Any:
    """The rows of an embedding matrix for some ids.

    Args:
        params: the matrix, or a list of its parts in order.
        ids: a tensor of integers.
        max_norm: if given, longer rows are scaled down to this norm.

    Raises:
        ValueError: `params` is None or an empty list.

    >>> import tapeviz as tf
    >>> tf.nn.embedding_lookup(tf.constant([[1.0, 2.0], [3.0, 4.0]]), [1]).numpy().tolist()
    [[3.0, 4.0]]
    """
    if params is None:
        raise ValueError("params must be specified. In embedding_lookup they are None.")
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    rows = gather(concat(params, 0) if isinstance(params, list) else params, ids)
    if max_norm is None:
        return rows
    return clip_by_norm(rows, max_norm, axes=range(np.ndim(value_of(ids)), rows.ndim))


@export("gather_nd")
def gather_nd(
    params: object, indices: object, batch_dims: int = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Any:
    """The elements or slices of a tensor at some multidimensional indices.

    Args:
        params: a tensor, or what can become one.
        indices: a tensor whose last axis holds one index each, for the first axes of `params` after the batch axes.
        batch_dims: how many leading axes `params` and `indices` have in common.
        bad_indices_policy: what an index out of range does: "IGNORE" gives zeros; by default it is an error.

    Raises:
        TypeError: `batch_dims` is not a number.
        ValueError: `batch_dims` is negative, or not less than the rank of either tensor; or the policy is unknown.
        InvalidArgumentError: the batch axes differ, or an index is out of range.

    >>> import tapeviz as tf
    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy().tolist()
    [2, 3]
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
            raise ValueError(f"batch_dims={batch_dims} is too large: {which} has only {each.ndim} axes.")
    _in_batches("gather_nd", x.shape[:batch_dims], places.shape[:batch_dims])
    if 0 in x.shape and 0 not in places.shape:
        raise InvalidArgumentError(
            f"Requested more than 0 entries, but params is empty. Params shape: {listed(x.shape)}. In gather_nd."
        )
    places, good = within(x.shape[batch_dims:], places, bad_indices_policy)
    return or_zeros(good, ops.gather_nd(x, places, batch_dims=batch_dims))


def within(shape: Any, places: object, policy: str) -> tuple[Any, Any]:
    """Indices into a shape, with zeros for those out of range, and a mask of those in range.

    Args:
        shape: the shape.
        places: the indices, along the last axis.
        policy: TensorFlow's `bad_indices_policy`. Unless it is "IGNORE", the indices are returned as they are, without
            a mask, so that the op raises the error.

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


def or_zeros(good: Any, rows: Any) -> Any:
    """Rows, with zeros in place of those that a mask from `within` excludes."""
    if good is None:
        return rows
    wide = good.reshape(good.shape + (1,) * (rows.ndim - good.ndim))
    return math.where(wide, rows, np.zeros((), rows._value.dtype))


@export("where")
def where(condition: object, x: object = None, y: object = None, name: str | None = None) -> Any:
    """Elements of one tensor where a condition is true and of another where it is false; or where a condition is true.

    If one side computes NaN or infinity where it is not used, its gradient can still be NaN. Make the argument of that
    side safe as well.

    Args:
        condition: a tensor of booleans.
        x: the elements where it is true, broadcast with `y` and the condition.
        y: the elements where it is false.

    Returns:
        The chosen elements. Without `x` and `y`, the indices at which the condition is true, one in each row.

    Raises:
        ValueError: only one of `x` and `y` is given.
        InvalidArgumentError: `x` and `y` are not given, and the condition is a scalar.

    >>> import tapeviz as tf
    >>> tf.where([True, False], [1, 2], 0).numpy().tolist()
    [1, 0]
    >>> tf.where([False, True, True]).numpy().tolist()
    [[1], [2]]
    """
    if x is None and y is None:
        places = number_of(condition, "where_true")
        require(
            places.ndim > 0,
            "WhereOp : Unhandled input dimensions: 0. A scalar has no places; tf.where(condition, x, y) chooses one of "
            "two.",
            at_run=True,
        )
        return searching.where_true(places)
    if x is None or y is None:
        raise ValueError("tf.where takes both x and y, or none of them: tf.where(condition, x, y).")
    return math.where(exactly(condition, "bool", "where", x, y), *together("where", x, y, others=(condition,)))
