"""Values of tensors -> heat maps and histograms: a letter for the level of each cell, or of each bar."""

from __future__ import annotations

import math
import string
from functools import lru_cache
from typing import Any

import numpy as np

from tapeviz.events.summary import elements_of
from tapeviz.views.words.numbers import SHOWN_IN_A_ROW, few_elements

LEVELS = string.digits + string.ascii_uppercase + string.ascii_lowercase + "-_"
"""The letters, the least first."""
GRID_SIDES = (32, 16, 8)
"""The most rows, and columns, of a heat map; the first that fits is taken."""
BINS = 16


def grid(value: Any, room: int = GRID_SIDES[0] ** 2) -> dict[str, Any] | None:
    """A small heat map of a vector or matrix, of at most `room` cells: one letter per cell, from LEVELS; a space where
    it is not finite.

    >>> grid(np.array([[0.0, 1.0], [np.nan, 0.5]]))
    {'rows': 2, 'cols': 2, 'levels': '0_ W'}
    """
    array = elements_of(value)
    if array is None or room < 2 or array.ndim not in (1, 2) or array.size < 2 or array.dtype.kind not in "biuf":
        return None
    array = array if array.ndim == 2 else array[np.newaxis]
    steps = _steps(*array.shape, room)
    if steps is None:
        return None
    small = array[:: steps[0], :: steps[1]]
    return {"rows": small.shape[0], "cols": small.shape[1], "levels": _levels(small)}


def fits(shape: tuple[int, ...], room: int) -> bool:
    """Whether there may be a heat map of a value of this shape of at most `room` cells."""
    return len(shape) in (1, 2) and _steps(*(1, *shape)[-2:], room) is not None


@lru_cache
def _steps(rows: int, columns: int, room: int) -> tuple[int, int] | None:
    """Every how many rows and columns of a matrix there is room for as many cells; None where there is for none."""
    for side in GRID_SIDES:
        down, along = _stride(rows, side), _stride(columns, side)
        if math.ceil(rows / down) * math.ceil(columns / along) <= room:
            return down, along
    return None


def histogram(value: Any) -> str | None:
    """How the finite elements of a value spread from the least to the greatest, in BINS bins: a letter each, from
    LEVELS, the highest for the fullest bin; 0 only for an empty one. None for what is small, unknown or complex.

    >>> histogram(np.array([0.0, 0.0, 0.0, 0.0, 1.0, np.nan]))
    '_00000000000000G'
    """
    array = elements_of(value)
    if array is None or array.size <= SHOWN_IN_A_ROW or array.dtype.kind not in "biuf":
        return None
    cells = array.ravel().astype(np.float64)
    low, high = float(cells.min()), float(cells.max())
    if not math.isfinite(high - low):
        cells = cells[np.isfinite(cells)]
        low, high = (float(cells.min()), float(cells.max())) if cells.size else (0.0, 0.0)
    if not math.isfinite(high - low) or not cells.size:
        return None
    scale = BINS / (high - low) if high > low else math.inf
    # All of one value stand in the middle.
    bins = ((cells - low) * scale).astype(np.intp) if scale < math.inf else np.full(cells.size, BINS // 2)
    counts = np.bincount(np.minimum(bins, BINS - 1), minlength=BINS)
    levels = -(-counts * (len(LEVELS) - 1) // counts.max())
    return "".join(LEVELS[level] for level in levels.tolist())


def strip(value: Any, spread: bool = True) -> str | None:
    """What a box shows of a value: a number, or a row of few; else, after a colon, its histogram if `spread`.

    >>> strip(27.0), strip(np.array([1.0, 0.5])), strip(np.arange(64.0)), strip(None)
    ('27.0', '[1.0, 0.5]', ':________________', None)
    """
    array = elements_of(value)
    if array is None:
        return None
    if array.size <= SHOWN_IN_A_ROW:
        return few_elements(array)
    letters = histogram(value) if spread else None
    return f":{letters}" if letters else None


def _stride(length: int, side: int) -> int:
    return max(1, math.ceil(length / side))


def _levels(array: np.ndarray[Any, Any]) -> str:
    cells = array.astype(np.float64)
    finite = np.isfinite(cells)
    low, high = (cells[finite].min(), cells[finite].max()) if finite.any() else (0.0, 0.0)
    scale = (len(LEVELS) - 1) / (high - low) if high > low else 0.0
    levels = np.where(finite, np.rint((np.where(finite, cells, low) - low) * scale), -1).astype(int)
    return "".join(LEVELS[level] if level >= 0 else " " for level in levels.flat)
