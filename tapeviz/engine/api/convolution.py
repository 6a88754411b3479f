"""Convolution and pooling under TensorFlow's names.

"SAME" pads so that every stride gets a window, "VALID" does not pad; both become numbers here. The ops go over
pictures with channels in the last axis: sequences, several batch axes and channels in the second axis become that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from tapeviz.engine.api.arguments import REALS, int_of, ints_of, number_of, tensor_of, together
from tapeviz.engine.api.table import export
from tapeviz.engine.dtypes import FLOATING, require
from tapeviz.engine.ops import array
from tapeviz.engine.ops import convolution as ops
from tapeviz.engine.sentences import listed
from tapeviz.errors import InvalidArgumentError, UnimplementedError

Pair = tuple[int, int]


class Layout(NamedTuple):
    """How many sides what is gone over has, 1 for sequences and 2 for pictures, and where its channels are."""

    sides: int
    channels_first: bool

    def pair(self, value: Any, what: str) -> Pair:
        """Height and width: of one number for both, of one for each side, or of one for each axis; 1 unless told.

        Raises:
            InvalidArgumentError: a number below 1.
            UnimplementedError: another number than 1 for batch or channels.
            ValueError: another count of numbers.
        """
        numbers = (1,) if value is None else ints_of(value, TypeError)
        if min(numbers, default=1) < 1:
            known = {"strides": "Stride", "dilations": "Dilated rates"}.get(what, what)
            raise InvalidArgumentError(f"{known} must be > 0, but got {min(numbers)}. The {what} are {numbers}.")
        if len(numbers) == self.sides + 2:
            axes = self._sides_of(numbers)
            if sum(numbers) - sum(axes) != 2:
                raise UnimplementedError(f"{what} along batch and channels must be 1, got {numbers}.")
            numbers = axes
        if len(numbers) not in (1, self.sides):
            counts = f"1, {self.sides} or {self.sides + 2}"
            raise ValueError(f"{what} should be of length {counts}. Received: {what}={value} of length {len(numbers)}")
        return (1 if self.sides == 1 else numbers[0]), numbers[-1]

    def _sides_of(self, each: Any) -> Any:
        """Of what there is for each axis, what there is for the sides."""
        return tuple(each[2:] if self.channels_first else each[1:-1])

    def border(self, padding: Any, lengths: Any, size: Pair, strides: Pair, dilations: Pair) -> tuple[Pair, Pair]:
        """How many rows and columns are put around a picture of these lengths."""
        if not isinstance(padding, str):
            rows, columns = (ints_of(each) for each in self._sides_of(list(padding)))
            return (rows[0], rows[1]), (columns[0], columns[1])
        if padding not in ("SAME", "VALID"):
            raise InvalidArgumentError(
                f"Value for attr 'padding' of \"{padding}\" is not in the list of allowed values: "
                '"SAME", "VALID" or, of a convolution, numbers.'
            )
        if padding == "VALID":
            return (0, 0), (0, 0)
        around = []
        for length, n, stride, dilation in zip(lengths, size, strides, dilations, strict=True):
            span = (n - 1) * dilation + 1
            total = max((-(-length // stride) - 1) * stride + span - length, 0)
            around.append((total // 2, total - total // 2))
        return around[0], around[1]

    def over(self, compute: Callable[[Any], Any], x: Any) -> Any:
        """What `compute` makes of pictures (batch, height, width, channels), in the layout of `x`."""
        batch = x.ndim - self.sides - 1
        lead = x._value.shape[:batch]
        before = tuple(range(batch))
        if self.channels_first:
            x = array.transpose(x, perm=(*before, *range(batch + 1, x.ndim), batch))
        if self.sides == 1:
            x = array.expand_dims(x, axis=batch)
        if batch > 1:
            x = array.reshape(x, shape=(-1, *x.shape[batch:]))
        found = compute(x)
        if batch > 1:
            found = array.reshape(found, shape=(*lead, *found.shape[1:]))
        if self.sides == 1:
            found = array.squeeze(found, axis=(batch,))
        if self.channels_first:
            found = array.transpose(found, perm=(*before, found.ndim - 1, *range(batch, found.ndim - 1)))
        return found


def _layout(op: str, sides: int, data_format: str | None, error: type[Exception] = InvalidArgumentError) -> Layout:
    """The layout of a `data_format`, channels in the last axis unless told."""
    last, first = ("NWC", "NCW") if sides == 1 else ("NHWC", "NCHW")
    if data_format not in (None, last, first):
        raise error(f"{op}: data_format must be {last!r} or {first!r}. Received: {data_format!r}")
    return Layout(sides, data_format == first)


def _windows(length: int, size: int, stride: int, border: Pair, dilation: int) -> int:
    """How many windows there are along a side of a picture."""
    return (length + sum(border) - (size - 1) * dilation - 1) // stride + 1


def _of_rank(op: str, role: str, x: Any, rank: int, most: float = math.inf) -> Any:
    """The operand, of a rank from `rank` to `most`."""
    if not rank <= x.ndim <= most:
        raise InvalidArgumentError(f"{role} must be {rank}-dimensional: {listed(x.shape)}. In {op}.")
    return x


def _convolved(
    op: Any, layout: Layout, operands: Any, strides: Any, padding: Any, dilations: Any, kinds: str = FLOATING
) -> Any:
    """A convolution of sequences or pictures, and of filters of as many sides."""
    name, rank = op.__name__, layout.sides + 2
    x, f = together(name, number_of(operands[0], name, kinds), operands[1])
    x, f = _of_rank(name, "input", x, rank), _of_rank(name, "filter", tensor_of(f), rank, rank)
    f = array.expand_dims(f, axis=0) if layout.sides == 1 else f
    steps, spread = layout.pair(strides, "strides"), layout.pair(dilations, "dilations")

    def compute(pictures: Any) -> Any:
        border = layout.border(padding, pictures._value.shape[1:3], f._value.shape[:2], steps, spread)
        return op(pictures, f, strides=steps, border=border, dilations=spread)

    return layout.over(compute, x)


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

    Filters for a part of the channels go over each such part: the first filters over the first part, and so on.

    Raises:
        InvalidArgumentError: shapes that do not fit.

    >>> import tapeviz as tf
    >>> tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), 1, "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    layout = _layout("conv2d", 2, data_format)
    return _convolved(ops.conv2d, layout, (input, filters), strides, padding, dilations, "i" + FLOATING)


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
    """Every channel under filters of its own, (rows, columns, channels, filters per channel).

    Raises:
        TypeError: strides that are no list.
        InvalidArgumentError: not four of them, or filters that do not fit the channels.
    """
    if not isinstance(strides, (list, tuple)):
        raise TypeError(f"depthwise_conv2d: strides must be a list, one number for each axis, got {strides!r}.")
    require(len(strides) == 4, f"depthwise_conv2d: strides must be one number for each axis, got {strides}.")
    layout = _layout("depthwise_conv2d", 2, data_format)
    return _convolved(ops.depthwise_conv2d, layout, (input, filter), strides, padding, dilations)


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
    layout, name = _layout("conv2d_transpose", 2, data_format), "conv2d_transpose"
    x, f = map(tensor_of, together(name, number_of(input, name, "i" + FLOATING), filters))
    x, f = _of_rank(name, "input", x, 4, 4), _of_rank(name, "filter", f, 4, 4)
    steps, spread = layout.pair(strides, "strides"), layout.pair(dilations, "dilations")
    shape = ints_of(output_shape)
    shape = (shape[0], *shape[2:], shape[1]) if layout.channels_first else shape
    size = tuple(f.shape[:2])
    border = layout.border(padding, shape[1:3], size, steps, spread)
    wanted = (shape[0], *map(_windows, shape[1:3], size, steps, border, spread), f.shape[3])

    def compute(pictures: Any) -> Any:
        require(
            tuple(pictures.shape) == wanted and shape[3] == f.shape[2],
            f"{name}: a picture of shape {shape} is made of one of shape {wanted}, got {tuple(pictures.shape)}, "
            f"by filters for {f.shape[2]} channels.",
        )
        return ops.conv2d_picture(pictures, f, shape=shape, strides=steps, border=border, dilations=spread)

    return layout.over(compute, x)


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
    layout = _layout("conv1d", 1, data_format, ValueError)
    return _convolved(ops.conv2d, layout, (input, tensor_of(filters)), stride, padding, dilations)


def _pooled(op: Any, layout: Layout, input: Any, ksize: Any, strides: Any, padding: Any, kinds: str) -> Any:
    x = _of_rank(op.__name__, "input", number_of(input, op.__name__, kinds), layout.sides + 2)
    size, steps = layout.pair(ksize, "ksize"), layout.pair(strides, "strides")

    def compute(pictures: Any) -> Any:
        border = layout.border(padding, pictures.shape[1:3], size, steps, (1, 1))
        return op(pictures, size=size, strides=steps, border=border)

    return layout.over(compute, x)


@export("nn.max_pool1d")
def max_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NWC", name: str | None = None
) -> Any:
    """The largest number of each window of a sequence."""
    return _pooled(ops.max_pool, _layout("max_pool1d", 1, data_format), input, ksize, strides, padding, REALS)


@export("nn.max_pool2d")
def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NHWC", name: str | None = None
) -> Any:
    """The largest number of each window; of equal ones the first gets the gradient."""
    return _pooled(ops.max_pool, _layout("max_pool2d", 2, data_format), input, ksize, strides, padding, REALS)


@export("nn.max_pool")
def max_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None, name: str | None = None
) -> Any:
    """`max_pool1d` of sequences, `max_pool2d` of pictures.

    Raises:
        ValueError: neither of them.
    """
    return _sides(input, max_pool1d, max_pool2d)(input, ksize, strides, padding, data_format)


@export("nn.avg_pool1d")
def avg_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NWC", name: str | None = None
) -> Any:
    """The mean of each window of a sequence; padding does not count."""
    return _pooled(ops.avg_pool, _layout("avg_pool1d", 1, data_format), input, ksize, strides, padding, FLOATING)


@export("nn.avg_pool2d")
def avg_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NHWC", name: str | None = None
) -> Any:
    """The mean of each window; padding does not count.

    Raises:
        TypeError: padding in numbers.
    """
    if not isinstance(padding, str):
        raise TypeError(f"avg_pool2d: padding is 'SAME' or 'VALID', got {padding!r}.")
    return _pooled(ops.avg_pool, _layout("avg_pool2d", 2, data_format), input, ksize, strides, padding, FLOATING)


@export("nn.avg_pool")
def avg_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None, name: str | None = None
) -> Any:
    """`avg_pool1d` of sequences, `avg_pool2d` of pictures.

    Raises:
        ValueError: neither of them.
    """
    return _sides(input, avg_pool1d, avg_pool2d)(input, ksize, strides, padding, data_format)


def _sides(input: Any, *by_sides: Callable[..., Any]) -> Callable[..., Any]:
    """The function for the rank of the input: the first one for sequences, the second one for pictures."""
    x = tensor_of(input)
    if x.ndim not in (3, 4):
        raise ValueError(f"`input.shape.rank` must be 3 or 4. Received: input.shape={x.shape} of rank {x.ndim}.")
    return by_sides[x.ndim - 3]


@export("nn.space_to_depth")
def space_to_depth(input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None) -> Any:
    """Blocks of a picture, (block_size, block_size), as channels.

    Raises:
        InvalidArgumentError: a picture that is not a whole number of blocks high and wide, or whose channels are not
            its last axis.
    """
    x, block = _of_rank("space_to_depth", "input", tensor_of(input), 4, 4), int_of(block_size)
    last = not _layout("space_to_depth", 2, data_format).channels_first
    require(last, f"space_to_depth: only channels in the last axis are supported, got {data_format}.")
    batch, height, width, channels = x.shape
    require(block > 1, f"Value for attr 'block_size' of {block} must be at least minimum 2. In space_to_depth.")
    if height % block or width % block:
        sides = f"Image width {width} and height {height}"
        raise InvalidArgumentError(f"{sides} should be divisible by block_size: {block}. In space_to_depth.")
    cut = array.reshape(x, shape=(batch, height // block, block, width // block, block, channels))
    turned = array.transpose(cut, perm=(0, 1, 3, 2, 4, 5))
    return array.reshape(turned, shape=(batch, height // block, width // block, block * block * channels))
