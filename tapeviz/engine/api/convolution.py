"""Convolution and pooling under TensorFlow's names, for channels in the last axis.

"SAME" pads so that every stride gets a window, "VALID" does not pad; both become numbers here.
"""

from __future__ import annotations

from typing import Any

from tapeviz.engine.api.arguments import int_of, ints_of, number_of, tensor_of, together
from tapeviz.engine.api.table import EXPORTS, export
from tapeviz.engine.dtypes import require
from tapeviz.engine.ops import array
from tapeviz.engine.ops import convolution as ops
from tapeviz.errors import InvalidArgumentError

Pair = tuple[int, int]


def _pair(value: Any, what: str) -> Pair:
    """Height and width: of one number, of two, or of four for (batch, height, width, channels).

    Raises:
        InvalidArgumentError: a number below 1.
    """
    numbers = ints_of(value)
    require(min(numbers, default=1) > 0, f"{what} must be positive, got {numbers}.")
    if len(numbers) == 1:
        return numbers[0], numbers[0]
    if len(numbers) == 4:
        if numbers[0] != 1 or numbers[3] != 1:
            raise InvalidArgumentError(f"{what} along batch and channels must be 1, got {numbers}.")
        return numbers[1], numbers[2]
    if len(numbers) != 2:
        raise ValueError(f"{what} should be of length 1, 2 or 4. Received: {what}={value} of length {len(numbers)}")
    return numbers[0], numbers[1]


def _border(padding: Any, lengths: Any, size: Pair, strides: Pair, dilations: Pair) -> tuple[Pair, Pair]:
    """How many rows and columns are put around a picture."""
    if not isinstance(padding, str):
        rows, columns = (ints_of(each) for each in list(padding)[1:3])
        return (rows[0], rows[1]), (columns[0], columns[1])
    if padding not in ("SAME", "VALID"):
        raise InvalidArgumentError(f'padding must be "SAME", "VALID" or numbers. Received: {padding!r}')
    if padding == "VALID":
        return (0, 0), (0, 0)
    sides = []
    for length, n, stride, dilation in zip(lengths, size, strides, dilations, strict=True):
        span = (n - 1) * dilation + 1
        total = max((-(-length // stride) - 1) * stride + span - length, 0)
        sides.append((total // 2, total - total // 2))
    return sides[0], sides[1]


def _windows(length: int, size: int, stride: int, border: Pair, dilation: int) -> int:
    """How many windows there are along a side of a picture."""
    return (length + sum(border) - (size - 1) * dilation - 1) // stride + 1


def _check_format(op: str, data_format: str | None) -> None:
    """Channels are to be in the last axis."""
    if data_format is not None and data_format.startswith("NC"):
        raise InvalidArgumentError(f"{op}: only channels in the last axis are supported, got {data_format}.")


def _picture(value: Any, op: str, data_format: str | None) -> Any:
    _check_format(op, data_format)
    x = number_of(value, op, "f")
    if x.ndim != 4:
        raise InvalidArgumentError(f"{op}: input must be 4-dimensional: {list(x.shape)}")
    return x


def _convolved(op: Any, input: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any) -> Any:
    x = _picture(input, op.__name__, data_format)
    x, f = together(op.__name__, x, filters)
    f = tensor_of(f)
    if f.ndim != 4:
        raise InvalidArgumentError(f"{op.__name__}: filter must be 4-dimensional: {list(f.shape)}")
    if op is ops.depthwise_conv2d and f.shape[2] != x.shape[3]:
        raise InvalidArgumentError(f"{op.__name__}: filters of shape {f.shape} do not fit {x.shape[3]} channels.")
    steps, spread = _pair(strides, "strides"), _pair(1 if dilations is None else dilations, "dilations")
    border = _border(padding, x.shape[1:3], tuple(f.shape[:2]), steps, spread)
    groups, rest = divmod(x.shape[3], f.shape[2] or 1)
    if op is ops.depthwise_conv2d or groups <= 1 or rest or f.shape[3] % groups:
        return op(x, f, strides=steps, border=border, dilations=spread)
    channels, banks = EXPORTS["split"](x, groups, axis=3), EXPORTS["split"](f, groups, axis=3)
    each = [op(*pair, strides=steps, border=border, dilations=spread) for pair in zip(channels, banks, strict=True)]
    return EXPORTS["concat"](each, 3)


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
    """Pictures (batch, height, width, channels) under filters (rows, columns, channels, filters).

    Filters for an n-th of the channels make n groups of filters, each for its own share of the channels.

    Raises:
        InvalidArgumentError: shapes that do not fit, or channels that are not in the last axis.

    >>> import tapeviz as tf
    >>> tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), 1, "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    return _convolved(ops.conv2d, input, filters, strides, padding, data_format, dilations)


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
    """Every channel under filters of its own, (rows, columns, channels, filters per channel)."""
    return _convolved(ops.depthwise_conv2d, input, filter, strides, padding, data_format, dilations)


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
    """What `conv2d` does to gradients: a picture of `output_shape`, filters (rows, columns, to, from)."""
    x, f = map(tensor_of, together("conv2d_transpose", _picture(input, "conv2d_transpose", data_format), filters))
    steps, spread = _pair(strides, "strides"), _pair(1 if dilations is None else dilations, "dilations")
    shape = ints_of(output_shape)
    size = tuple(f.shape[:2])
    border = _border(padding, shape[1:3], size, steps, spread)
    made = tuple(map(_windows, shape[1:3], size, steps, border, spread))
    wanted = (shape[0], *made, f.shape[3])
    require(
        tuple(x.shape) == wanted and shape[3] == f.shape[2],
        f"conv2d_transpose: a picture of shape {shape} is made of one of shape {wanted}, got {tuple(x.shape)}, "
        f"by filters for {f.shape[2]} channels.",
    )
    return ops.conv2d_picture(x, f, shape=shape, strides=steps, border=border, dilations=spread)


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
    """Sequences (batch, length, channels) under filters (length, channels, filters)."""
    _check_format("conv1d", data_format)
    x, f = together("conv1d", number_of(input, "conv1d", "f"), filters)
    wide = array.expand_dims(tensor_of(f), axis=0)
    spread = (1, 1 if dilations is None else ints_of(dilations)[-1])
    steps = (1, ints_of(stride)[-1])
    found = conv2d(array.expand_dims(x, axis=1), wide, steps, padding, dilations=spread)
    return array.squeeze(found, axis=(1,))


def _pooled(op: Any, input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None) -> Any:
    x = _picture(input, op.__name__, data_format)
    size, steps = _pair(ksize, "ksize"), _pair(strides, "strides")
    return op(x, size=size, strides=steps, border=_border(padding, x.shape[1:3], size, steps, (1, 1)))


@export("nn.max_pool2d", "nn.max_pool")
def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NHWC", name: str | None = None
) -> Any:
    """The largest number of each window; of equal ones the first gets the gradient."""
    return _pooled(ops.max_pool, input, ksize, strides, padding, data_format)


@export("nn.avg_pool2d", "nn.avg_pool")
def avg_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NHWC", name: str | None = None
) -> Any:
    """The mean of each window; padding does not count."""
    return _pooled(ops.avg_pool, input, ksize, strides, padding, data_format)


@export("nn.max_pool1d")
def max_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC", name: str | None = None
) -> Any:
    """The largest number of each window of a sequence."""
    _check_format("max_pool1d", data_format)
    x = array.expand_dims(number_of(input, "max_pool1d", "f"), axis=1)
    size, steps = (1, ints_of(ksize)[-1]), (1, ints_of(strides)[-1])
    return array.squeeze(max_pool2d(x, size, steps, padding), axis=(1,))


@export("nn.space_to_depth")
def space_to_depth(input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None) -> Any:
    """Blocks of a picture, (block_size, block_size), as channels."""
    _check_format("space_to_depth", data_format)
    x, block = tensor_of(input), int_of(block_size)
    batch, height, width, channels = x.shape
    if block < 2 or height % block or width % block:
        raise InvalidArgumentError(f"space_to_depth: {height} by {width} is not divisible by {block}.")
    cut = array.reshape(x, shape=(batch, height // block, block, width // block, block, channels))
    turned = array.transpose(cut, perm=(0, 1, 3, 2, 4, 5))
    return array.reshape(turned, shape=(batch, height // block, width // block, block * block * channels))
