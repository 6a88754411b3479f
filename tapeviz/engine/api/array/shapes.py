"""Shapes and dtypes under TensorFlow's names."""

from __future__ import annotations

from itertools import starmap, zip_longest
from math import prod
from typing import Any

import numpy as np

from tapeviz.engine.api.arguments import dtype_of, number_of, require_sequence, require_tensor, tensor_of, value_of
from tapeviz.engine.api.exports import export
from tapeviz.engine.api.integers import (
    INT32,
    NO_SHAPE,
    axis_in,
    integers_of,
    ints_of,
    require_vector_in_graph,
    settings_of,
    shape_of,
    vector_of,
)
from tapeviz.engine.api.matching_integers import matching_integers
from tapeviz.engine.api.math.complex import complex, conj, imag, real
from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.op_errors.conversions import require_castable
from tapeviz.engine.op_errors.messages.in_graphs import different_shapes
from tapeviz.engine.op_errors.messages.shapes import incompatible_shapes
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array as ops
from tapeviz.engine.ops import math
from tapeviz.engine.recording import current
from tapeviz.engine.specs.dtypes import as_dtype, of_numpy
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.tracing.building import in_graph
from tapeviz.engine.values.constant import convert_to_tensor, make
from tapeviz.errors import InvalidArgumentError

export("convert_to_tensor")(convert_to_tensor)  # written below the API, and called by users through it


@export("identity")
def identity(input: Any, name: str | None = None) -> Any:
    """The same value as a new tensor; the gradient passes. Slices stay slices."""
    if isinstance(input, IndexedSlices):
        return input._with(ops.identity(input.values))
    return ops.identity(tensor_of(input))


@export("identity_n")
def identity_n(input: Any, name: str | None = None) -> list[Any]:
    """The same values as new tensors.

    Raises:
        InvalidArgumentError: an empty list.
        ValueError: an array of several axes.
    """
    require_sequence(input, "T")
    tensors = [tensor_of(each) for each in input]
    require(len(tensors) > 0, "Length for attr 'T' of 0 must be at least minimum 1, in identity_n.")
    return list(ops.identity_n(*tensors))


@export("stop_gradient")
def stop_gradient(input: Any, name: str | None = None) -> Any:
    """The same value, with no gradient; no tape follows it, not even as a source. Slices stay slices."""
    if isinstance(input, IndexedSlices):
        return input._with(stop_gradient(input.values))
    found = ops.stop_gradient(tensor_of(input))
    found._traces = current.get().unfollowed
    return found


@export("cast", "dtypes.cast")
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """The numbers in another dtype; the gradient passes between floats and ends at an integer. Slices stay slices.

    Raises:
        UnimplementedError: a text to a number, or a number to a text.

    >>> import tapeviz as tf
    >>> tf.cast(2.7, tf.int32)
    <tf.Tensor: shape=(), dtype=int32, numpy=2>
    """
    if isinstance(x, IndexedSlices):
        return x._with(cast(x.values, dtype))
    x, wanted = tensor_of(x), as_dtype(dtype)
    if x.dtype is wanted:  # a variable of Keras, whose dtype is a name, becomes a tensor whatever is wanted
        return x
    require_castable(x._dtype, wanted)
    return ops.cast(x, dtype=wanted.name, source=x._dtype.name)


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """The numbers in another dtype, those outside its range clipped to it; complex ones part by part."""
    x, wanted = tensor_of(value), as_dtype(dtype)
    if wanted.is_complex:
        part = wanted.real_dtype
        return complex(saturate_cast(real(x), part), saturate_cast(imag(x), part))
    x = real(x) if x.dtype.is_complex else x
    low, high = max(x.dtype.min, wanted.min), min(x.dtype.max, wanted.max)
    kind = number_of(x, "saturate_cast")._value.dtype.type
    top = kind(high)
    if float(top) > float(wanted.max):  # rounded up: the next number below fits
        top = np.nextafter(top, kind(0))
    return cast(math.maximum(math.minimum(x, top), kind(low)), wanted)


@export("reshape")
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """The same numbers in another shape; one length may be -1.

    Raises:
        InvalidArgumentError: a shape of another size, or one that is not made of integers.
    """
    require_vector_in_graph(shape)
    x, lengths = tensor_of(tensor), ints_of(shape, tensor)
    if min(lengths, default=0) < -1:
        at = next(i for i, n in enumerate(lengths) if n < -1)
        raise InvalidArgumentError(f"Size {at} must be non-negative, not {lengths[at]}. In reshape to {lengths}.")
    if 0 in lengths and lengths.count(-1) == 1:  # NumPy does not guess it
        have, told = (prod(n for n in each if n > 0) for each in (x.shape, lengths))
        lengths = tuple(have // told if n == -1 else n for n in lengths)
    return ops.reshape(x, shape=lengths)


@export("transpose")
def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Any:
    """The tensor with its axes in another order, by default reversed; conjugated if asked."""
    x = tensor_of(a)
    x = conj(x) if conjugate and x.dtype.is_complex else x
    rank = "perm must be rank 1, got shape {shape}"
    order = tuple(reversed(range(x.ndim))) if perm is None else vector_of(perm, rank, x, attr=".Tperm")
    return ops.transpose(x, perm=tuple(axis % x.ndim if -x.ndim <= axis < x.ndim else axis for axis in order))


@export("expand_dims")
def expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    """A new axis of length 1."""
    return ops.expand_dims(tensor_of(input), axis=axis_in(axis, input, attr=".Tdim"))


@export("squeeze")
def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """The tensor without its axes of length 1, all of them or those named; one may be named twice.

    Raises:
        TypeError: an axis that is a tensor or an array.
    """
    if isinstance(axis, (TensorLike, np.ndarray)):
        raise TypeError(f"Expected list for 'axis' argument to 'squeeze' Op, not {axis!r}.")
    x, axes = tensor_of(input), () if axis is None else settings_of(axis, "axis")
    at = {each % x.ndim if -x.ndim <= each < x.ndim else each: each for each in axes}
    return ops.squeeze(x, axis=tuple(at.values()) or None)


@export("broadcast_to")
def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    """The tensor broadcast to a shape, as arithmetic would.

    Raises:
        InvalidArgumentError: a shape of fewer axes, or of lengths that do not fit.
    """
    x, lengths = tensor_of(input), vector_of(shape, NO_SHAPE, input, attr=".Tidx")
    if x.ndim > len(lengths):
        raise InvalidArgumentError(
            f"Rank of input ({x.ndim}) must be no greater than rank of output shape ({len(lengths)}). "
            f"In broadcast_to of shape {x.shape} to {lengths}."
        )
    return math.broadcast_to(x, shape=shape_of(lengths, at_run=True))


@export("ensure_shape")
def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Any:
    """The same value, if it has that shape; None stands for any length.

    Raises:
        InvalidArgumentError: it has another shape.
    """
    x = tensor_of(x)
    if not x.shape.is_compatible_with(shape):
        have, expected = listed(x.shape), listed(TensorShape(shape).as_list())
        said = f"Shape of tensor input {have} is not compatible with expected shape {expected}."
        raise InvalidArgumentError(said, while_building=different_shapes(tuple(TensorShape(shape).as_list()), x.shape))
    return ops.identity(x)


@export("reverse")
def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """The tensor reversed along axes; a scalar or an empty tensor stays as it is, whatever the axes."""
    x = tensor_of(tensor)
    if in_graph.get() is None and not (x.ndim and x._value.size):  # the kernel ignores the axes
        integers_of(axis, ".Tidx", tensor)
        return ops.reverse(x, axis=())
    said = "'dims' must be 1-dimension, not {rank}"
    return ops.reverse(x, axis=vector_of(axis, said, tensor, attr=".Tidx"))


@export("roll")
def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Any:
    """The tensor shifted along axes; what leaves at one end comes in at the other."""
    steps, axes = (ints_of(each, attr=attr, hint=None) for each, attr in ((shift, ".Tshift"), (axis, ".Taxis")))
    fits = np.shape(value_of(shift)) == np.shape(value_of(axis))
    require(fits, f"shift and axis must have the same size. In roll: {shift} and {axis}.")
    rolled = tensor_of(input)
    require(rolled.ndim > 0, "input must be 1-D or higher. In roll.")
    return ops.roll(rolled, shift=steps, axis=axes)


@export("shape")
def shape(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """The shape as a vector, by default of int32. No gradient."""
    return ops.shape(tensor_of(input), out_type=dtype_of(out_type or None, "shape.out_type"))


@export("shape_n")
def shape_n(input: Any, out_type: Any = None, name: str | None = None) -> list[Any]:
    """The shape of each tensor of a list as an int32 vector. No gradient.

    Raises:
        InvalidArgumentError: an empty list.
    """
    shapes = [shape(each, out_type) for each in input]
    require(bool(shapes), "Value for attr 'N' of 0 must be at least minimum 1, in shape_n.")
    return shapes


@export("size")
def size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """The number of elements. No gradient.

    Raises:
        AttributeError: an `out_type` that is no `DType`, not even the name of one.
        TypeError: an `out_type` of texts.
    """
    x, wanted = tensor_of(input), of_numpy(np.dtype((INT32 if out_type is None else out_type).as_numpy_dtype))
    if wanted.name == "string":
        raise TypeError(f"Cannot convert {x._value.size} to EagerTensor of dtype string: a size is a number.")
    return ops.size(x, out_type=wanted.name)


@export("rank")
def rank(input: Any, name: str | None = None) -> Any:
    """The number of axes. No gradient."""
    return ops.rank(tensor_of(input))


@export("broadcast_static_shape")
def broadcast_static_shape(shape_x: Any, shape_y: Any) -> Any:
    """The shape of the result of broadcasting two shapes, as far as they are known.

    Raises:
        AttributeError: what is no `TensorShape`.
        ValueError: they cannot be broadcast.
    """
    require_tensor("broadcast_static_shape", "ndims", shape_x, shape_y, make="tf.TensorShape")
    x, y = shape_x, shape_y
    if x.rank is None or y.rank is None:
        return TensorShape(None)
    pairs = zip_longest(reversed(x.as_list()), reversed(y.as_list()), fillvalue=1)
    try:
        return TensorShape(list(starmap(_broadcast_length, pairs))[::-1])
    except ValueError:
        raise ValueError(
            "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair they are "
            f"either equal or one of them is 1. Received: {x} and {y}."
        ) from None


def _broadcast_length(x: int | None, y: int | None) -> int | None:
    if x is not None and y is not None:
        if x != y and 1 not in (x, y):
            raise ValueError
        return y if x == 1 else x
    return next((n for n in (x, y) if n is not None and n > 1), None)


@export("broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """The shape that two shapes broadcast to, as a tensor: int32, unless one of them has another dtype.

    Raises:
        InvalidArgumentError: the shapes do not broadcast, or are tensors of two dtypes.
    """
    shapes = matching_integers("broadcast_args.T", shape_x, shape_y, hint=INT32)
    for i, each in enumerate(shapes):
        require(each.ndim == 1, f"In[{i}] must be a vector.{listed(each.shape)} In broadcast_dynamic_shape.")
    try:
        return make(np.array(np.broadcast_shapes(*map(tuple, shapes)), shapes[0].dtype))
    except ValueError:
        raise InvalidArgumentError(f"{incompatible_shapes(*map(tuple, shapes))}.", at_run=True) from None
