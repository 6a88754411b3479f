"""A tensor, or shapes -> the shape, its size, or the shape that they broadcast to, under TensorFlow's names."""

from __future__ import annotations

from itertools import starmap, zip_longest
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import dtype_of, require_tensor, tensor_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import INT32, matching_integers
from tapeviz.engine.op_errors.reasons import incompatible_shapes
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array as ops
from tapeviz.engine.specs.dtypes import of_numpy
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.values.constant import make
from tapeviz.errors import InvalidArgumentError


@export("shape")
def shape(input: object, out_type: object = None, name: str | None = None) -> Any:
    """The shape of a tensor, as a vector. No gradient.

    Args:
        input: a tensor, or what can become one.
        out_type: the dtype of the result, int32 by default.

    >>> import tapeviz as tf
    >>> tf.shape([[1, 2, 3]]).numpy().tolist()
    [1, 3]
    """
    return ops.shape(tensor_of(input), out_type=dtype_of(out_type or None, "shape.out_type"))


@export("shape_n")
def shape_n(input: Any, out_type: Any = None, name: str | None = None) -> list[Any]:
    """The shapes of several tensors, each as a vector. No gradient.

    Args:
        input: a list of tensors.
        out_type: the dtype of the results, int32 by default.

    Raises:
        InvalidArgumentError: the list is empty.

    >>> import tapeviz as tf
    >>> [x.numpy().tolist() for x in tf.shape_n([[1, 2], 3])]
    [[2], []]
    """
    shapes = [shape(each, out_type) for each in input]
    require(bool(shapes), "Value for attr 'N' of 0 must be at least minimum 1, in shape_n.")
    return shapes


@export("size")
def size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """The number of elements of a tensor, as a scalar tensor. No gradient.

    Args:
        input: a tensor, or what can become one.
        out_type: the dtype of the result, int32 by default.

    Raises:
        AttributeError: `out_type` is not a `DType`. A name is not accepted.
        TypeError: `out_type` is string.

    >>> import tapeviz as tf
    >>> int(tf.size([[1, 2], [3, 4]]))
    4
    """
    x, wanted = tensor_of(input), of_numpy(np.dtype((INT32 if out_type is None else out_type).as_numpy_dtype))
    if wanted.name == "string":
        raise TypeError(f"Cannot convert {x._value.size} to a tensor of dtype string: a size is a number.")
    return ops.size(x, out_type=wanted.name)


@export("rank")
def rank(input: object, name: str | None = None) -> Any:
    """The number of axes of a tensor, as a scalar tensor. No gradient.

    >>> import tapeviz as tf
    >>> int(tf.rank([[1, 2], [3, 4]]))
    2
    """
    return ops.rank(tensor_of(input))


@export("broadcast_static_shape")
def broadcast_static_shape(shape_x: Any, shape_y: Any) -> Any:
    """The shape that two shapes broadcast to, as far as it is known.

    Args:
        shape_x: a `TensorShape`.
        shape_y: another one.

    Returns:
        A `TensorShape`.

    Raises:
        AttributeError: an argument is not a `TensorShape`.
        ValueError: the shapes do not broadcast.

    >>> import tapeviz as tf
    >>> tf.broadcast_static_shape(tf.TensorShape([3, 1]), tf.TensorShape([4]))
    TensorShape([3, 4])
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
def broadcast_dynamic_shape(shape_x: object, shape_y: object) -> Any:
    """The shape that two shapes broadcast to, as a tensor.

    Args:
        shape_x: a vector of integers.
        shape_y: another one. The result is int32, unless one of them is a tensor of another dtype.

    Raises:
        InvalidArgumentError: the shapes do not broadcast, or are tensors of different dtypes.

    >>> import tapeviz as tf
    >>> tf.broadcast_dynamic_shape([3, 1], [4]).numpy().tolist()
    [3, 4]
    """
    shapes = matching_integers("broadcast_args.T", shape_x, shape_y, hint=INT32)
    for i, each in enumerate(shapes):
        require(
            each.ndim == 1,
            f"Shape {i} of broadcast_dynamic_shape must be a vector, not of shape {listed(each.shape)}: [2, 3].",
        )
    try:
        return make(np.array(np.broadcast_shapes(*map(tuple, shapes)), shapes[0].dtype))
    except ValueError:
        raise InvalidArgumentError(f"{incompatible_shapes(*map(tuple, shapes))}.", at_run=True) from None
