"""A key and a counter -> random numbers, the same that TensorFlow draws (Philox 4x32-10).

Each count gives four words of 32 bits. Words become uniform numbers by way of the mantissa, and normal ones by the
method of Box and Muller.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from tapeviz.engine.specs.dtypes import Array, of_numpy

_WORD = 0xFFFFFFFF
_FACTORS = 0xD2511F53, 0xCD9E8D57
_STEPS = 0x9E3779B9, 0xBB67AE85
_ROUNDS = 10
_SCRAMBLER = 0x3EC8F720, 0x02461E29
_MANTISSA = {
    "float16": (10, np.uint16),
    "bfloat16": (7, np.uint16),
    "float32": (23, np.uint32),
    "float64": (52, np.uint64),
}
"""The number of bits in the mantissa of a dtype, and the dtype of integers of that size."""
_SMALLEST = 1e-7
"""The least fraction of which a logarithm is taken."""
_FEW = 16
"""The number of counts up to which it is faster to compute their words one by one."""
RESERVED = 256
"""How many counts TensorFlow reserves for each number of a call."""
_NEAR = 2.0
_LONGEST = 1024
"""The largest number of counts whose words are computed in advance, if words are taken one by one."""
_ENOUGH, _PLENTY = 2, 32
"""The numbers of counts that nearly always, and always, give four normal numbers between -2 and 2."""


def _scrambled(a: Any, b: Any, c: Any, d: Any, key: tuple[int, int]) -> tuple[Any, Any, Any, Any]:
    """The four random words for the four words of a count, lowest first: integers, or uint64 arrays for many counts."""
    mine, other = key
    for _ in range(_ROUNDS):
        left, right = a * _FACTORS[0], c * _FACTORS[1]
        a, b, c, d = right >> 32 ^ b ^ mine, right & _WORD, left >> 32 ^ d ^ other, left & _WORD
        mine, other = mine + _STEPS[0] & _WORD, other + _STEPS[1] & _WORD
    return a, b, c, d


def _halves(bits: Any) -> tuple[Any, Any]:
    return bits & _WORD, bits >> 32


def skipped(state: Array, counts: int) -> Any:
    """The state of a generator so many counts later; of counts below 0 as TensorFlow adds them, word by word.

    >>> skipped(np.array([775, 0, 9]), -768)
    array([7, 0, 9])
    """
    count, above, key = state.tolist()
    first = (count & _WORD) + (counts & _WORD)
    second = (count >> 32 & _WORD) + ((counts >> 32) + (first >> 32) & _WORD)
    words = (second & _WORD) << 32 | first & _WORD, above + (second >> 32), key
    return np.array([each % 2**64 for each in words], np.uint64).view(np.int64)


class Philox:
    """A stream of numbers, drawn as from a `numpy.random.Generator`.

    >>> Philox.of_pair([1, 2]).random((2,), np.float32)
    array([0.8440604 , 0.19204533], dtype=float32)
    """

    def __init__(self, key: tuple[int, int], count: int = 0) -> None:
        """The stream of a key of two words, from a count of 128 bits on."""
        self._key, self._count = key, count

    @classmethod
    def of_pair(cls, seed: Sequence[int]) -> Philox:
        """The stream of a pair of seeds, whose bits are mixed first."""
        a, b = seed
        first, second, *above = _scrambled(a & _WORD, a >> 32 & _WORD, b & _WORD, b >> 32 & _WORD, _SCRAMBLER)
        return cls((first, second), above[0] << 64 | above[1] << 96)

    @classmethod
    def of_seeds(cls, first: int, second: int) -> Philox:
        """The stream of two seeds, the second of which is the count that it begins with."""
        return cls((first & _WORD, first >> 32), second << 64)

    @classmethod
    def of_state(cls, state: Sequence[int]) -> Philox:
        """The stream of the state of a generator: the two halves of the count, and the key."""
        count, above, key = state
        return cls((key & _WORD, key >> 32 & _WORD), count % 2**64 | above % 2**64 << 64)

    def behind(self, counts: int) -> Philox:
        """The stream that begins so many counts later."""
        return Philox(self._key, self._count + counts)

    def _at(self, places: Array) -> Any:
        """The words of the counts at some places after the first, four of each."""
        above, first = divmod(self._count % 2**128, 2**64)
        low = places.astype(np.uint64) + np.uint64(first)
        high = (low < first) + np.uint64(above)  # a sum that is smaller was carried on
        return np.stack(_scrambled(*_halves(low), *_halves(high), self._key), axis=-1).reshape(-1)

    def _words(self, size: int) -> Any:
        """The next words; for few counts by Python's integers, which is faster than arrays."""
        counts = -(-size // 4)
        if counts > _FEW:
            return self._at(np.arange(counts))[:size]
        halves = (divmod((self._count + i) % 2**128, 2**64) for i in range(counts))
        words = [_scrambled(*_halves(low), *_halves(high), self._key) for high, low in halves]
        return np.array(words, np.uint64).reshape(-1)[:size]

    def words(self) -> Iterator[int]:
        """The words one by one, without end."""
        rest, counts = self, 1
        while True:
            yield from rest._words(4 * counts).tolist()
            rest, counts = rest.behind(counts), min(2 * counts, _LONGEST)

    def random(self, size: tuple[int, ...], dtype: Any) -> Any:
        """Fractions from 0 up to, not including, 1."""
        wanted = np.dtype(dtype)
        words = self._words(prod(size) * (2 if wanted.itemsize == 8 else 1))
        return _fractions(words, wanted).reshape(size)

    def standard_normal(self, size: tuple[int, ...], dtype: Any) -> Any:
        """Normal numbers; those of 16 bits are computed in float32."""
        wanted = np.dtype(dtype)
        pairs = -(-prod(size) // 2)
        drawn = _normals(self._words(pairs * (4 if wanted.itemsize == 8 else 2)), wanted)
        return drawn[: prod(size)].reshape(size).astype(wanted)

    def truncated_normal(self, size: tuple[int, ...], dtype: Any) -> Any:
        """Normal numbers between -2 and 2: each four of them come from the counts that are reserved for them."""
        wanted = np.dtype(dtype)
        together = 2 if wanted.itemsize == 8 else 4
        groups = -(-prod(size) // together)
        begins = np.arange(groups) * (RESERVED * together // 4)
        found, whole = self._near(begins, _ENOUGH * 4 // together, together, wanted)
        found[~whole] = self._near(begins[~whole], _PLENTY, together, wanted)[0]
        return found.reshape(-1)[: prod(size)].reshape(size).astype(wanted)

    def _near(self, begins: Array, tried: int, together: int, dtype: np.dtype[Any]) -> tuple[Any, Any]:
        """For each group of counts, its first normal numbers between -2 and 2, and whether there are enough."""
        counts = (begins[:, None] + np.arange(tried)).reshape(-1)
        rows = _normals(self._at(counts), dtype).reshape(len(begins), tried * together)
        far = np.abs(rows) >= _NEAR
        first = np.argsort(far, axis=1, kind="stable")[:, :together]
        return np.take_along_axis(rows, first, axis=1), np.count_nonzero(~far, axis=1) >= together

    def permutation(self, length: int) -> Any:
        """The integers below `length` in random order: each is swapped with a later one."""
        order = np.arange(length, dtype=np.int32)
        words = self._words(max(length - 1, 0)) % np.arange(length, 1, -1, dtype=np.uint64)
        for place, far in enumerate(words.tolist()):
            order[place], order[place + far] = order[place + far], order[place]
        return order

    def integers(self, low: Any, high: Any, size: tuple[int, ...], dtype: Any, endpoint: bool = False) -> Any:
        """Integers from `low` up to, not including, `high`; with `endpoint`, any integers of the dtype."""
        wanted = np.dtype(dtype)
        wide = wanted.itemsize == 8
        words = self._words(prod(size) * (2 if wide else 1))
        bits = words[::2] | words[1::2] << np.uint64(32) if wide else words
        if not endpoint:
            bits = bits % np.uint64(int(high) - int(low)) + np.uint64(int(low) % 2**64)
        return bits.astype(f"u{wanted.itemsize}").view(wanted).reshape(size)


def _normals(words: Array, dtype: np.dtype[Any]) -> Any:
    kind = dtype if dtype.itemsize == 8 else np.dtype(np.float32)
    fractions = _fractions(words, kind)
    far = np.sqrt(-2 * np.log(np.maximum(fractions[::2], kind.type(_SMALLEST))))
    turn = (2 * np.pi * fractions[1::2].astype(np.float64)).astype(kind)  # TensorFlow's pi is a double
    return np.stack([np.sin(turn) * far, np.cos(turn) * far], axis=-1).reshape(-1)


def _fractions(words: Array, dtype: np.dtype[Any]) -> Any:
    """Fractions whose mantissas are the lowest bits of words."""
    width, holder = _MANTISSA[of_numpy(dtype).name]
    bits = words[::2] << np.uint64(32) | words[1::2] if holder is np.uint64 else words
    mantissa = (bits & np.uint64((1 << width) - 1)).astype(holder)
    one = np.ones((), dtype).view(holder)
    return (mantissa | one).view(dtype) - dtype.type(1)
