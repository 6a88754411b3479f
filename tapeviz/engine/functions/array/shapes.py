"""A tensor -> the same numbers in another shape, under TensorFlow's names."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import (
    NO_SHAPE,
    axis_in,
    ints_of,
    require_vector_in_graph,
    settings_of,
    shape_of,
    vector_of,
)
from tapeviz.engine.functions.math.complex import conj
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array as ops
from tapeviz.engine.ops import math
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.errors import InvalidArgumentError


@export("reshape")
def reshape(tensor: object, shape: object, name: str | None = None) -> Any:
    """The elements of a tensor in another shape, in the same order.

    Args:
        tensor: a tensor, or what can become one.
        shape: the new lengths. One of them may be -1, which is computed from the others.

    Raises:
        InvalidArgumentError: the shape has another number of elements, or is not made of integers.

    >>> import tapeviz as tf
    >>> tf.reshape([1, 2, 3, 4], [2, -1]).numpy().tolist()
    [[1, 2], [3, 4]]
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
def transpose(a: object, perm: object = None, conjugate: bool = False, name: str = "transpose") -> Any:
    """A tensor with its axes in another order.

    Args:
        a: a tensor, or what can become one.
        perm: for each axis of the result, the axis of `a`; by default the axes are reversed.
        conjugate: whether complex numbers are conjugated as well.

    >>> import tapeviz as tf
    >>> tf.transpose([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    x = tensor_of(a)
    x = conj(x) if conjugate and x.dtype.is_complex else x
    rank = "perm must be rank 1, got shape {shape}"
    order = tuple(reversed(range(x.ndim))) if perm is None else vector_of(perm, rank, x, attr=".Tperm")
    return ops.transpose(x, perm=tuple(axis % x.ndim if -x.ndim <= axis < x.ndim else axis for axis in order))


@export("expand_dims")
def expand_dims(input: object, axis: object, name: str | None = None) -> Any:
    """A tensor with a new axis of length 1.

    Args:
        input: a tensor, or what can become one.
        axis: where the new axis is in the result; negative ones count from the end.

    >>> import tapeviz as tf
    >>> tf.expand_dims([1, 2], 0).shape
    TensorShape([1, 2])
    """
    return ops.expand_dims(tensor_of(input), axis=axis_in(axis, input, attr=".Tdim"))


@export("squeeze")
def squeeze(input: object, axis: object = None, name: str | None = None) -> Any:
    """A tensor without its axes of length 1.

    Args:
        input: a tensor, or what can become one.
        axis: an integer or a list of the axes to remove; by default all of length 1. An axis may be listed twice.

    Raises:
        TypeError: `axis` is a tensor or an array.
        InvalidArgumentError: a listed axis does not exist, or is not of length 1.

    >>> import tapeviz as tf
    >>> tf.squeeze([[[1, 2]]]).shape
    TensorShape([2])
    """
    if isinstance(axis, (TensorLike, np.ndarray)):
        raise TypeError(f"Expected list for 'axis' argument to 'squeeze' Op, not {axis!r}.")
    x, axes = tensor_of(input), () if axis is None else settings_of(axis, "axis")
    at = {each % x.ndim if -x.ndim <= each < x.ndim else each: each for each in axes}
    return ops.squeeze(x, axis=tuple(at.values()) or None)


@export("broadcast_to")
def broadcast_to(input: object, shape: object, name: str | None = None) -> Any:
    """A tensor broadcast to a shape, by the rules of elementwise arithmetic.

    Args:
        input: a tensor, or what can become one.
        shape: the lengths of the result.

    Raises:
        InvalidArgumentError: the shape has fewer axes than `input`, or its lengths do not fit.

    >>> import tapeviz as tf
    >>> tf.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]
    """
    x, lengths = tensor_of(input), vector_of(shape, NO_SHAPE, input, attr=".Tidx")
    if x.ndim > len(lengths):
        raise InvalidArgumentError(
            f"Rank of input ({x.ndim}) must be no greater than rank of output shape ({len(lengths)}). "
            f"In broadcast_to of shape {x.shape} to {lengths}."
        )
    return math.broadcast_to(x, shape=shape_of(lengths, at_run=True))


@export("ensure_shape")
def ensure_shape(x: object, shape: object, name: str | None = None) -> Any:
    """A tensor with the same value, after a check of its shape.

    Args:
        x: a tensor, or what can become one.
        shape: the expected shape, in which None stands for any length.

    Raises:
        InvalidArgumentError: the tensor has another shape.

    >>> import tapeviz as tf
    >>> tf.ensure_shape([1, 2], [None]).numpy().tolist()
    [1, 2]
    """
    x = tensor_of(x)
    if not x.shape.is_compatible_with(shape):
        have, expected = listed(x.shape), listed(TensorShape(shape).as_list())
        said = f"ensure_shape: the tensor is of shape {have}, not of shape {expected}."
        raise InvalidArgumentError(said)
    return ops.identity(x)
