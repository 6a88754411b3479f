"""Transposes of the convolution of sequences and images, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.arguments import tensor_of, together
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import ints_of
from tapeviz.engine.functions.nn.layouts import DataLayout, Pair, layout_of, of_rank, require_word
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.ops import array
from tapeviz.engine.ops import convolution as ops
from tapeviz.engine.specs.dtypes import OF_ONEDNN
from tapeviz.errors import AbortedError, InvalidArgumentError, OpError, UnimplementedError


def _windows(length: int, size: int, stride: int, border: Pair, dilation: int) -> int:
    """How many windows there are along a side of an image."""
    return (length + sum(border) - (size - 1) * dilation - 1) // stride + 1


@export("nn.conv2d_transpose")
def conv2d_transpose(
    input: object,
    filters: object,
    output_shape: object,
    strides: object,
    padding: object = "SAME",
    data_format: str = "NHWC",
    dilations: object = None,
    name: str | None = None,
) -> Any:
    """The transpose of `tf.nn.conv2d`: the function that its gradient with respect to the images computes.

    Args:
        input: a tensor of shape (batch, height, width, filters).
        filters: a tensor of shape (rows, columns, channels, filters).
        output_shape: the shape of the result, or only its height and width.
        strides: the step of the windows, as in `tf.nn.conv2d`.
        padding: "SAME", "VALID", or a pair of numbers for each axis.
        data_format: "NHWC", or "NCHW" if the channels are the second axis.
        dilations: the distance between the elements of a filter; 1 by default.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.nn.conv2d_transpose(tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 3, 1]), [1, 4, 4, 3], 2).shape
    TensorShape([1, 4, 4, 3])
    """
    layout = layout_of("conv2d_transpose", 2, data_format)
    return _transposed("conv2d_transpose", layout, (input, filters), output_shape, strides, padding, dilations)


@export("nn.conv1d_transpose")
def conv1d_transpose(
    input: object,
    filters: object,
    output_shape: object,
    strides: object,
    padding: object = "SAME",
    data_format: str = "NWC",
    dilations: object = None,
    name: str | None = None,
) -> Any:
    """The transpose of `tf.nn.conv1d`: the function that its gradient with respect to the sequences computes.

    Args:
        input: a tensor of shape (batch, length, filters).
        filters: a tensor of shape (length, channels, filters).
        output_shape: the shape of the result.
        strides: the step of the windows.
        padding: "SAME" or "VALID".
        data_format: "NWC", or "NCW" if the channels are the second axis.
        dilations: the distance between the elements of a filter; 1 by default.

    Raises:
        TypeError: `padding` is not a string.
        ValueError: an unknown data format.
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.nn.conv1d_transpose(tf.ones([1, 4, 2]), tf.ones([3, 5, 2]), [1, 8, 5], 2).shape
    TensorShape([1, 8, 5])
    """
    require_word(padding)
    layout = layout_of("conv1d_transpose", 1, data_format, ValueError)
    return _transposed("conv1d_transpose", layout, (input, filters), output_shape, strides, padding, dilations)


_NOT_BY_ONEDNN = (
    "Operation received an exception:Status: 2, message: could not create a primitive descriptor for the convolution "
    "forward propagation primitive"
)


def _unmade(said: str, have: Any, wanted: tuple[int, ...]) -> OpError:
    """The error for images that are not of the wanted shape: oneDNN breaks off, which TensorFlow uses for two dtypes.

    No graph is built for another batch or depth; one for other sides fails when it runs.
    """
    if have._value.dtype in OF_ONEDNN:
        error: OpError = AbortedError(f"{_NOT_BY_ONEDNN}. {said}.")
    else:
        error = InvalidArgumentError(f"{said}.")
    error.in_graph = None if (have.shape[0], have.shape[3]) == (wanted[0], wanted[3]) else ValueError
    return error


def _transposed(
    name: str,
    layout: DataLayout,
    operands: Any,
    output_shape: object,
    strides: object,
    padding: object,
    dilations: object,
) -> Any:
    """The transpose of a convolution of sequences or images of `output_shape`."""
    rank = layout.sides + 2
    f, x = map(tensor_of, together(name, *reversed(operands)))  # the filters come first, where no tensor decides
    if x._value.dtype in OF_ONEDNN and x.ndim != rank:  # it looks at the sequences as they have become images
        raise InvalidArgumentError(f"input_sizes must be 4 or 5-dimensional, got: {x.ndim + rank % 2}. In {name}.")
    x, f = of_rank(name, "input", x, rank, rank), of_rank(name, "filter", f, rank, rank)
    error = InvalidArgumentError if x._value.dtype in OF_ONEDNN else UnimplementedError
    steps, spread = layout.pair(strides, "strides", error), layout.pair(dilations, "dilations", error)
    shape = ints_of(output_shape)
    if len(shape) == layout.sides == 2:
        shape = (x.shape[0], *shape, f.shape[2])
    else:
        require(len(shape) == rank, f"{name}: output_shape has {rank} lengths, one for each axis, got {shape}.")
        shape = (shape[0], *shape[2:], shape[1]) if layout.channels_first else shape
    if layout.sides == 1:
        f, shape = array.expand_dims(f, axis=0), (shape[0], 1, *shape[1:])
    size = tuple(f.shape[:2])
    border = layout.border(padding, shape[1:3], size, steps, spread)
    wanted = (shape[0], *map(_windows, shape[1:3], size, steps, border, spread), f.shape[3])
    images = layout.images_of(name, x)
    depths = f"{shape[3]} vs {f.shape[2]}. In {name}"
    require(shape[3] == f.shape[2], f"input depth must be evenly divisible by filter depth: {depths}.", at_run=True)
    if (have := tuple(images.shape)) != wanted:
        said = f"{name}: an image of shape {shape} is made of one of shape {wanted}, got {have}"
        raise _unmade(said, images, wanted)
    found = ops.conv2d_picture(images, f, shape=shape, strides=steps, border=border, dilations=spread)
    return layout.like(x, found)
