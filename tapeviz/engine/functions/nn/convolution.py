"""Convolution of sequences and images under TensorFlow's names."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.arguments import require_tensor, tensor_of, together
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.nn.layouts import DataLayout, layout_of, of_rank, require_room, require_word
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.ops import array
from tapeviz.engine.ops import convolution as ops
from tapeviz.engine.specs.dtypes import OF_ONEDNN
from tapeviz.errors import InvalidArgumentError, UnimplementedError


def _convolved(op: Any, layout: DataLayout, operands: Any, strides: Any, padding: object, dilations: Any) -> Any:
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
    input: object,
    filters: object,
    strides: object,
    padding: object,
    data_format: str = "NHWC",
    dilations: object = None,
    name: str | None = None,
) -> Any:
    """The 2-D convolution of images with filters.

    Args:
        input: a tensor of shape (batch, height, width, channels). There may be several batch axes.
        filters: a tensor of shape (rows, columns, channels, filters). With fewer channels than the images, the filters
            are divided into groups, one for each group of channels.
        strides: the step of the windows: one number, one for each side, or one for each axis.
        padding: "SAME", "VALID", or a pair of numbers for each axis.
        data_format: "NHWC", or "NCHW" if the channels are the second axis.
        dilations: the distance between the elements of a filter, in the form of `strides`; 1 by default.

    Raises:
        AttributeError: `input` is a list.
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), 1, "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    require_tensor("conv2d", "shape", input)
    layout = layout_of("conv2d", 2, data_format)
    return _convolved(ops.conv2d, layout, (input, filters), strides, padding, dilations)


@export("nn.depthwise_conv2d")
def depthwise_conv2d(
    input: object,
    filter: object,
    strides: object,
    padding: object,
    data_format: str | None = None,
    dilations: object = None,
    name: str | None = None,
) -> Any:
    """The 2-D convolution of each channel of images with filters of its own.

    Args:
        input: a tensor of shape (batch, height, width, channels).
        filter: a tensor of shape (rows, columns, channels, filters per channel).
        strides: a list of the step for each axis.
        padding: "SAME", "VALID", or a pair of numbers for each axis.
        data_format: "NHWC", or "NCHW" if the channels are the second axis.
        dilations: a list of the distances between the elements of a filter; 1 by default.

    Raises:
        TypeError: `strides` or `dilations` is not a list.
        ValueError: `input` has too few axes.
        InvalidArgumentError: there are not four strides, or the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.nn.depthwise_conv2d(tf.ones([1, 3, 3, 2]), tf.ones([2, 2, 2, 3]), [1, 1, 1, 1], "VALID").shape
    TensorShape([1, 2, 2, 6])
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
    input: object,
    depthwise_filter: object,
    pointwise_filter: object,
    strides: object,
    padding: object,
    data_format: str | None = None,
    dilations: object = None,
    name: str | None = None,
) -> Any:
    """A depthwise convolution, followed by a convolution that combines the channels at each place.

    Args:
        input: a tensor of shape (batch, height, width, channels).
        depthwise_filter: the filters of `tf.nn.depthwise_conv2d`.
        pointwise_filter: a tensor of shape (1, 1, channels after the first step, filters).
        strides: a list of the step for each axis.
        padding: "SAME", "VALID", or a pair of numbers for each axis.
        data_format: "NHWC", or "NCHW" if the channels are the second axis.
        dilations: a list of the distances between the elements of a filter; 1 by default.

    Raises:
        ValueError: `pointwise_filter` has another size.
        TypeError: `strides` is not a list.
        InvalidArgumentError: the shapes do not fit.

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


@export("nn.conv1d")
def conv1d(
    input: object,
    filters: object,
    stride: object,
    padding: object,
    data_format: str = "NWC",
    dilations: object = None,
    name: str | None = None,
) -> Any:
    """The 1-D convolution of sequences with filters.

    Args:
        input: a tensor of shape (batch, length, channels). There may be several batch axes.
        filters: a tensor of shape (length, channels, filters).
        stride: the step of the windows.
        padding: "SAME" or "VALID".
        data_format: "NWC", or "NCW" if the channels are the second axis.
        dilations: the distance between the elements of a filter; 1 by default.

    Raises:
        TypeError: `padding` is not a string.
        ValueError: an unknown data format.

    >>> import tapeviz as tf
    >>> tf.nn.conv1d(tf.ones([1, 5, 2]), tf.ones([3, 2, 4]), 1, "VALID").shape
    TensorShape([1, 3, 4])
    """
    require_word(padding)
    if data_format in ("NHWC", "NCHW"):  # the words for images will do, too
        data_format = data_format.replace("H", "")
    layout = layout_of("conv1d", 1, data_format, ValueError)
    return _convolved(ops.conv2d, layout, (tensor_of(input), tensor_of(filters)), stride, padding, dilations)
