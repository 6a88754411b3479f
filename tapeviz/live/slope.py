"""A function of an array, a point and a direction -> its directional derivative there, by finite differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

Measured: TypeAlias = Callable[[Any], tuple[float, float]]
"""A function that also says by how much its value may be wrong for rounding."""

POWERS = range(-2, -13, -1)
"""Of ten: the widths of the steps, in units of the place's own size: that of its middle entry, which a mask of huge or
infinite ones does not move."""
SMALLEST_SIZE = 1e-3


@dataclass(frozen=True)
class Differences:
    """A slope by central and by one-sided differences; `noise` is the error that rounding may make in it."""

    central: float
    left: float
    right: float
    noise: float


def slope(function: Measured, at: Any, along: Any) -> Differences:
    """The slope of `function` at `at` along `along`.

    No step suits all functions: over too wide a step they bend, in too narrow a one the slope drowns in rounding. So
    steps of many widths are tried, and the one is taken that differs least from the next wider one, noise included.
    Where none is finite, neither is the slope.

    >>> found = slope(lambda x: (float(x**3), 1e-15), np.float64(2.0), np.float64(1.0))
    >>> round(found.central, 6), slope(lambda x: (abs(float(x)), 0.0), np.float64(0.0), 1.0).right
    (12.0, 1.0)
    """
    here = function(at)[0]
    size = max(float(np.median(np.abs(at))) if np.size(at) else 1.0, SMALLEST_SIZE)
    found = [_at_width(function, here, at, along, size * 10.0**power) for power in POWERS]
    return min(pairwise(found), key=_doubt)[1]


def _at_width(function: Measured, here: float, at: Any, along: Any, width: float) -> Differences:
    (after, rounding), (before, _) = function(at + width * along), function(at - width * along)
    return Differences(
        central=(after - before) / (2 * width),
        left=(here - before) / width,
        right=(after - here) / width,
        noise=rounding / width,
    )


def _doubt(pair: tuple[Differences, Differences]) -> float:
    """The estimated error of the narrower of two neighbouring differences; infinite if one is not finite."""
    wider, narrower = pair
    doubt = abs(wider.central - narrower.central) + narrower.noise
    return doubt if np.isfinite(doubt) else float("inf")
