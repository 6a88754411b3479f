"""A tensor -> the same tensor with the elements along some axes in another order, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import (
    tensor_of,
    value_of,
)
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import INT64, integers_of, ints_of, setting_of, vector_of
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.ops import array as ops
from tapeviz.engine.ops import sorting
from tapeviz.errors import InvalidArgumentError


@export("reverse")
def reverse(tensor: object, axis: object, name: str | None = None) -> Any:
    """A tensor with the elements along some axes in reverse order.

    Args:
        tensor: a tensor, or what can become one.
        axis: a vector of axes. They are ignored for a scalar and for an empty tensor.

    >>> import tapeviz as tf
    >>> tf.reverse([1, 2, 3], [0]).numpy().tolist()
    [3, 2, 1]
    """
    x = tensor_of(tensor)
    if in_graph.get() is None and not (x.ndim and x._value.size):  # the kernel ignores the axes
        integers_of(axis, ".Tidx", tensor)
        return ops.reverse(x, axis=())
    said = "'dims' must be 1-dimension, not {rank}"
    return ops.reverse(x, axis=vector_of(axis, said, tensor, attr=".Tidx"))


@export("roll")
def roll(input: object, shift: object, axis: object, name: str | None = None) -> Any:
    """A tensor with the elements shifted along some axes. Elements shifted past the end return at the start.

    Args:
        input: a tensor of at least one axis.
        shift: by how many places; an integer, or one for each of several axes.
        axis: the axis, or the axes.

    Raises:
        InvalidArgumentError: `input` is a scalar, or `shift` and `axis` have different shapes.

    >>> import tapeviz as tf
    >>> tf.roll([1, 2, 3], 1, 0).numpy().tolist()
    [3, 1, 2]
    """
    steps, axes = (ints_of(each, attr=attr, hint=None) for each, attr in ((shift, ".Tshift"), (axis, ".Taxis")))
    fits = np.shape(value_of(shift)) == np.shape(value_of(axis))
    require(fits, f"shift and axis must have the same size. In roll: {shift} and {axis}.")
    rolled = tensor_of(input)
    require(rolled.ndim > 0, "input must be 1-D or higher. In roll.")
    return ops.roll(rolled, shift=steps, axis=axes)


@export("reverse_sequence")
def reverse_sequence(
    input: object, seq_lengths: object, seq_axis: object = None, batch_axis: object = None, name: str | None = None
) -> Any:
    """A tensor in which the first elements of each sequence are reversed and the rest is unchanged.

    Args:
        input: a tensor, or what can become one.
        seq_lengths: a vector with the number of elements to reverse for each place along `batch_axis`.
        seq_axis: the axis along which elements are reversed.
        batch_axis: the axis of the sequences, 0 by default.

    Raises:
        TypeError: `seq_axis` is missing.
        InvalidArgumentError: an axis does not exist, both axes are the same, or `seq_lengths` does not fit the tensor.

    >>> import tapeviz as tf
    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy().tolist()
    [[2, 1, 3], [6, 5, 4]]
    """
    x, lengths = tensor_of(input), integers_of(seq_lengths, "reverse_sequence.Tlen", input, hint=INT64)
    along = setting_of(seq_axis, "seq_dim")
    batch = 0 if batch_axis is None else setting_of(batch_axis, "batch_dim")
    require(along != batch, f"batch_dim == seq_dim == {along}. In reverse_sequence: of two axes.", at_run=True)
    for axis, name in ((along, "seq_dim"), (batch, "batch_dim")):
        require(axis < x.ndim, f"{name} must be < input rank ( {axis} vs. {x.ndim}). In reverse_sequence.")
    for axis, name in ((batch, "batch_dim"), (along, "seq_dim")):
        said = f"Invalid {name} {axis}. In reverse_sequence: axes count from the first."
        require(axis >= 0, said, at_run=name == "seq_dim")
    rows, most = x.shape[batch], x.shape[along]
    require(np.ndim(lengths) == 1, f"seq_lengths must be 1-dim, not {np.ndim(lengths)}. In reverse_sequence.")
    if np.shape(lengths) != (rows,):
        count = f"Length of seq_lengths != input.dims({batch}), ({np.size(lengths)} vs. {rows})"
        raise InvalidArgumentError(
            f"{count}. In reverse_sequence: one length for each place along axis {batch}.",
        )
    if (lengths < 0).any():
        far = int(np.argmax(lengths < 0))
        raise InvalidArgumentError(f"seq_lens({far}) < 0. In reverse_sequence: it is {lengths[far]}.", at_run=True)
    if (lengths > most).any():
        far = int(np.argmax(lengths > most))
        raise InvalidArgumentError(
            f"seq_lens({far}) > input.dims({along}). In reverse_sequence: {lengths[far]} of {most}.", at_run=True
        )
    places = np.arange(x.shape[along])
    turned = np.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)
    shape = tuple(n if i in (along, batch) else 1 for i, n in enumerate(x.shape))
    ordered = turned if batch < along else turned.T
    return sorting.take_along(x, np.broadcast_to(ordered.reshape(shape), x.shape).copy(), axis=along)
