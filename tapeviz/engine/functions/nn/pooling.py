"""Pooling of sequences and images, and blocks of images as channels, under TensorFlow's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import number_of, require_tensor, tensor_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import setting_of
from tapeviz.engine.functions.nn.layouts import DataLayout, Pair, layout_of, require_room, require_word
from tapeviz.engine.op_errors.dtypes import without_kernel
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array
from tapeviz.engine.ops import convolution as ops
from tapeviz.engine.specs.dtypes import OF_ONEDNN
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.errors import AbortedError, InvalidArgumentError


def _pooled(op: Any, layout: DataLayout, input: Any, ksize: Any, strides: Any, padding: Any) -> Any:
    x = number_of(input, op.__name__)
    _require_rank(op, x, layout.sides + 2)
    size, steps = (layout.pair(each, what, pooling=True) for each, what in ((ksize, "ksize"), (strides, "strides")))
    images = layout.images_of(op.__name__, x)
    shape = images._value.shape
    border = layout.border(padding, shape[1:3], size, steps, (1, 1))
    if not isinstance(padding, str):
        _require_narrow(padding, border, size)
    require_room(shape[1:3], border, size)
    if op is ops.max_pool and images._value.dtype in OF_ONEDNN:
        _require_some(shape, border, size, steps)
    return layout.like(x, op(images, size=size, strides=steps, border=border))


def _require_rank(op: Any, x: Any, rank: int) -> None:
    """Refuse what is of another rank. TensorFlow has made images of sequences by then; oneDNN pools volumes, too."""
    if x.ndim == rank:
        return
    given = f"In {op.__name__}: {rank}-dimensional input is wanted, got {listed(x.shape)}"
    seen = x.ndim + 4 - rank
    if x._value.dtype not in OF_ONEDNN:
        raise InvalidArgumentError(f"tensor_in_shape must have 2 spatial dimensions. {seen} 0. {given}.")
    if seen == 5:
        raise AbortedError(f"{'Compute' if op is ops.max_pool else 'Operation'} received an exception. {given}.")
    raise InvalidArgumentError(f"Input must be 4 or 5-dimensional. {given}.")


def _require_some(shape: Any, border: tuple[Pair, Pair], size: Pair, steps: Pair) -> None:
    """Refuse images that have room for no window, where oneDNN takes the largest numbers: it breaks off."""
    for length, around, n, step in zip(shape[1:3], border, size, steps, strict=True):
        if shape[0] and n - step < length + sum(around) < n:
            raise AbortedError(f"Compute received an exception: the window, {n}, is too large for the image, {length}.")


def _require_narrow(padding: Any, border: tuple[Pair, Pair], size: Pair) -> None:
    """Refuse a border that fills whole windows, in which there is nothing to choose from, or one of other axes."""
    for ends, widths, length in zip((("Top", "Bottom"), ("Left", "Right")), border, size, strict=True):
        for end, width in zip(ends, widths, strict=True):
            require(width < length, f"{end} padding {width} needs to be smaller than the window size {length}")
    if sum(map(sum, padding)) != sum(map(sum, border)):
        raise InvalidArgumentError(
            f"Nonzero explicit padding in the batch or depth dimensions is not supported. The padding is {padding}."
        )


@export("nn.max_pool1d")
def max_pool1d(
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Any:
    """The largest number of each window of sequences.

    Args:
        input: a tensor of shape (batch, length, channels).
        ksize: the length of the windows.
        strides: the step of the windows.
        padding: "SAME", "VALID", or a pair of numbers for each axis.
        data_format: "NWC", or "NCW" if the channels are the second axis.

    >>> import tapeviz as tf
    >>> tf.nn.max_pool1d(tf.reshape([1.0, 3.0, 2.0, 4.0], [1, 4, 1]), 2, 2, "VALID").numpy().ravel().tolist()
    [3.0, 4.0]
    """
    return _pooled(ops.max_pool, layout_of("max_pool1d", 1, data_format), input, ksize, strides, padding)


@export("nn.max_pool2d")
def max_pool2d(
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None = "NHWC",
    name: str | None = None,
) -> Any:
    """The largest number of each window of images. Of equal numbers, the first one gets the gradient.

    Args:
        input: a tensor of shape (batch, height, width, channels). An array is read as float32.
        ksize: the height and the width of the windows.
        strides: the step of the windows.
        padding: "SAME", "VALID", or a pair of numbers for each axis.
        data_format: "NHWC", or "NCHW" if the channels are the second axis.

    >>> import tapeviz as tf
    >>> tf.nn.max_pool2d(tf.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    input = convert_to_tensor(input, "float32") if isinstance(input, np.ndarray) else input
    return _pooled(ops.max_pool, layout_of("max_pool2d", 2, data_format), input, ksize, strides, padding)


@export("nn.max_pool")
def max_pool(
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """The largest number of each window: `tf.nn.max_pool1d` of sequences, `tf.nn.max_pool2d` of images.

    Args:
        input: a tensor of 3 or 4 axes.
        ksize: the size of the windows.
        strides: the step of the windows.
        padding: "SAME", "VALID", or a pair of numbers for each axis.
        data_format: where the channels are.

    Raises:
        ValueError: `input` has another number of axes.

    >>> import tapeviz as tf
    >>> tf.nn.max_pool(tf.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    return _sides(input, max_pool1d, max_pool2d)(input, ksize, strides, padding, data_format)


@export("nn.avg_pool1d")
def avg_pool1d(
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Any:
    """The mean of each window of sequences, without the padding.

    Args:
        input: a tensor of shape (batch, length, channels).
        ksize: the length of the windows.
        strides: the step of the windows.
        padding: "SAME" or "VALID".
        data_format: "NWC", or "NCW" if the channels are the second axis.

    >>> import tapeviz as tf
    >>> tf.nn.avg_pool1d(tf.reshape([1.0, 3.0, 2.0, 4.0], [1, 4, 1]), 2, 2, "VALID").numpy().ravel().tolist()
    [2.0, 3.0]
    """
    require_word(padding)
    return _pooled(ops.avg_pool, layout_of("avg_pool1d", 1, data_format), input, ksize, strides, padding)


@export("nn.avg_pool2d")
def avg_pool2d(
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None = "NHWC",
    name: str | None = None,
) -> Any:
    """The mean of each window of images, without the padding.

    Args:
        input: a tensor of shape (batch, height, width, channels).
        ksize: the height and the width of the windows.
        strides: the step of the windows.
        padding: "SAME" or "VALID".
        data_format: "NHWC", or "NCHW" if the channels are the second axis.

    >>> import tapeviz as tf
    >>> tf.nn.avg_pool2d(tf.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    require_word(padding)
    return _pooled(ops.avg_pool, layout_of("avg_pool2d", 2, data_format), input, ksize, strides, padding)


@export("nn.avg_pool")
def avg_pool(
    input: object,
    ksize: object,
    strides: object,
    padding: object,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """The mean of each window: `tf.nn.avg_pool1d` of sequences, `tf.nn.avg_pool2d` of images.

    Args:
        input: a tensor of 3 or 4 axes.
        ksize: the size of the windows.
        strides: the step of the windows.
        padding: "SAME" or "VALID".
        data_format: where the channels are.

    Raises:
        ValueError: `input` has another number of axes.

    >>> import tapeviz as tf
    >>> tf.nn.avg_pool(tf.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    return _sides(input, avg_pool1d, avg_pool2d)(input, ksize, strides, padding, data_format)


def _sides(input: Any, *by_sides: Callable[..., Any]) -> Callable[..., Any]:
    """The function for the rank of the input: the first one for sequences, the second one for images."""
    require_tensor(by_sides[0].__name__.removesuffix("1d"), "shape", input)
    rank = len(input.shape)
    if rank not in (3, 4):
        raise ValueError(
            f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={input.shape} of rank {rank}. Sequences and "
            "images are pooled here, of rank 3 and 4."
        )
    return by_sides[rank - 3]


@export("nn.space_to_depth")
def space_to_depth(input: object, block_size: object, data_format: str = "NHWC", name: str | None = None) -> Any:
    """Images in which the elements of each square block have become channels.

    Args:
        input: a tensor of shape (batch, height, width, channels).
        block_size: the side of the blocks.
        data_format: "NHWC".

    Raises:
        InvalidArgumentError: the height or the width is not a multiple of `block_size`, or `input` is not an image.
        NotFoundError: another data format.

    >>> import tapeviz as tf
    >>> tf.nn.space_to_depth(tf.ones([1, 4, 4, 1]), 2).shape
    TensorShape([1, 2, 2, 4])
    """
    x, block = _in_blocks("space_to_depth", input, block_size, data_format)
    batch, height, width, channels = x.shape
    if height % block or width % block:
        sides = f"Image width {width} and height {height}"
        raise InvalidArgumentError(f"{sides} should be divisible by block_size: {block}. In space_to_depth.")
    cut = array.reshape(x, shape=(batch, height // block, block, width // block, block, channels))
    turned = array.transpose(cut, perm=(0, 1, 3, 2, 4, 5))
    return array.reshape(turned, shape=(batch, height // block, width // block, block * block * channels))


@export("nn.depth_to_space")
def depth_to_space(input: object, block_size: object, data_format: str = "NHWC", name: str | None = None) -> Any:
    """Images in which channels have become square blocks: the inverse of `tf.nn.space_to_depth`.

    Args:
        input: a tensor of shape (batch, height, width, channels).
        block_size: the side of the blocks.
        data_format: "NHWC".

    Raises:
        InvalidArgumentError: the number of channels is not a multiple of `block_size ** 2`, or `input` is not an image.
        NotFoundError: another data format.

    >>> import tapeviz as tf
    >>> tf.nn.depth_to_space(tf.ones([1, 2, 2, 4]), 2).shape
    TensorShape([1, 4, 4, 1])
    """
    x, block = _in_blocks("depth_to_space", input, block_size, data_format, colon=":")
    batch, height, width, channels = x.shape
    depth, rest = divmod(channels, block * block)
    require(not rest, f"Input depth dimension {channels} should be divisible by: {block * block}. In depth_to_space.")
    cut = array.reshape(x, shape=(batch, height, width, block, block, depth))
    turned = array.transpose(cut, perm=(0, 1, 3, 2, 4, 5))
    return array.reshape(turned, shape=(batch, height * block, width * block, depth))


def _in_blocks(op: str, input: object, block_size: object, data_format: str, colon: str = "") -> tuple[Any, int]:
    """An image with channels in the last axis, and the side of the blocks that it is cut into."""
    x, block = tensor_of(input), setting_of(block_size, "block_size")
    require(
        x.ndim == 4, f"Input rank should be{colon} 4 instead of{colon} {x.ndim}. In {op} of shape {listed(x.shape)}."
    )
    last = not layout_of(op, 2, data_format).channels_first
    if not last:
        raise without_kernel(f"{op} with data_format={data_format!r}: channels are the last axis on a CPU.")
    require(block > 1, f"Value for attr 'block_size' of {block} must be at least minimum 2. In {op}.")
    return x, block
