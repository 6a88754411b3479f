"""Sums over segments, and parting and joining by index, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.api.arguments import exactly, int_of, number_of, tensor_of, together, value_of
from tapeviz.engine.api.array import cast
from tapeviz.engine.api.creation import ones
from tapeviz.engine.api.table import export
from tapeviz.engine.constant import make
from tapeviz.engine.convert import unboxed
from tapeviz.engine.dtypes import as_dtype, require
from tapeviz.engine.ops import array, joining, math, picking
from tapeviz.engine.refusals import wrong_dtype
from tapeviz.engine.sentences import listed, outside
from tapeviz.errors import InvalidArgumentError


@export("math.unsorted_segment_sum")
def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The sum of the rows of each segment.

    Raises:
        InvalidArgumentError: ids whose shape the data's does not begin with, or a `num_segments` that is no integer.
    """
    x, segments, count = rows_of("unsorted_segment_sum", data, segment_ids, num_segments)
    return picking.unsorted_segment_sum(x, segments, num_segments=count, axis=0)


def rows_of(op: str, data: Any, segment_ids: Any, num_segments: Any) -> tuple[Any, Any, int]:
    """The rows, the segment of each, and how many segments there are."""
    x, segments = number_of(data, op), number_of(segment_ids, f"{op}.Tindices")
    count = number_of(num_segments, f"{op}.Tnumsegments")
    if x.shape[: segments.ndim] != segments.shape:
        shapes = f"data.shape = {listed(x.shape)} does not start with segment_ids.shape = {listed(segments.shape)}"
        raise InvalidArgumentError(f"{shapes}. In {op}.")
    require(count.ndim == 0, f"{op}: num_segments is a scalar, not of shape {count.shape}.")
    if segments.ndim != 1:
        x = array.reshape(x, shape=(-1, *x.shape[segments.ndim :]))
        segments = array.reshape(segments, shape=(-1,))
    return x, segments, int_of(count)


@export("math.segment_sum")
def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The sum of the rows of each segment; the ids must not fall.

    Raises:
        InvalidArgumentError: ids that fall, or another number of them than of rows.
    """
    x, segments = in_order("segment_sum", data, segment_ids)
    return picking.unsorted_segment_sum(x, segments, num_segments=segments_in(segments), axis=0)


@export("math.segment_mean")
def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The mean of the rows of each segment, 0 for one without rows, of integers an integer; the ids must not fall."""
    x, segments = in_order("segment_mean", data, segment_ids)
    rows = np.bincount(segments._value, minlength=segments_in(segments)).clip(1).astype(x._value.dtype)
    total = picking.unsorted_segment_sum(x, segments, num_segments=segments_in(segments), axis=0)
    quotient = math.truncatediv if x.dtype.is_integer else math.div
    return quotient(total, rows.reshape((-1,) + (1,) * (x.ndim - 1)))


def segments_in(segments: Any) -> int:
    """How many segments there are up to the last one."""
    return int(segments._value[-1]) + 1 if segments._value.size else 0


def in_order(op: str, data: Any, segment_ids: Any) -> tuple[Any, Any]:
    """The rows, and the segment of each, which must not fall."""
    x, segments = number_of(data, op), number_of(segment_ids, f"{op}.Tindices")
    require(segments.ndim == 1, f"segment_ids should be a vector. In {op}: one id for each row.")
    fits = x.ndim > 0 and segments.shape[0] == x.shape[0]
    require(fits, f"segment_ids should be the same size as dimension 0 of input. In {op}: one id for each row.")
    ids = segments._value
    require(bool((np.diff(ids) >= 0).all()), f"segment ids are not increasing, in {op}.")
    require(not ids.size or ids[0] >= 0, f"{op}: a segment id is negative.")
    return x, segments


_COUNTS = ("int32", "int64", "float32", "float64")


@export("math.bincount")
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = "int32",
    name: str | None = None,
    axis: Any = None,
    binary_output: bool = False,
) -> Any:
    """How often each number from 0 on occurs, or the sum of its weights. No gradient.

    Raises:
        InvalidArgumentError: a negative number, weights of another shape, or a dtype that nothing is counted in.
        ValueError: an axis other than 0, for all numbers together, and -1, for each row on its own; or weights where
            only whether a number occurs is asked.
    """
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    if binary_output and weights is not None:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.")
    numbers = tensor_of(arr)
    numbers = number_of(numbers if numbers.dtype.is_integer else cast(numbers, "int32"), "bincount.Tidx")
    counted = np.asarray(numbers._value).astype(np.int64)
    require(not counted.size or int(counted.min()) >= 0, "Input arr must be non-negative! In bincount.")
    length = max(int(np.max(counted, initial=-1)) + 1, 0 if minlength is None else int_of(minlength))
    length = length if maxlength is None else min(length, int_of(maxlength))
    shares = None if weights is None else number_of(weights, "bincount")
    if shares is not None and not shares._value.size:
        dtype, shares = shares.dtype, None
    require(
        shares is None or shares.shape == numbers.shape,
        "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights equal "
        f"to 1. Received {listed(np.shape(shares))}. In bincount of numbers of shape {numbers.shape}.",
    )
    wanted = np.dtype(as_dtype(dtype).as_numpy_dtype) if shares is None else shares._value.dtype
    if wanted.name not in _COUNTS:
        raise wrong_dtype("bincount", wanted)
    given = make(unboxed(np.ones((), wanted))) if shares is None else shares
    return picking.bincount(numbers, given, length=length, by_row=axis == -1 and numbers.ndim > 1, binary=binary_output)


@export("math.confusion_matrix")
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = "int32",
    name: str | None = None,
) -> Any:
    """How often each class, a row, was taken for each class, a column; or the sums of the weights of these examples.

    Raises:
        InvalidArgumentError: a class that is negative or not below `num_classes`, or one without its counterpart.
        ValueError: another number of weights.

    >>> import tapeviz as tf
    >>> tf.math.confusion_matrix([0, 1, 1], [0, 1, 0]).numpy().tolist()
    [[1, 0], [1, 1]]
    """
    rows, columns = (np.asarray(cast(each, "int64")._value) for each in (labels, predictions))
    rows, columns = _one_column_less(rows, columns), _one_column_less(columns, rows)
    require(rows.shape == columns.shape, f"Labels of shape {rows.shape} do not fit predictions: {columns.shape}.")
    count = int(max(rows.max(), columns.max()) + 1) if num_classes is None else int_of(num_classes)
    for what, classes in (("labels", rows), ("predictions", columns)):
        require(bool((classes >= 0).all()), f"`{what}` contains negative values")
        require(bool((classes < count).all()), f"`{what}` out of bound", in_graph=None)
    kind = as_dtype(dtype)
    shares = ones(rows.shape, kind) if weights is None else tensor_of(weights)
    if shares.shape != rows.shape:
        raise ValueError(f"Weights of shape {tuple(shares.shape)} do not fit predictions of shape {rows.shape}.")
    if shares.dtype != kind:
        shares = array.cast(shares, dtype=kind.name, source=shares.dtype.name)
    return picking.scatter_nd(shares, make(np.stack([rows, columns], axis=1)), shape=(count, count), batch_dims=0)


def _one_column_less(classes: Any, others: Any) -> Any:
    """Classes without the last axis, of length 1, that the others have not."""
    return classes[..., 0] if classes.ndim == others.ndim + 1 and classes.shape[-1] == 1 else classes


@export("dynamic_partition")
def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: str | None = None) -> list[Any]:
    """The rows of each partition, in order, partition by partition.

    Raises:
        InvalidArgumentError: partitions that are no int32, whose shape the data's does not begin with, or one that is
            out of range.
    """
    x = tensor_of(data)
    places = exactly(partitions, "int32", "dynamic_partition", 1, data)._value
    require(num_partitions > 0, "dynamic_partition: at least one partition is needed.")
    if x.shape[: places.ndim] != places.shape:
        shapes = f"data.shape = {listed(x.shape)}, partitions.shape = {listed(places.shape)}"
        raise InvalidArgumentError(f"data.shape must start with partitions.shape, got {shapes}. In dynamic_partition.")
    if not ((places >= 0) & (places < num_partitions)).all():
        said = outside(places, num_partitions, "partitions")
        raise InvalidArgumentError(f"{said}. In dynamic_partition.", in_graph=None)
    return [picking.boolean_mask(x, np.asarray(places == i), axis=0) for i in range(num_partitions)]


@export("dynamic_stitch")
def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Any:
    """The rows of several tensors at the places that the indices say; of two at one place the later stays.

    Raises:
        ValueError: not as many data as indices.
        InvalidArgumentError: data whose shape does not begin with that of its indices, a negative index, or nothing to
            join.
    """
    require(len(indices) > 0, "dynamic_stitch: there is nothing to join.")
    if len(data) != len(indices):
        raise ValueError(
            f"List argument 'data' to 'dynamic_stitch' Op with length {len(data)} must match length {len(indices)} of "
            "argument 'indices'."
        )
    indices = [exactly(each, "int32", "dynamic_stitch", 0, *data) for each in indices]
    places = np.concatenate([np.ravel(each._value) for each in indices])
    rows = []
    for i, (index, each) in enumerate(zip(indices, together("dynamic_stitch", *data), strict=True)):
        x, wanted = tensor_of(each), np.shape(value_of(index))
        rank = len(wanted)
        if x.shape[:rank] != wanted:
            raise InvalidArgumentError(
                f"data[{i}].shape = {listed(x.shape)} does not start with indices[{i}].shape = {listed(wanted)}. "
                "In dynamic_stitch."
            )
        rows.append(array.reshape(x, shape=(-1, *x.shape[rank:])))
    wrong = next((i for i, place in enumerate(places) if place < 0), None)
    require(wrong is None, f"indices[{wrong}] is out of range. In dynamic_stitch an index is negative.")
    joined = joining.concat(*rows, axis=0)
    empty = np.zeros((int(places.max(initial=-1)) + 1, *joined.shape[1:]), joined._value.dtype)
    return picking.tensor_scatter_nd_update(empty, places[:, None], joined)


@export("reverse_sequence")
def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: Any = None, batch_axis: Any = None, name: str | None = None
) -> Any:
    """The first n numbers along `seq_axis` backwards, n from `seq_lengths` for each place along `batch_axis`.

    Raises:
        TypeError: no `seq_axis`.
        InvalidArgumentError: axes that are not there or the same, or not one length for each place along `batch_axis`.
    """
    if seq_axis is None:
        raise TypeError("reverse_sequence: an integer is expected for `seq_axis`, got None.")
    x, lengths = tensor_of(input), number_of(seq_lengths, "reverse_sequence.Tlen")._value
    along, batch = int_of(seq_axis), 0 if batch_axis is None else int_of(batch_axis)
    require(along < x.ndim and batch < x.ndim, f"reverse_sequence: axes {along} and {batch} of shape {x.shape}.")
    require(along % x.ndim != batch % x.ndim, f"reverse_sequence: axis {along} is both of the two axes.")
    rows, most = x.shape[batch], x.shape[along]
    if np.shape(lengths) != (rows,):
        count = f"Length of seq_lengths != input.dims({batch}), ({np.size(lengths)} vs. {rows})"
        raise InvalidArgumentError(f"{count}. In reverse_sequence: one length for each place along axis {batch}.")
    if (lengths < 0).any():
        far = int(np.argmax(lengths < 0))
        raise InvalidArgumentError(f"seq_lens({far}) < 0. In reverse_sequence: it is {lengths[far]}.", in_graph=None)
    if (lengths > most).any():
        far = int(np.argmax(lengths > most))
        raise InvalidArgumentError(
            f"seq_lens({far}) > input.dims({along}). In reverse_sequence: {lengths[far]} of {most}.", in_graph=None
        )
    places = np.arange(x.shape[along])
    turned = np.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)
    shape = tuple(n if i in (along, batch) else 1 for i, n in enumerate(x.shape))
    ordered = turned if batch < along else turned.T
    return picking.take_along(x, np.broadcast_to(ordered.reshape(shape), x.shape).copy(), axis=along)


@export("math.polyval")
def polyval(coeffs: Any, x: Any, name: str | None = None) -> Any:
    """The polynomial with these coefficients, the highest power first, at x.

    Raises:
        ValueError: no list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = tensor_of(x)
    if not coeffs:
        return math.zeros_like(x)
    total = tensor_of(coeffs[0])
    for each in coeffs[1:]:
        total = tensor_of(each) + total * x
    return total
