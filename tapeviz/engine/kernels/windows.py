"""Images (batch, height, width, channels) and a window size -> a view of the windows, and its transpose.

Padding is `((top, bottom), (left, right))`; strides lie between windows, dilations within one.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tapeviz.engine.specs.dtypes import Array
from tapeviz.errors import InvalidArgumentError

Pair: TypeAlias = tuple[int, int]
Border: TypeAlias = tuple[Pair, Pair]


def padded(x: Any, border: Border, value: Any = 0) -> Any:
    """The image with a border of this value around it, or itself if that has no width.

    >>> padded(np.ones((1, 2, 2, 1)), ((1, 0), (0, 2))).shape
    (1, 3, 4, 1)
    """
    if border == ((0, 0), (0, 0)):
        return x
    (top, bottom), (left, right) = border
    batch, height, width, channels = x.shape
    out = np.full((batch, top + height + bottom, left + width + right, channels), value, x.dtype)
    out[:, top : top + height, left : left + width] = x
    return out


def fitting(x: Array, size: Pair, strides: Pair, dilations: Pair) -> Pair:
    """How many rows and columns of windows there are in an image.

    Raises:
        InvalidArgumentError: a window that reaches a stride or more beyond the image; within that, none fits.

    >>> fitting(np.ones((1, 5, 9, 1)), (3, 3), (1, 2), (1, 1))
    (3, 4)
    >>> fitting(np.ones((1, 5, 2, 1)), (3, 3), (1, 1), (1, 1))
    (3, 0)
    """
    (height, width), (down, across) = x.shape[1:3], strides
    tall, wide = (size[0] - 1) * dilations[0] + 1, (size[1] - 1) * dilations[1] + 1
    if height >= tall and width >= wide:
        return (height - tall) // down + 1, (width - wide) // across + 1
    for length, extent, stride in ((height, tall, down), (width, wide, across)):
        if extent - length >= 2 * stride:
            raise InvalidArgumentError(
                f"Computed output size would be negative: {-((extent - length - stride) // stride)} "
                f"[input_size: {length}, effective_filter_size: {extent}, stride: {stride}]. "
                "The window is too large for the image."
            )
    return max(0, (height - tall) // down + 1), max(0, (width - wide) // across + 1)


def windows_of(x: Array, size: Pair, strides: Pair, dilations: Pair) -> Any:
    """A view (batch, rows, columns, window rows, window columns, channels) of a padded image.

    Raises:
        InvalidArgumentError: as `fitting`.

    >>> windows_of(np.ones((1, 5, 9, 4)), (3, 3), (1, 2), (1, 1)).shape
    (1, 3, 4, 3, 3, 4)
    """
    rows, columns = fitting(x, size, strides, dilations)
    x = np.ascontiguousarray(x)
    next_picture, down, right, next_channel = x.strides
    steps = (next_picture, down * strides[0], right * strides[1], down * dilations[0], right * dilations[1])
    shape = (len(x), rows, columns, *size, x.shape[3])
    return np.ndarray(shape, x.dtype, x, strides=(*steps, next_channel))  # quicker than `as_strided`


def placewise(windows: Array) -> list[Any]:
    """For each place in a window, an array (batch, rows, columns, channels) of the numbers there."""
    tall, wide = windows.shape[3:5]
    return [windows[:, :, :, i, j] for i in range(tall) for j in range(wide)]


def put_back(
    shares: list[Any], size: Pair, shape: tuple[int, ...], strides: Pair, dilations: Pair, border: Border
) -> Any:
    """The transpose of `windows_of`: each number is added where it was taken from, and the border is cut off."""
    batch, height, width, channels = shape
    (top, bottom), (left, right) = border
    out = np.zeros((batch, height + top + bottom, width + left + right, channels), shares[0].dtype)
    rows, columns = shares[0].shape[1:3]
    windows = windows_of(out, size, strides, dilations)[:, :rows, :columns]
    for place, share in zip(placewise(windows), shares, strict=True):
        place += share
    return out[:, top : top + height, left : left + width]
