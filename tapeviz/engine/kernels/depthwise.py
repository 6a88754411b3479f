"""Images, and filters for each channel by itself -> their convolution, and its two transposes.

There are few channels, and NumPy's loops over short axes are slow. So the same place of all windows of a row is taken
as one long line, (columns * channels), with the filters repeated for each column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.kernels import silent
from tapeviz.engine.kernels.reduce import added
from tapeviz.engine.kernels.windows import Border, Pair, fitting, padded, placewise, put_back, windows_of
from tapeviz.engine.specs.dtypes import Array

MANY = 2048
"""The size of an image from which on this is faster; smaller ones are added by BLAS, with TensorFlow's last digits."""


def convolved(x: Array, filters: Array, strides: Pair, border: Border, dilations: Pair) -> Any:
    """Each channel under filters (rows, columns, channels, filters of each channel).

    Raises:
        InvalidArgumentError: a window is larger than the image with its border.

    >>> convolved(np.ones((1, 3, 3, 2)), np.ones((2, 2, 2, 1)), (1, 1), ((0, 0), (0, 0)), (1, 1)).shape
    (1, 2, 2, 2)
    """
    tall, wide, channels, each = filters.shape
    if x.size < MANY:
        windows = windows_of(padded(x, border), (tall, wide), strides, dilations)
        out = silent.einsum("bxyijc,ijcm->bxycm", windows, filters, optimize=True)
        return np.ascontiguousarray(out).reshape(*out.shape[:3], channels * each)
    flat = filters.reshape(tall, wide, channels * each)
    return _convolved(padded(_repeated(x, each), border), flat, strides, dilations)


def picture_of(u: Array, filters: Array, shape: tuple[int, ...], strides: Pair, border: Border, dilations: Pair) -> Any:
    """The transpose of `convolved` over images of this shape: of u, spread, by filters that are turned round.

    >>> picture_of(np.ones((1, 2, 2, 2)), np.ones((2, 2, 2, 1)), (1, 3, 3, 2), (1, 1), ((0, 0), (0, 0)), (1, 1)).shape
    (1, 3, 3, 2)
    """
    tall, wide, channels, each = filters.shape
    if not np.isfinite(filters).all():  # times the zeros of what is spread that would be NaN
        windows = silent.einsum("bxycm,ijcm->bxyijc", u.reshape(*u.shape[:3], channels, each), filters)
        return put_back(placewise(windows), (tall, wide), shape, strides, dilations, border)
    turned = filters[::-1, ::-1].reshape(tall, wide, channels * each)
    out = _convolved(_spread(u, (tall, wide), shape, strides, border, dilations), turned, (1, 1), dilations)
    return out if each == 1 else added(out.reshape(*shape, each), -1)


def filters_of(
    x: Array, u: Array, shape: tuple[int, int, int, int], strides: Pair, border: Border, dilations: Pair
) -> Any:
    """The transpose of `convolved` over filters of this shape: the sums of an image times what comes of it.

    Raises:
        InvalidArgumentError: a window is larger than the image with its border.

    >>> filters_of(np.ones((1, 3, 3, 2)), np.ones((1, 2, 2, 2)), (2, 2, 2, 1), (1, 1), ((0, 0), (0, 0)), (1, 1)).shape
    (2, 2, 2, 1)
    """
    batch, rows, columns, depth = u.shape
    length = columns * depth
    lines = _lines(padded(_repeated(x, shape[3]), border), shape[:2], strides, dilations)[:, :rows, ..., :length]
    by_line = silent.einsum("byjik,byk->ijk", lines, u.reshape(batch, rows, length))
    return added(by_line.reshape(*shape[:2], columns, depth), 2).reshape(shape)


def _convolved(x: Array, filters: Array, strides: Pair, dilations: Pair) -> Any:
    """Each channel of a padded image under one filter (rows, columns, channels)."""
    size, depth = filters.shape[:2], filters.shape[2]
    rows, columns = fitting(x, size, strides, dilations)
    beside = np.tile(filters, (1, 1, columns))
    out = silent.einsum("byjik,ijk->byk", _lines(x, size, strides, dilations), beside)
    return out.reshape(len(x), rows, columns, depth)


def _lines(x: Array, size: Pair, strides: Pair, dilations: Pair) -> Any:
    """(batch, rows, window columns, window rows, columns times channels), a view where the windows lie side by side."""
    columns = fitting(x, size, strides, dilations)[1]
    batch, height, _, channels = x.shape
    cut = windows_of(x, (1, size[1]), (1, strides[1]), (1, dilations[1]))[:, :, :, 0].swapaxes(2, 3)
    lines = cut.reshape(batch, height, size[1], columns * channels)
    return windows_of(lines, (size[0], 1), (strides[0], 1), (dilations[0], 1))[:, :, :, :, 0]


def _repeated(x: Array, each: int) -> Any:
    """The image with each channel repeated for each of its filters."""
    return x if each == 1 else np.repeat(x, each, -1)


def _spread(u: Array, size: Pair, shape: tuple[int, ...], strides: Pair, border: Border, dilations: Pair) -> Any:
    """An array of zeros with u in it, so that its windows are as many as the points of the image."""
    reach = [(length - 1) * dilation for length, dilation in zip(size, dilations, strict=True)]
    sides = [n + sum(around) + far for n, around, far in zip(shape[1:3], border, reach, strict=True)]
    out = np.zeros((len(u), *sides, u.shape[3]), u.dtype)
    down, across = map(slice, reach, np.add(reach, np.multiply(u.shape[1:3], strides)), strides)
    out[:, down, across] = u
    (top, bottom), (left, right) = border
    return out[:, top : sides[0] - bottom, left : sides[1] - right]
