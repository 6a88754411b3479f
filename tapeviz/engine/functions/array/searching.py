"""`top_k`, `searchsorted` and `unique` under TensorFlow's names."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from tapeviz.engine.functions.arguments import dtype_of, exactly, number_of, tensor_of, together
from tapeviz.engine.functions.array.conversions import cast
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import flag_of, one_of
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.ops import searching as ops
from tapeviz.engine.ops import sorting
from tapeviz.errors import InvalidArgumentError


@export("math.top_k", "nn.top_k")
def top_k(input: object, k: object = 1, sorted: bool = True, index_type: object = None, name: str | None = None) -> Any:
    """The k largest numbers along the last axis, and their indices. Of equal numbers the first comes first.

    Args:
        input: a tensor of at least one axis.
        k: how many numbers are wanted.
        sorted: whether they are in descending order. Otherwise they are in the order in which TensorFlow finds them.
        index_type: the dtype of the indices, int32 by default.

    Returns:
        A named tuple of `values` and `indices`.

    >>> import tapeviz as tf
    >>> values, indices = tf.math.top_k([1, 3, 2], k=2)
    >>> values.numpy().tolist(), indices.numpy().tolist()
    ([3, 2], [1, 2])
    """
    order = {} if flag_of(sorted, "sorted", unless_told=True) else {"in_order": False}
    count = one_of(k, "top_k.Tk", input, otherwise="k must be scalar, got shape {shape}")
    values, indices = sorting.top_k(number_of(input, "top_k"), k=count, **order)
    return TopKV2(values, indices if index_type is None else cast(indices, index_type))


class TopKV2(NamedTuple):
    """What `top_k` found."""

    values: Any
    indices: Any


@export("math.in_top_k", "nn.in_top_k")
def in_top_k(targets: object, predictions: object, k: object, name: str | None = None) -> Any:
    """Whether the target of each row is among its k largest predictions. No gradient.

    Args:
        targets: a vector with an index for each row.
        predictions: a matrix of float32.
        k: how many predictions count, in the dtype of `targets`.

    Raises:
        InvalidArgumentError: the shapes or the dtypes do not fit.

    >>> import tapeviz as tf
    >>> tf.math.in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], k=1).numpy().tolist()
    [True, False]
    """
    rows = exactly(predictions, "float32", "in_top_k", targets)
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
    sorted_sequence: object, values: object, side: str = "left", out_type: object = "int32", name: str | None = None
) -> Any:
    """The indices at which values would be inserted into sorted sequences. No gradient.

    Args:
        sorted_sequence: a tensor whose last axis is sorted.
        values: a tensor of the same dtype and the same leading axes.
        side: whether equal values are inserted to the "left" or to the "right" of those that are there.
        out_type: the dtype of the indices.

    Raises:
        InvalidArgumentError: the dtypes or the leading axes differ.
        ValueError: another `side`.

    >>> import tapeviz as tf
    >>> tf.searchsorted([1, 3, 5], [0, 3, 9]).numpy().tolist()
    [0, 1, 3]
    """
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'.")
    wanted, x, values = dtype_of(out_type, "searchsorted.out_type"), tensor_of(sorted_sequence), tensor_of(values)
    given = f"In searchsorted: values of shape {values.shape} for a sequence of shape {x.shape}."
    for each in (x, values):
        require(each.ndim > 0, f"slice index -1 of dimension 0 out of bounds. {given}")
    together("searchsorted" if side == "left" else "upper_bound", x, values)
    if prod(values.shape[:-1]) != prod(x.shape[:-1]):
        raise InvalidArgumentError(f"Leading dim_size of both tensors must match. {given}", at_run=True)
    return ops.searchsorted(x, values, side=side, out_type=wanted)


@export("unique")
def unique(x: object, out_idx: object = "int32", name: str | None = None) -> Any:
    """The distinct elements of a vector, in the order of their first appearance.

    Args:
        x: a vector.
        out_idx: the dtype of the indices.

    Returns:
        A named tuple of the distinct elements, `y`, and of the index into `y` for each element of `x`, `idx`.

    Raises:
        InvalidArgumentError: `x` is not a vector.

    >>> import tapeviz as tf
    >>> y, idx = tf.unique([5, 3, 5])
    >>> y.numpy().tolist(), idx.numpy().tolist()
    ([5, 3], [0, 1, 0])
    """
    x, places = number_of(x, "unique"), dtype_of(out_idx, "unique.out_idx")
    if x.ndim != 1:
        raise InvalidArgumentError("unique takes a vector, with one axis. Use tf.reshape(x, [-1]).")
    return Unique(*ops.unique(x, out_idx=places))


class Unique(NamedTuple):
    """What `unique` found."""

    y: Any
    idx: Any
