"""A tensor -> the same numbers in another shape, under TensorFlow's names."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tapeviz.engine.api.arguments import tensor_of
from tapeviz.engine.api.exports import export
from tapeviz.engine.api.integers import (
    NO_SHAPE,
    axis_in,
    ints_of,
    require_vector_in_graph,
    settings_of,
    shape_of,
    vector_of,
)
from tapeviz.engine.api.math.complex import conj
from tapeviz.engine.op_errors.messages.in_graphs import different_shapes
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array as ops
from tapeviz.engine.ops import math
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.errors import InvalidArgumentError


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
