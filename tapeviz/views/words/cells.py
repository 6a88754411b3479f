"""Value of a tensor -> what its picture is painted from: a block of at most so many elements, of a few letters each.

`frontend/words/cells.js` reads it.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tapeviz.events.summary import elements_of
from tapeviz.views.words.numbers import SHOWN_ELEMENTS

Shape: TypeAlias = tuple[int, ...]

MOST_SIDE = 64
"""The most rows, and columns, of a picture in a saved page."""
LEAST_CELLS = 16
"""A picture of fewer cells shows nothing of a larger tensor."""
WHOLE_BYTES, FEWER_BYTES = 4, 3
"""Of each element: a float32, or the same without its last byte, which leaves it four digits."""


class Axes(NamedTuple):
    """Which axes of a tensor are the rows and the columns of its picture (rows -1: a vector has none), and the names of
    all, "" where nothing is known of one."""

    rows: int
    columns: int
    names: tuple[str, ...]


def plain_axes(shape: Shape) -> Axes:
    """The axes of a tensor of which only the shape is known: the last two, or those before a last one of colours.

    >>> plain_axes((8, 28, 28, 3))
    Axes(rows=1, columns=2, names=('', '', '', ''))
    """
    last = len(shape) - 1
    is_picture = len(shape) in (3, 4) and shape[-1] in (1, 3, 4) and min(shape[-3:-1]) > 4
    return Axes(last - 1 - is_picture, last - is_picture, ("",) * len(shape))


def cells(value: Any, axes: Axes, room: int, most_side: int = MOST_SIDE) -> dict[str, Any] | None:
    """A block of at most `room` elements of a real value: every so many rows and columns, and of the other axes the
    first; None where there is no room, or float32 cannot hold its numbers.

    >>> cells(np.array([[1.0, 2.0]]), plain_axes((1, 2)), 8)
    {'sides': [1, 2], 'strides': [1, 1], 'names': ['', ''], 'rows': 0, 'columns': 1, 'numbers': 'P4AAAEAAAAA='}
    """
    array = elements_of(value)
    if array is None or array.dtype.kind not in "biufV" or array.ndim == 0 or array.size < 2:
        return None
    found = sampled(array.shape, axes.rows, axes.columns, room, most_side)
    if found is None:
        return None
    sides, strides = found
    block = array[tuple(slice(0, side * stride, stride) for side, stride in zip(sides, strides, strict=True))]
    numbers = _written(block, FEWER_BYTES if block.size > SHOWN_ELEMENTS and most_side == MOST_SIDE else WHOLE_BYTES)
    if numbers is None:
        return None
    names = {"names": list(axes.names), "rows": axes.rows, "columns": axes.columns}
    return {"sides": list(sides), "strides": list(strides), **names, "numbers": numbers}


@lru_cache
def sampled(shape: Shape, rows: int, columns: int, room: int, most_side: int = MOST_SIDE) -> tuple[Shape, Shape] | None:
    """How many indices of each axis there is room for, and every how many of them; None where there is for too few.

    Rows and columns are taken from all over the picture, of every other axis its first indices: of a batch fewer
    before there are fewer of its heads, or channels.

    >>> sampled((8, 100, 100), 1, 2, 2500), sampled((8, 4, 12, 12), 2, 3, 600)
    (((1, 50, 50), (1, 2, 2)), ((1, 4, 12, 12), (1, 1, 1, 1)))
    """
    sides, strides = list(shape), [1] * len(shape)
    pictured = [axis for axis in (rows, columns) if axis >= 0]
    others = [axis for axis in range(len(shape)) if axis not in pictured]
    for axis in pictured:
        strides[axis] = max(1, math.ceil(shape[axis] / most_side))
        sides[axis] = math.ceil(shape[axis] / strides[axis])
    while math.prod(sides) > max(room, 1):
        axis = next((axis for axis in others if sides[axis] > 1), -1)
        if axis >= 0:
            sides[axis] = max(1, sides[axis] * room // math.prod(sides))
            continue
        axis = max(pictured, key=sides.__getitem__)
        strides[axis] += 1
        sides[axis] = math.ceil(shape[axis] / strides[axis])
    is_enough = room >= 2 and math.prod(sides) >= min(LEAST_CELLS, math.prod(shape))
    return (tuple(sides), tuple(strides)) if is_enough else None


def fair_share(wanted: Iterable[int], room: int) -> int:
    """How much each may have, so that all together have no more than `room`: who wants less leaves the rest to others.

    >>> fair_share([2, 10, 10], 12), fair_share([2, 3], 12)
    (5, 12)
    """
    each = sorted(wanted)
    left = room
    for count, want in enumerate(each):
        if want > (share := left // (len(each) - count)):
            return share
        left -= want
    return room


def _written(block: np.ndarray[Any, Any], kept: int) -> str | None:
    """The first bytes of each element as a float32, the rest rounded; as base64."""
    exact = block.astype(np.float64)
    with np.errstate(over="ignore", under="ignore"):
        floats = np.where(np.isnan(exact), np.nan, exact).astype(np.float32)
    if (np.isfinite(floats) != np.isfinite(exact)).any() or ((floats == 0) != (exact == 0)).any():
        return None
    if kept == FEWER_BYTES:
        up = (floats.view(np.uint32) + 0x80).view(np.float32)
        floats = np.where(np.isfinite(up), up, floats)
    octets = floats.astype(">f4").reshape(-1, 1).view(np.uint8)[:, :kept]
    return base64.b64encode(octets.tobytes()).decode()
