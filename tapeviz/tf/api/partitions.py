"""The rows of a tensor, split into several tensors by index and merged again, under TensorFlow's names."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import exactly, tensor_of, together, value_of
from tapeviz.engine.functions.array.creation import zeros
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import setting_of
from tapeviz.engine.op_errors.reasons import index_out_of_range
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array, joining, picking, scattering
from tapeviz.errors import InvalidArgumentError


@export("dynamic_partition")
def dynamic_partition(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> list[Any]:
    """The rows of a tensor, distributed over several tensors.

    Args:
        data: a tensor whose shape begins with that of `partitions`.
        partitions: int32; for each row, the index of the tensor that it goes to.
        num_partitions: how many tensors there are.

    Returns:
        A list of tensors.

    Raises:
        TypeError: `num_partitions` is not a number.
        InvalidArgumentError: `partitions` are not int32, do not fit the shape of `data`, or are out of range.

    >>> import tapeviz as tf
    >>> [x.numpy().tolist() for x in tf.dynamic_partition([10, 20, 30], [0, 1, 0], 2)]
    [[10, 30], [20]]
    """
    x = tensor_of(data)
    places = exactly(partitions, "int32", "dynamic_partition", data)._value
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
    """The rows of several tensors, merged into one tensor.

    Args:
        indices: a list of int32 tensors; for each row, its index in the result. If two rows have the same index, the
            later one is used.
        data: a list of as many tensors, whose shapes begin with those of their indices.

    Raises:
        TypeError: `indices` or `data` is not a list.
        ValueError: the lists are of different lengths.
        InvalidArgumentError: the lists are empty, the shape of a tensor does not fit its indices, or an index is
            negative.

    >>> import tapeviz as tf
    >>> tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy().tolist()
    [10, 20, 30]
    """
    for what, each in (("indices", indices), ("data", data)):
        if not isinstance(each, (list, tuple)):
            raise TypeError(f"Expected list for '{what}' argument to 'dynamic_stitch' Op, not {each!r}.")
    require(len(indices) > 0, "dynamic_stitch: there is nothing to join.")
    if len(data) != len(indices):
        raise ValueError(
            f"dynamic_stitch needs as many data as indices, not {len(data)} and {len(indices)}: a tensor for each."
        )
    given = tuple(indices)
    indices = [exactly(each, "int32", "dynamic_stitch", *data) for each in given]
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
    return scattering.tensor_scatter_nd_update(zeros(shape, joined.dtype)._value, places[:, None], joined)
