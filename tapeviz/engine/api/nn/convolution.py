"""Convolution of sequences and images under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.api.arguments import require_tensor, tensor_of, together
from tapeviz.engine.api.exports import export
from tapeviz.engine.api.integers import ints_of
from tapeviz.engine.api.nn.layouts import DataLayout, Pair, layout_of, of_rank, require_room, require_word
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.ops import array
from tapeviz.engine.ops import convolution as ops
from tapeviz.engine.specs.dtypes import OF_ONEDNN
from tapeviz.errors import AbortedError, InvalidArgumentError, OpError, UnimplementedError


def _windows(length: int, size: int, stride: int, border: Pair, dilation: int) -> int:
    """How many windows there are along a side of an image."""
    return (length + sum(border) - (size - 1) * dilation - 1) // stride + 1


def _convolved(op: Any, layout: DataLayout, operands: Any, strides: Any, padding: Any, dilations: Any) -> Any:
    """A convolution of sequences or images, and of filters of as many sides; a tensor decides on the dtype."""
    name, rank = op.__name__, layout.sides + 2
    x, f = map(tensor_of, together(name, *operands))
    if layout.sides == 1:
        require(x.ndim > 1, f"Tried to expand dim index -3 for tensor with {x.ndim} dimensions. In conv1d.")
        f = array.expand_dims(f, axis=0)
    x, f = of_rank(name, "input", x, rank), of_rank(name, "filter", f, 4, 4)
    by_onednn = x._value.dtype in OF_ONEDNN
    errors = (UnimplementedError, InvalidArgumentError) if by_onednn else (InvalidArgumentError, UnimplementedError)
    steps = layout.pair(strides, "strides", errors[0] if op is ops.depthwise_conv2d else UnimplementedError)
    spread = layout.pair(dilations, "dilations", errors[1])
    lengths = f._value.shape
    if 0 in (lengths if by_onednn else lengths[:2]):
        said = "filter must not have zero elements (i.e. all dimensions must be non-zero)"
        raise InvalidArgumentError(f"{said}. In {name}: filters are of shape {f.shape}.", at_run=True)
    images = layout.images_of(name, x)
    sides, size = images._value.shape[1:3], lengths[:2]
    border = layout.border(padding, sides, size, steps, spread)
    require_room(sides, border, size, spread)
    return layout.like(x, op(images, f, strides=steps, border=border, dilations=spread))


@export("nn.conv2d")
def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The 2-D convolution of images (batch, height, width, channels) with filters (rows, columns, channels, filters).

    Filters with fewer channels are grouped: the first filters go over the first channels, and so on.

    Raises:
        AttributeError: an `input` that is a list.
        InvalidArgumentError: shapes that do not fit.

    >>> import tapeviz as tf
    >>> tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), 1, "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    require_tensor("conv2d", "shape", input)
    layout = layout_of("conv2d", 2, data_format)
    return _convolved(ops.conv2d, layout, (input, filters), strides, padding, dilations)


@export("nn.depthwise_conv2d")
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """A 2-D convolution of each channel by itself, with filters (rows, columns, channels, filters per channel).

    Raises:
        TypeError: strides or dilations that are no list.
        ValueError: no image.
        InvalidArgumentError: not four strides, or filters that do not fit the channels.
    """
    if not isinstance(strides, (list, tuple)):
        raise TypeError(f"Expected list for 'strides' argument to 'depthwise_conv2d_native' Op, not {strides!r}.")
    if isinstance(dilations, int):
        raise TypeError(f"'int' object is not iterable. In depthwise_conv2d: dilations are a list, not {dilations!r}.")
    said = "Sliding window strides field must specify 4 or 5 dimensions"
    require(len(strides) == 4, f"{said}. In depthwise_conv2d: one number for each axis, got {strides}.")
    x, f = tensor_of(input), tensor_of(filter)
    if x.ndim < 3:
        raise ValueError(f"`input.shape.rank` must be at least 3. Received: input.shape={x.shape} with rank {x.ndim}")
    layout = layout_of("depthwise_conv2d", 2, data_format)
    return _convolved(ops.depthwise_conv2d, layout, (x, f), strides, padding, dilations)


@export("nn.separable_conv2d")
def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """A depthwise convolution, whose results are then mixed by filters (1, 1, from, to).

    Raises:
        ValueError: mixing filters of another size.
        TypeError: strides that are no list.
        InvalidArgumentError: filters that do not fit the channels.

    >>> import tapeviz as tf
    >>> tf.nn.separable_conv2d(
    ...     tf.ones([1, 3, 3, 2]), tf.ones([2, 2, 2, 1]), tf.ones([1, 1, 2, 4]), [1] * 4, "SAME"
    ... ).shape
    TensorShape([1, 3, 3, 4])
    """
    mixing = tensor_of(pointwise_filter)
    if mixing.ndim != 4 or tuple(mixing.shape[:2]) != (1, 1):
        raise ValueError(f"separable_conv2d: pointwise_filter is of shape (1, 1, from, to), got {mixing.shape}.")
    by_channel = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(by_channel, mixing, 1, "VALID", data_format or "NHWC")


@export("nn.conv2d_transpose")
def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The transpose of `conv2d`, to an image of `output_shape`, with filters (rows, columns, to, from).

    `output_shape` may be (height, width) alone: the batch is then the input's, and the channels are the filters'.

    Raises:
        InvalidArgumentError: shapes that do not fit.
    """
    layout = layout_of("conv2d_transpose", 2, data_format)
    return _transposed("conv2d_transpose", layout, (input, filters), output_shape, strides, padding, dilations)


@export("nn.conv1d_transpose")
def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The transpose of `conv1d`, to a sequence of `output_shape`, with filters (length, to, from).

    Raises:
        TypeError: padding in numbers.
        ValueError: an unknown data format.
        InvalidArgumentError: shapes that do not fit.

    >>> import tapeviz as tf
    >>> tf.nn.conv1d_transpose(tf.ones([1, 4, 2]), tf.ones([3, 5, 2]), [1, 8, 5], 2).shape
    TensorShape([1, 8, 5])
    """
    require_word(padding)
    layout = layout_of("conv1d_transpose", 1, data_format, ValueError)
    return _transposed("conv1d_transpose", layout, (input, filters), output_shape, strides, padding, dilations)


def _unmade(said: str, have: Any, wanted: tuple[int, ...]) -> OpError:
    """The error for images that are not of the wanted shape: oneDNN breaks off, which TensorFlow uses for two dtypes.

    No graph is built for another batch or depth; one for other sides fails when it runs.
    """
    error: OpError = (AbortedError if have._value.dtype in OF_ONEDNN else InvalidArgumentError)(f"{said}.")
    error.in_graph = None if (have.shape[0], have.shape[3]) == (wanted[0], wanted[3]) else ValueError
    return error


def _transposed(
    name: str, layout: DataLayout, operands: Any, output_shape: Any, strides: Any, padding: Any, dilations: Any
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


@export("nn.conv1d")
def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The 1-D convolution of sequences (batch, length, channels) with filters (length, channels, filters).

    Raises:
        TypeError: padding in numbers.
    """
    require_word(padding)
    if data_format in ("NHWC", "NCHW"):  # the words for images will do, too
        data_format = data_format.replace("H", "")
    layout = layout_of("conv1d", 1, data_format, ValueError)
    return _convolved(ops.conv2d, layout, (tensor_of(input), tensor_of(filters)), stride, padding, dilations)
