"""Sums and products of a few numbers in the order of Eigen's registers, so that the results are bit-equal.

Along a row, registers are filled one after the other, in four accumulators where the row is long; each lane is summed
by itself, the lanes are folded in half at the end, and what fills no register is added last (`InnerMostDimReducer` in
Eigen's `TensorReduction.h`). Over columns, registers lie across, and many rows are taken four at a time
(`InnerMostDimPreserver`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.kernels.eigen_math import LANES
from tapeviz.engine.specs.dtypes import Array

TURNS = 4
"""The number of accumulators for registers, or rows."""
MANY_ROWS = 16
"""The number of rows from which on there are several accumulators."""


def folded(ufunc: np.ufunc, x: Array) -> Any:
    """What is left of the middle one of three axes.

    >>> folded(np.add, np.arange(10, dtype=np.float32).reshape(1, 10, 1))
    array([[45.]], dtype=float32)
    """
    before, count, behind = x.shape
    if count < (LANES[x.dtype.char] if behind == 1 else MANY_ROWS) or before > 1 < behind:
        return ufunc.reduce(x, 1)
    if behind == 1:
        return _row(ufunc, x.reshape(before, count)).reshape(before, 1)
    full = behind - behind % LANES[x.dtype.char]
    across, left = x[:, :, :full], x[:, :, full:]
    return np.concatenate([_in_turns(ufunc, across), ufunc.reduce(left, 1)], 1)


def _row(ufunc: np.ufunc, x: Array) -> Any:
    """The reduction of each row."""
    rows, count = x.shape
    lanes = LANES[x.dtype.char]
    full = count - count % lanes
    found = _in_turns(ufunc, x[:, :full].reshape(rows, full // lanes, lanes))
    return ufunc(ufunc.reduce(x[:, full:], 1), halved(ufunc, found)[:, 0])


def halved(ufunc: np.ufunc, lanes: Array) -> Any:
    """Rows of lanes, combined in halves until one number is left of each row."""
    while (half := lanes.shape[1] // 2) > 0:
        lanes = ufunc(lanes[:, :half], lanes[:, half:])
    return lanes


def _in_turns(ufunc: np.ufunc, x: Array) -> Any:
    """The reduction of the middle axis: every fourth number together, then these four, then the rest one by one."""
    before, count, behind = x.shape
    turns = count - count % TURNS
    if turns <= TURNS:
        return ufunc.reduce(x, 1)
    four = ufunc.reduce(x[:, :turns].reshape(before, turns // TURNS, TURNS, behind), 1)
    return ufunc.reduce(np.concatenate([four, x[:, turns:]], 1) if turns < count else four, 1)
