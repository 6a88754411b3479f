"""A tensor -> the same tensor or its elements several times, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.arguments import (
    number_of,
)
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import vector_of, whole
from tapeviz.engine.ops import array
from tapeviz.engine.ops import joining as ops


@export("tile")
def tile(input: object, multiples: object, name: str | None = None) -> Any:
    """Copies of a tensor side by side.

    Args:
        input: a tensor, or what can become one.
        multiples: the number of copies along each axis.

    >>> import tapeviz as tf
    >>> tf.tile([1, 2], [2]).numpy().tolist()
    [1, 2, 1, 2]
    """
    counts = vector_of(multiples, "Expected multiples to be 1-D, but got shape {shape}", input, attr=".Tmultiples")
    return ops.tile(number_of(input, "tile"), multiples=counts)


@export("repeat")
def repeat(input: object, repeats: object, axis: object = None, name: str | None = None) -> Any:
    """A tensor in which each slice along an axis is repeated.

    Args:
        input: a tensor, or what can become one.
        repeats: the number of repeats; one for all slices, or one for each.
        axis: the axis. Without it, the tensor is flattened first.

    Raises:
        ValueError: there is no such axis, or the number of `repeats` does not fit.
        TypeError: `repeats` or `axis` is not an integer.

    >>> import tapeviz as tf
    >>> tf.repeat([1, 2], 2).numpy().tolist()
    [1, 1, 2, 2]
    """
    x = number_of(input, "tile")
    if axis is None or not x.ndim:
        x, axis = array.reshape(x, shape=(-1,)), 0 if axis is None else axis
    if not isinstance(axis, int):
        raise TypeError(f"Argument `axis` must be an int. Received `axis` = {axis} of type {type(axis).__name__}")
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis={axis} out of bounds: expected {-x.ndim}<=axis<{x.ndim}")
    times = whole(repeats, "repeats").reshape(-1).tolist()
    if len(times) > 1:  # TensorFlow masks a row of copies for each part, and a negative length masks all of it
        times = [max(each, 0) for each in times]
    if len(times) not in (1, x.shape[axis]):
        raise ValueError(f"Dimensions {x.shape[axis]} and {len(times)} are not compatible: one repeat for each part.")
    return ops.repeat(x, repeats=tuple(times * x.shape[axis] if len(times) == 1 else times), axis=axis % x.ndim)
