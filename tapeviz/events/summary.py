"""An array -> its statistics, for display and for values that no longer fit the log's budget."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import Any, Literal, TypeAlias

import numpy as np

PIECE = 1 << 16
FEW = 1 << 13
TINY, HUGE = 1e-30, 1e30
"""Between these a sum of squares in float32 has neither lost nor overflown anything that counts."""
SLIGHT = 2.0**-40
"""Floats of 32 bits that are less are squared in 64: what is left of their squares in 32 takes a processor long."""
Oddity: TypeAlias = Literal["nan", "inf", "zero"]
"""What may be odd about a value: an element is NaN, one is infinite, every element is zero."""
FLOATS = {np.dtype(name): name for name in ("float32", "float64")}


@dataclass(frozen=True, slots=True)
class Summary:
    """Statistics of an array. Over its finite elements: min, max, mean and norm (NaN where there is none).

    >>> Summary.of(np.array([3.0, -4.0, np.inf]))
    Summary(shape=(3,), dtype='float64', min=-4.0, max=3.0, mean=-0.5, norm=5.0, zeros=0, nans=0, infs=1)
    """

    shape: tuple[int, ...]
    dtype: str
    min: float
    max: float
    mean: float
    norm: float
    zeros: int
    nans: int
    infs: int

    @classmethod
    def of(cls, value: Any, shape: tuple[int, ...] | None = None) -> Summary:
        """Summarise an array or NumPy scalar of any numeric dtype; other dtypes have no numbers to summarise.

        `shape` is the value's own, in a tuple that is there already: many summaries share one.
        """
        array = np.asarray(value)
        shape = array.shape if shape is None else shape
        if array.dtype.kind not in "biufcV":  # V: bfloat16 and others that NumPy has not itself
            return cls._empty(array, shape, 0, 0, 0)
        return cls._at_once(array, shape) or cls._in_pieces(array, shape)

    @classmethod
    def _at_once(cls, array: np.ndarray[Any, Any], shape: tuple[int, ...]) -> Summary | None:
        """The commonest case, of which `_in_few_passes` knows all."""
        numbers = _in_few_passes(array)
        return None if numbers is None else cls(shape, FLOATS[array.dtype], *numbers, 0, 0)

    @classmethod
    def _in_pieces(cls, array: np.ndarray[Any, Any], shape: tuple[int, ...]) -> Summary:
        low, high, nans, infs, zeros = math.inf, -math.inf, 0, 0, 0
        for piece in _pieces(array):
            finite = piece[np.isfinite(piece)]
            nans += int(np.isnan(piece).sum())
            infs += int(np.isinf(piece).sum())
            zeros += int(piece.size - np.count_nonzero(piece))
            if finite.size:
                low, high = min(low, float(finite.min())), max(high, float(finite.max()))
        if low > high:
            return cls._empty(array, shape, zeros, nans, infs)
        largest, count, total, squares = max(abs(low), abs(high)), 0, 0.0, 0.0
        for piece in _pieces(array):
            finite = piece[np.isfinite(piece)]
            count += finite.size
            total += float(finite.sum())
            squares += float(np.square(finite / (largest or 1.0)).sum())
        mean, norm = total / count, largest * math.sqrt(squares)
        return cls(shape, intern(array.dtype.name), low, high, mean, norm, zeros, nans, infs)

    @classmethod
    def _empty(cls, array: np.ndarray[Any, Any], shape: tuple[int, ...], zeros: int, nans: int, infs: int) -> Summary:
        """The summary of an array with no finite number in it."""
        nan = math.nan
        return cls(shape, str(array.dtype), nan, nan, nan, nan, zeros, nans, infs)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def oddities(self) -> tuple[Oddity, ...]:
        """All that is odd about the array, the worst first."""
        odd: dict[Oddity, bool] = {"nan": self.nans > 0, "inf": self.infs > 0, "zero": 0 < self.size == self.zeros}
        return tuple(oddity for oddity, holds in odd.items() if holds)


def _in_few_passes(array: np.ndarray[Any, Any]) -> tuple[float, float, float, float, int] | None:
    """Least, greatest, mean, norm and the count of zeros of floats that are nothing but zeros, or have a finite sum of
    squares that is exact, being neither too large nor too small; None of all others."""
    if array.dtype not in FLOATS or not array.size:
        return None
    flat = array.reshape(-1)
    low, high, total, squares, zeros = math.inf, -math.inf, 0.0, 0.0, 0
    for start in range(0, flat.size, PIECE):  # what was read from memory for one number is near for the next
        piece = flat[start : start + PIECE]
        least, most = piece.item(piece.argmin()), piece.item(piece.argmax())  # sooner than `min` where few
        low, high = min(low, least), max(high, most)
        if least != 0 or most != 0:
            wide = piece.astype(np.float64) if max(-least, most) < SLIGHT else piece
            squares += float(np.vdot(wide, wide))
            if not squares < HUGE:
                return None
        total += float(np.add.reduce(piece) if piece.size < FEW else np.einsum("i->", piece))  # the sooner of both
        if least <= 0 <= most:
            zeros += int(np.count_nonzero(piece == 0))
    if squares < TINY and array.dtype.itemsize > 4 and zeros < flat.size:
        return None
    return low, high, total / flat.size, math.sqrt(squares), zeros


def summary_of(value: Any) -> Summary | None:
    """The statistics of a value of a log, as far as there is one."""
    return value if value is None or isinstance(value, Summary) else Summary.of(value)


def elements_of(value: Any) -> np.ndarray[Any, Any] | None:
    """The elements of a value of a log; None where it was not kept, or only its statistics.

    >>> elements_of(2.0), elements_of(summary_of(2.0)), elements_of(None)
    (array(2.), None, None)
    """
    return None if value is None or isinstance(value, Summary) else np.asarray(value)


def has_same_elements(one: Any, other: Any) -> bool:
    """Whether two values of a log are known to have the same shape and elements; NaN equals nothing.

    >>> has_same_elements(2.0, np.array(2.0)), has_same_elements(None, None)
    (True, False)
    """
    mine, theirs = elements_of(one), elements_of(other)
    return mine is not None and theirs is not None and np.array_equal(mine, theirs)


def oddities(value: Any) -> tuple[Oddity, ...]:
    """All that is odd about a value of a log, the worst first; nothing where nothing is known of its numbers.

    >>> oddities(np.array([1.0, np.inf, np.nan])), oddities(summary_of(0.0)), oddities(2.0), oddities(None)
    (('nan', 'inf'), ('zero',), (), ())
    """
    if value is None or isinstance(value, Summary):
        return () if value is None else value.oddities
    array = np.asarray(value)
    if array.dtype.kind not in "biufc" or not array.size:
        return ()
    if np.isfinite(array).all():  # by far the commonest, so this alone is asked first
        return () if array.any() else ("zero",)
    return Summary.of(array).oddities


def is_finite(value: Any) -> bool:
    """Whether no element of a value of a log is known to be NaN or infinite.

    >>> is_finite(np.array([1.0, np.inf])), is_finite(0.0), is_finite(None)
    (False, True, True)
    """
    return oddities(value) in ((), ("zero",))


def norm(value: Any) -> float:
    """The Euclidean norm of an array of numbers, in double precision.

    >>> norm(np.float32([3.0, -4.0])), norm([3j, 4.0])
    (5.0, 5.0)
    """
    array = np.asarray(value)
    flat = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64, copy=False).reshape(-1)
    return math.sqrt(np.vdot(flat, flat).real)


def size_of(value: Any) -> float | None:
    """The norm of a value of a log, which is not finite where an element is not; None if no numbers are known of it.

    >>> size_of(np.float32([3.0, -4.0])), size_of(summary_of(np.array([np.nan, 1.0]))), size_of(None)
    (5.0, nan, None)
    """
    if isinstance(value, Summary):
        return math.nan if value.nans else math.inf if value.infs else value.norm
    array = None if value is None else np.asarray(value)
    return norm(array) if array is not None and array.dtype.kind in "biufcV" else None


def _pieces(array: np.ndarray[Any, Any]) -> Iterator[np.ndarray[Any, Any]]:
    """The elements as float64 (magnitudes, if complex), a few at a time, so that a large array needs no copy."""
    flat = array.reshape(-1)
    for start in range(0, flat.size, PIECE):
        piece = flat[start : start + PIECE]
        yield (np.abs(piece) if array.dtype.kind == "c" else piece).astype(np.float64)


class Packed(bytes):
    """A `Summary` in half the memory: a long recording holds one for nearly every value.

    >>> Packed.of(Summary.of(np.array([3.0, -4.0]))).summary
    Summary(shape=(2,), dtype='float64', min=-4.0, max=3.0, mean=-0.5, norm=5.0, zeros=0, nans=0, infs=0)
    """

    __slots__ = ()

    @classmethod
    def of(cls, summary: Summary) -> Packed:
        """The same statistics, to be held rather than looked at."""
        counts = (summary.zeros, summary.nans, summary.infs, *summary.shape)
        size = "I" if max(counts) < 1 << 32 else "Q"
        floats = summary.min, summary.max, summary.mean, summary.norm
        numbers = struct.pack(f"<BB4d{len(counts)}{size}", ord(size), len(counts), *floats, *counts)
        return cls(numbers + summary.dtype.encode())

    @classmethod
    def of_array(cls, array: np.ndarray[Any, Any], shape: tuple[int, ...]) -> Packed:
        """Those of an array of this shape, which in the commonest case are a `Summary` only when someone asks.

        >>> Packed.of_array(np.array([3.0, -4.0]), (2,)) == Packed.of(Summary.of(np.array([3.0, -4.0])))
        True
        """
        numbers = _in_few_passes(array) if array.size < LARGE else None
        if numbers is None:
            return cls.of(Summary.of(array, shape))
        return cls(_PLAIN.pack(ord("I"), 3 + len(shape), *numbers, 0, 0) + _written(shape, FLOATS[array.dtype]))

    @classmethod
    def of_columns(cls, dtype: str, shape: tuple[int, ...], columns: Sequence[np.ndarray[Any, Any]]) -> list[Packed]:
        """Those of several small values of finite numbers: their least, greatest, means, norms and counts of zeros."""
        many, counts = len(columns[0]), 3 + len(shape)
        name = dtype.encode()
        heads, counted = [("size", "u1"), ("counts", "u1"), ("floats", "<f8", 4)], ("numbers", "<u4", counts)
        rows = np.zeros(many, [*heads, counted, ("name", f"S{len(name)}")])
        rows["size"], rows["counts"], rows["name"] = ord("I"), counts, name
        for at, column in enumerate(columns[:4]):
            rows["floats"][:, at] = column
        rows["numbers"][:, 0], rows["numbers"][:, 3:] = columns[4], shape
        return [cls(each) for (each,) in struct.iter_unpack(f"{rows.itemsize}s", rows.tobytes())]

    @property
    def summary(self) -> Summary:
        """The statistics, each by its name."""
        return Summary(*self.spec, *_STATISTICS[self[0]].unpack_from(self, 2))

    @property
    def spec(self) -> tuple[tuple[int, ...], str]:
        """The shape and dtype of the value that it is of, which are one object for all that are alike."""
        return _spec_of(self[0], self[1] - 3, self[2 + _STATISTICS[self[0]].size :])

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value that it is of."""
        return self.spec[0]

    @property
    def dtype(self) -> str:
        """The dtype of the value that it is of."""
        return self.spec[1]


LARGE = 1 << 32
"""Counts that take more than 32 bits."""
_PLAIN = struct.Struct("<BB4d3I")
_STATISTICS = {ord(size): struct.Struct(f"<4d3{size}") for size in "IQ"}
"""What stands after the first two bytes, by the first of them: floats, then counts of that size; the shape follows."""


@lru_cache(4096)
def _written(shape: tuple[int, ...], dtype: str) -> bytes:
    """A shape, and after it the name of a dtype, as they stand behind counts of 32 bits."""
    return struct.pack(f"<{len(shape)}I", *shape) + dtype.encode()


@lru_cache(4096)
def _spec_of(size: int, dimensions: int, written: bytes) -> tuple[tuple[int, ...], str]:
    """A shape of so many dimensions, and after it the name of a dtype."""
    form = f"<{dimensions}{chr(size)}"
    return struct.unpack_from(form, written), intern(written[struct.calcsize(form) :].decode())
