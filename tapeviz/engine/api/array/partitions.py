"""The rows of a tensor, split into several tensors by index and merged again, under TensorFlow's names."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tapeviz.engine.api.arguments import exactly, tensor_of, together, value_of
from tapeviz.engine.api.array.creation import zeros
from tapeviz.engine.api.exports import export
from tapeviz.engine.api.integers import setting_of
from tapeviz.engine.op_errors.messages.indices import index_out_of_range
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array, joining, picking
from tapeviz.errors import InvalidArgumentError


@export("dynamic_partition")
def dynamic_partition(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> list[Any]:
    """The rows of a tensor, split into partitions by an index for each row.

    Raises:
        TypeError: a number of partitions that is no number.
        InvalidArgumentError: partitions that are no int32, whose shape the data's does not begin with, or one that is
            out of range.
    """
    x = tensor_of(data)
    places = exactly(partitions, "int32", "dynamic_partition", 1, data)._value
    count = setting_of(num_partitions, "num_partitions")
    require(count > 0, f"Value for attr 'num_partitions' of {count} must be at least minimum 1. In dynamic_partition.")
    if x.shape[: places.ndim] != places.shape:
        shapes = f"data.shape = {listed(x.shape)}, partitions.shape = {listed(places.shape)}"
        raise InvalidArgumentError(f"data.shape must start with partitions.shape, got {shapes}. In dynamic_partition.")
    if not ((places >= 0) & (places < count)).all():
        said = index_out_of_range(places, count, "partitions")
        raise InvalidArgumentError(f"{said}. In dynamic_partition.", at_run=True)
    return [picking.boolean_mask(x, np.asarray(places == i), axis=0) for i in range(count)]


@export("dynamic_stitch")
def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Any:
    """The rows of several tensors merged, each at its index; of two with one index the later stays.

    Raises:
        TypeError: one tensor for a list.
        ValueError: not as many data as indices.
        InvalidArgumentError: data whose shape does not begin with that of its indices, a negative index, or nothing to
            join.
    """
    for what, each in (("indices", indices), ("data", data)):
        if not isinstance(each, (list, tuple)):
            raise TypeError(f"Expected list for '{what}' argument to 'dynamic_stitch' Op, not {each!r}.")
    require(len(indices) > 0, "dynamic_stitch: there is nothing to join.")
    if len(data) != len(indices):
        raise ValueError(
            f"List argument 'data' to 'dynamic_stitch' Op with length {len(data)} must match length {len(indices)} of "
            "argument 'indices'."
        )
    given = tuple(indices)
    indices = [exactly(each, "int32", "dynamic_stitch", 0, *data) for each in given]
    places = np.concatenate([np.ravel(each._value) for each in indices])
    rows = []
    for i, (index, each) in enumerate(zip(indices, together("dynamic_stitch", *data, others=given), strict=True)):
        x, wanted = tensor_of(each), np.shape(value_of(index))
        rank = len(wanted)
        if x.shape[:rank] != wanted:
            raise InvalidArgumentError(
                f"data[{i}].shape = {listed(x.shape)} does not start with indices[{i}].shape = {listed(wanted)}. "
                "In dynamic_stitch."
            )
        rows.append(array.reshape(x, shape=(prod(wanted), *x.shape[rank:])))
    wrong = next((i for i, place in enumerate(places) if place < 0), None)
    require(wrong is None, f"indices[{wrong}] is out of range. In dynamic_stitch one is negative.", at_run=True)
    joined = joining.concat(*rows, axis=0)
    shape = int(places.max(initial=-1)) + 1, *joined.shape[1:]
    return picking.tensor_scatter_nd_update(zeros(shape, joined.dtype)._value, places[:, None], joined)
