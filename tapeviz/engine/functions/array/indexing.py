"""`t[...]`, slices and masks -> the ops that pick by place.

A user's index becomes plain values that a log can hold: ints, (start, stop, step), None for a new axis, "...".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import number_of, tensor_of, value_of
from tapeviz.engine.functions.array.index_entries import (
    MatrixError,
    entries_of,
    is_mask,
    not_scalar,
    plain_entry,
    require_alike,
)
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import int_of, matching_integers, setting_of
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import picking as ops
from tapeviz.engine.ops.array import cast
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.errors import InvalidArgumentError


def getitem(tensor: object, index: object) -> Any:
    """The part of a tensor at an index: the result of `tensor[index]`.

    Args:
        tensor: a tensor or a variable.
        index: integers, slices, `...`, None for a new axis, or scalar tensors of integers; or one boolean mask.

    Raises:
        InvalidArgumentError: an index is out of range or a matrix, or there are more indices than axes.
        TypeError: an index of another kind.

    >>> import tapeviz as tf
    >>> tf.constant([1, 2, 3])[1:].numpy().tolist()
    [2, 3]
    """
    if is_mask(index):
        return boolean_mask(tensor, index)
    entries = entries_of(index)
    require_alike(entries)
    try:
        return ops.getitem(tensor, index=tuple(map(plain_entry, entries)))
    except MatrixError:
        raise not_scalar(entries) from None
    except InvalidArgumentError as error:
        if any(isinstance(each, TensorLike) for each in entries):
            error.in_graph = None  # where a tensor points is known when it runs
        raise


@export("boolean_mask")
def boolean_mask(tensor: object, mask: object, axis: object = None, name: str = "boolean_mask") -> Any:
    """The slices of a tensor where a mask is true.

    Args:
        tensor: a tensor, or what can become one.
        mask: a tensor of booleans, in the shape of some consecutive axes of `tensor`.
        axis: the first of these axes, 0 by default. As in TensorFlow, a negative one is the start of a slice of the
            shape.

    Returns:
        The slices along one axis, which takes the place of the axes of the mask.

    Raises:
        ValueError: the mask is a scalar, or its shape does not fit.

    >>> import tapeviz as tf
    >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy().tolist()
    [1, 3]
    """
    x, chosen = tensor_of(tensor), tensor_of(mask)
    axis = 0 if axis is None else int_of(axis)
    covered = TensorShape.of_array(x._value)[axis : axis + len(chosen.shape)]
    if not chosen.ndim:
        raise ValueError("The mask of boolean_mask, as in x[True], has an axis at least: use tf.cond, or x[None].")
    if covered != chosen.shape:
        raise ValueError(f"Shapes {covered} and {tuple(chosen.shape)} are incompatible: the mask must fit the tensor.")
    number_of(chosen, "where_true")  # as TensorFlow finds its places
    if chosen.dtype.name != "bool":
        chosen = cast(chosen, dtype="bool", source=chosen.dtype.name)
    return ops.boolean_mask(x, chosen, axis=axis % x.ndim)


@export("slice")
def slice_(input_: object, begin: object, size: object, name: str | None = None) -> Any:
    """A block of a tensor.

    Args:
        input_: a tensor, or what can become one.
        begin: for each axis, the first index of the block.
        size: for each axis, the length of the block; -1 for the rest of the axis.

    Raises:
        InvalidArgumentError: there is not one number for each axis, or the block exceeds the tensor.
        TypeError: a size is not an integer.

    >>> import tapeviz as tf
    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, 2]).numpy().tolist()
    [[2, 3], [5, 6]]
    """
    x, (first, lengths) = tensor_of(input_), matching_integers("slice.Index", begin, size)
    if not first.shape == lengths.shape == (x.ndim,):
        raise InvalidArgumentError(
            f"Expected begin and size arguments to be 1-D tensors of size {x.ndim}, but got shapes "
            f"{listed(first.shape)} and {listed(lengths.shape)} instead. In slice."
        )
    starts, sizes = first.tolist(), lengths.tolist()
    index = []
    for axis, (start, length, whole) in enumerate(zip(starts, sizes, x.shape, strict=True)):
        stop = whole if length == -1 else start + length
        if not 0 <= start <= stop <= whole:
            size_is_wrong = 0 <= start <= whole
            what, most, got = ("size", whole - start, length) if size_is_wrong else ("begin", whole, start)
            said = f"Expected {what}[{axis}] in [0, {most}], but got {got}"
            raise InvalidArgumentError(f"{said}. In slice of shape {x.shape}.", at_run=True)
        index.append((start, stop, None))
    return ops.getitem(x, index=tuple(index))


@export("strided_slice")
def strided_slice(
    input_: object,
    begin: object,
    end: object,
    strides: object = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: object = None,
    name: str | None = None,
) -> Any:
    """The part of a tensor that `input_[begin:end:strides]` selects along its first axes.

    Args:
        input_: a tensor, or what can become one.
        begin: for each axis, the first index.
        end: for each axis, the index at which to stop.
        strides: for each axis, the step; 1 by default.
        begin_mask: the axes, as a bit set, for which `begin` is ignored.
        end_mask: those for which `end` is ignored.
        ellipsis_mask: the entry that stands for all axes that are not mentioned.
        new_axis_mask: the entries that insert an axis of length 1.
        shrink_axis_mask: the entries that select one index, and remove the axis.
        var: ignored.

    Raises:
        InvalidArgumentError: the three have different lengths or dtypes, or are longer than the rank of the tensor.
        ValueError: their dtypes differ, and one of them is a list or missing.

    >>> import tapeviz as tf
    >>> tf.strided_slice([1, 2, 3, 4, 5], [0], [5], [2]).numpy().tolist()
    [1, 3, 5]
    """
    if strides is None:
        strides = Tensor._new(np.ones_like(value_of(begin)))  # as TensorFlow makes them, which decides on the dtype
    starts, stops, steps = matching_integers("strided_slice.Index", begin, end, strides)
    if not starts.shape == stops.shape == steps.shape or starts.ndim != 1:
        shapes = "{}, {}, and {}".format(*(listed(each.shape) for each in (starts, stops, steps)))
        said = "Expected begin, end, and strides to be 1D equal size tensors"
        raise InvalidArgumentError(f"{said}, but got shapes {shapes} instead. In strided_slice.")
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    at_begin, at_end, ellipses, new_axes, shrunk = (0 if each is None else setting_of(each, "mask") for each in masks)
    index: list[Any] = []
    for i, (start, stop, step) in enumerate(zip(*(each.tolist() for each in (starts, stops, steps)), strict=True)):
        bit = 1 << i
        if ellipses & bit:
            index.append("...")
        elif new_axes & bit:
            index.append(None)
        elif shrunk & bit:
            require(step > 0, "only stride 1 allowed on non-range indexing. In strided_slice.")
            index.append(start)
        else:
            index.append((None if at_begin & bit else start, None if at_end & bit else stop, step))
    return ops.getitem(tensor_of(input_), index=tuple(index))
