"""An array and the widths of its padding -> the array padded by reflection, and the transpose of that.

`beyond` says where the mirror stands: how many numbers at the edge are not repeated, none (SYMMETRIC) or one (REFLECT).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from tapeviz.engine.specs.dtypes import Array

Paddings: TypeAlias = tuple[tuple[int, int], ...]


def mirrored(x: Array, paddings: Paddings, beyond: int) -> Any:
    """The array padded at both ends of each axis; there must be enough numbers to mirror.

    >>> mirrored(np.array([1, 2, 3]), ((2, 1),), 1)
    array([3, 2, 1, 2, 3, 2])
    """
    out = np.empty([n + before + after for n, (before, after) in zip(x.shape, paddings, strict=True)], x.dtype)
    inside = [slice(before, before + n) for n, (before, _) in zip(x.shape, paddings, strict=True)]
    out[tuple(inside)] = x
    for axis, pair in enumerate(paddings):
        known = out[(*[slice(None)] * (axis + 1), *inside[axis + 1 :])]
        for border, image in _images(axis, x.shape[axis], *pair, beyond):
            known[border] = known[image]
    return out


def folded(x: Array, paddings: Paddings, beyond: int) -> Any:
    """The transpose of `mirrored`: the array without its padding, which is added to what it mirrors.

    >>> folded(np.array([1, 2, 3, 4, 5, 6]), ((2, 1),), 1)
    array([ 3, 12,  6])
    """
    out = x.copy()
    for axis, (before, after) in enumerate(paddings):
        length = out.shape[axis] - before - after
        for border, image in _images(axis, length, before, after, beyond):
            out[image] += out[border]
        out = out[_along(axis, slice(before, before + length))]
    return np.asarray(out, order="C")


def _images(axis: int, length: int, before: int, after: int, beyond: int) -> Iterator[tuple[Any, Any]]:
    """Along an axis, the slices of the padding and those of what it mirrors."""
    end = before + length
    if before:
        yield _along(axis, slice(before - 1, None, -1)), _along(axis, slice(before + beyond, 2 * before + beyond))
    if after:
        image = slice(end - beyond - after, end - beyond)
        yield _along(axis, slice(end + after - 1, end - 1, -1)), _along(axis, image)


def _along(axis: int, part: slice) -> Any:
    """The index of a part of an axis."""
    return (*[slice(None)] * axis, part)
