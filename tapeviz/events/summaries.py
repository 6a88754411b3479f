"""Arrays -> their statistics, those of small ones for many at once.

What NumPy takes to begin with an array is most of what it takes for a small one, and a long recording has many.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from tapeviz.events.summary import FLOATS, HUGE, SLIGHT, TINY, Oddity, Packed, Summary

SMALL = 1 << 12
"""Bytes of an array up to which it is looked at together with others."""
Key = TypeVar("Key")


class Summaries:
    """What `Summary.of` gives, to the last bit, of the rows of a matrix of floats, which are few and not empty, for
    arrays of these `shapes`: worked out for all `rows` at once, and made a `Summary` where someone asks for it.

    >>> Summaries(np.array([[3.0, -4.0], [0.0, 0.0]]), [(2,), (2, 1)])[0].norm
    5.0
    """

    def __init__(self, rows: np.ndarray[Any, Any], shapes: Sequence[tuple[int, ...]]) -> None:
        self.shapes, self.rows, size = shapes, rows, rows.shape[1]
        each = np.arange(len(rows))
        with np.errstate(all="ignore"):
            low, high = rows[each, rows.argmin(axis=1)], rows[each, rows.argmax(axis=1)]
            squares, is_exact = _squares(rows, np.maximum(-low, high))
            means, norms = (0.0 + np.add.reduce(rows, axis=1).astype(np.float64)) / size, np.sqrt(squares)
        zeros = np.count_nonzero(rows == 0, axis=1)
        is_zero = zeros == size
        others = ~(((squares >= TINY) & (squares < HUGE)) | is_zero | is_exact)
        # Where these are not finite, or zeros of either sign may be the least or the greatest, a row is told alone.
        is_plain = others & (low != 0) & (high != 0) & np.isfinite(low) & np.isfinite(high)
        means[is_plain], norms[is_plain] = _scaled(rows[is_plain])
        self._numbers = low, high, means, norms, zeros
        self._is_alone = others & ~is_plain
        self._is_zero = is_zero

    @cached_property
    def oddities(self) -> list[tuple[Oddity, ...]]:
        """All that is odd about each row, the worst first."""
        return _oddities(self.rows, self._is_zero)

    @cached_property
    def _columns(self) -> list[list[Any]]:
        return [each.tolist() for each in self._numbers]

    def __getitem__(self, row: int) -> Summary:
        if self._is_alone[row]:
            return Summary.of(self.rows[row], self.shapes[row])
        least, most, mean, norm, zeros = [column[row] for column in self._columns]
        return Summary(self.shapes[row], FLOATS[self.rows.dtype], least, most, mean, norm, zeros, 0, 0)

    def packed(self) -> list[Packed]:
        """All of them, as they are held."""
        dtype, first = FLOATS[self.rows.dtype], self.shapes[0]
        if all(each is first for each in self.shapes):
            found: list[Any] = Packed.of_columns(dtype, first, self._numbers)
        else:
            found = [None] * len(self.shapes)
            alike: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
            for row, shape in enumerate(self.shapes):
                alike[shape].append(row)
            for shape, rows in alike.items():
                columns = [each[rows] for each in self._numbers]
                for row, packed in zip(rows, Packed.of_columns(dtype, shape, columns), strict=True):
                    found[row] = packed
        for row in np.flatnonzero(self._is_alone).tolist():
            found[row] = Packed.of(self[row])
        return found


def _squares(
    rows: np.ndarray[Any, Any], largest: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The sum of the squares of each row, in which the largest is given, and whether it is exact though it is tiny."""
    is_slight = (largest < SLIGHT) & (rows.itemsize == 4)
    if not is_slight.any():
        return np.vecdot(rows, rows).astype(np.float64), is_slight
    squares = np.empty(len(rows))
    wide, usual = rows[is_slight].astype(np.float64), rows[~is_slight]
    squares[is_slight], squares[~is_slight] = np.vecdot(wide, wide), np.vecdot(usual, usual)
    return squares, is_slight


def _oddities(rows: np.ndarray[Any, Any], is_zero: np.ndarray[Any, Any]) -> list[tuple[Oddity, ...]]:
    """All that is odd about each row, the worst first, given which have nothing but zeros."""
    found: list[tuple[Oddity, ...]] = [("zero",) if each else () for each in is_zero.tolist()]
    for row in np.flatnonzero(~np.isfinite(rows).all(axis=1)).tolist():
        found[row] = Summary.of(rows[row]).oddities
    return found


def _scaled(rows: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The means and norms of rows of finite numbers that are very small or large, and not all zero."""
    wide = rows.astype(np.float64)
    largest = np.abs(wide).max(axis=1, initial=0.0)
    norms = largest * np.sqrt(np.square(wide / largest[:, np.newaxis]).sum(axis=1))
    return wide.sum(axis=1) / rows.shape[1], norms


def alike(arrays: Iterable[tuple[Key, np.ndarray[Any, Any]]]) -> Iterator[tuple[list[Key], list[np.ndarray[Any, Any]]]]:
    """Those that are small floats and have elements, of one dtype and size together, each with its key.

    One whose elements do not follow on each other is none of them: NumPy adds these up in another order.
    """
    found: defaultdict[tuple[np.dtype[Any], int], list[tuple[Key, np.ndarray[Any, Any]]]] = defaultdict(list)
    for key, array in arrays:
        if 0 < array.nbytes <= SMALL and array.dtype in FLOATS and array.flags.c_contiguous:
            found[array.dtype, array.size].append((key, array))
    for group in found.values():
        yield [key for key, _ in group], [array for _, array in group]


def summarised(arrays: Sequence[np.ndarray[Any, Any]]) -> list[Packed]:
    """What `Summary.of` gives of each, to the last bit, as it is held.

    >>> [each.summary.norm for each in summarised([np.array([3.0, -4.0]), np.array([[True]])])]
    [5.0, 1.0]
    """
    found: list[Packed | None] = [None] * len(arrays)
    for indices, group in alike(enumerate(arrays)):
        rows = Summaries(np.stack([each.reshape(-1) for each in group]), [each.shape for each in group])
        for index, packed in zip(indices, rows.packed(), strict=True):
            found[index] = packed
    return [
        Packed.of_array(array, array.shape) if each is None else each for each, array in zip(found, arrays, strict=True)
    ]
