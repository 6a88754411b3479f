"""The values of a log <-> rows that describe them, and blocks of bytes that hold the elements.

No pickle and no dtype from the file: numbers are little-endian elements of one of the `NUMERIC` dtypes, text is in its
row, and a value that is neither, or that changed before it could be read, is a row that says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np

from tapeviz.events.ids import TensorId
from tapeviz.events.summary import Summary
from tapeviz.events.values import read_spec, readable

_SIZES = {"int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "float": (16, 32, 64), "complex": (64, 128)}
NUMERIC = frozenset({"bool", *(f"{kind}{bits}" for kind, sizes in _SIZES.items() for bits in sizes)})
FLOATS = frozenset({"float16", "float32", "float64"})
BLOCK = 1 << 20
"""A block is begun where the next value would make the last larger than this; a larger value has one to itself."""
ALIGNED = 16
MOST_PADDED = 1 << 24
"""Texts that would take more letters, each padded to the longest, stay of lengths of their own."""
LARGEST = 1 << 30
"""A value of more bytes is saved as its statistics."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """From position `since` on, `tensor` holds the elements that begin at `offset` of a block."""

    tensor: TensorId
    since: int
    dtype: str
    shape: tuple[int, ...]
    block: int
    offset: int


@dataclass(frozen=True, slots=True)
class Words:
    """The same for text, or bytes as Latin-1: `kind` is that of NumPy's dtype, `encoded` says that they are bytes."""

    tensor: TensorId
    since: int
    kind: Literal["O", "S", "U"]
    encoded: bool
    shape: tuple[int, ...]
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of the value from `since` on there is only a summary."""

    tensor: TensorId
    since: int
    summary: Summary


@dataclass(frozen=True, slots=True)
class Lost:
    """The tensor got another value at `since`, and it is not known which."""

    tensor: TensorId
    since: int


ValueRow: TypeAlias = Numbers | Words | Statistics | Lost


class ValueBlocks:
    """Blocks of bytes that values are put into one by one; a value that several tensors share is there once."""

    def __init__(self) -> None:
        self.blocks: list[bytearray] = []
        self._places: dict[int, tuple[Any, int, int]] = {}

    def put(self, tensor: int, since: int, value: Any) -> ValueRow:
        """Put a value away; the row that finds it again."""
        value = readable(value)
        if isinstance(value, Summary):
            return Statistics(tensor, since, value)
        if value is None:
            return Lost(tensor, since)
        array = np.asarray(value)
        if array.dtype.kind in "OSU":
            return _words(tensor, since, array)
        if array.nbytes > LARGEST:
            return Statistics(tensor, since, Summary.of(array))
        _, dtype = read_spec(array)
        if dtype not in NUMERIC:
            return Lost(tensor, since)
        block, offset = self._place(value, array)
        return Numbers(tensor, since, dtype, array.shape, block, offset)

    def _place(self, value: Any, array: Any) -> tuple[int, int]:
        known = self._places.get(id(value))
        if known is None:
            if not self.blocks or len(self.blocks[-1]) + array.nbytes > BLOCK:
                self.blocks.append(bytearray())
            block = self.blocks[-1]
            block += bytes(-len(block) % ALIGNED)
            known = self._places[id(value)] = value, len(self.blocks) - 1, len(block)
            block += np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
        return known[1:]


def _words(tensor: int, since: int, array: Any) -> ValueRow:
    items = array.reshape(-1).tolist()
    encoded = all(isinstance(each, bytes) for each in items)
    if not encoded and not all(isinstance(each, str) for each in items):
        return Lost(tensor, since)
    texts = tuple([each.decode("latin-1") if encoded else each for each in items])
    return Words(tensor, since, array.dtype.kind, encoded, array.shape, texts)


def read_words(row: Words) -> Any:
    """The text of a row.

    Raises:
        ValueError: the shape is not that of its items.
    """
    items = [each.encode("latin-1") for each in row.items] if row.encoded else list(row.items)
    padded = len(items) * max(map(len, items), default=0)
    flat = np.array(items, object if row.kind == "O" or padded > MOST_PADDED else row.kind)
    return _shaped(flat, row.shape)


def read_numbers(row: Numbers, block: bytes) -> Any:
    """The elements of a row; NumPy's scalar for shape (). They are read in place, and cannot be written to.

    Raises:
        ValueError: an unknown dtype, or elements outside the block.
    """
    if row.dtype not in NUMERIC:
        raise ValueError(f"{row.dtype[:40]!r} is no dtype of numbers")
    dtype, count = _little_endian(row.dtype), math.prod(row.shape)
    if row.offset < 0 or min(row.shape, default=0) < 0 or row.offset + count * dtype.itemsize > len(block):
        raise ValueError(f"a value of shape {row.shape} is outside its block")
    flat = np.frombuffer(block, dtype, count, row.offset) if count else np.empty(0, dtype)
    return _shaped(flat.astype(row.dtype, copy=False), row.shape)


def elements_of(dtype: str, block: bytes) -> Any:
    """A block as elements of one dtype, as many whole ones as are in it; they cannot be written to.

    Raises:
        ValueError: an unknown dtype.
    """
    if dtype not in NUMERIC:
        raise ValueError(f"{dtype[:40]!r} is no dtype of numbers")
    little = _little_endian(dtype)
    return np.frombuffer(block, little, len(block) // little.itemsize).astype(dtype, copy=False)


def norms_within(dtype: str, block: bytes, offsets: Sequence[int], counts: Sequence[int]) -> list[float | None]:
    """The norms of values in a block, which begin at an offset and have a number of elements, all at once.

    None of one without elements, or outside the block; in double precision.

    >>> norms_within("float32", np.float32([3.0, -4.0, 0.0, 2.0]).tobytes(), [0, 12, 12], [2, 1, 2])
    [5.0, 2.0, None]
    """
    elements = elements_of(dtype, block)
    starts, misplaced = np.divmod(np.array(offsets, dtype=np.int64), elements.itemsize)
    ends = starts + np.array(counts, dtype=np.int64)
    are_inside = (misplaced == 0) & (starts >= 0) & (starts < ends) & (ends <= elements.size)
    squares = np.zeros(elements.size + 1)
    squares[:-1] = elements
    with np.errstate(over="ignore", invalid="ignore"):
        np.multiply(squares, squares, out=squares)
        inside = np.stack([starts, ends], axis=1)[are_inside].reshape(-1)
        sums = np.add.reduceat(squares, inside)[::2] if inside.size else np.empty(0)
    known = iter(np.sqrt(sums).tolist())
    return [next(known) if is_inside else None for is_inside in are_inside.tolist()]


@cache
def _little_endian(dtype: str) -> np.dtype[Any]:
    return np.dtype(dtype).newbyteorder("<")


def _shaped(elements: Any, shape: Sequence[int]) -> Any:
    return elements.reshape(shape)[()]
