"""Ids of TensorFlow's tensors -> a set of very many, and what is known of the latest, both in little memory."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

ROOM = 1 << 12
MOST = 1 << 18
"""Entries that are kept; a tensor older than so many others is no longer used."""

About = TypeVar("About")


class TensorIdSet:
    """A set of ids, in which each tensor made after the set takes one byte: a long training makes millions of them.

    `start` is an id from the time at which the set is made; later tensors have smaller ids.
    """

    __slots__ = ("_older", "_since", "_start")

    def __init__(self, start: int) -> None:
        self._start = start
        self._since = bytearray(ROOM)
        self._older: set[int] = set()

    def __contains__(self, raw: int) -> bool:
        age = self._start - raw
        if age < 0:
            return raw in self._older
        return age < len(self._since) and self._since[age] == 1

    def add(self, raw: int) -> None:
        """Add the id of a tensor."""
        age = self._start - raw
        if age < 0:
            self._older.add(raw)
            return
        if age >= len(self._since):
            self._since += bytes(age + ROOM - len(self._since))
        self._since[age] = 1

    def update(self, several: Iterable[int]) -> None:
        """Add several ids."""
        for each in several:
            self.add(each)


class RecentTensors(dict[int, About]):
    """A dictionary that deletes the older half of its entries when there are too many.

    >>> numbers = RecentTensors({number: number for number in range(MOST)})
    >>> numbers[-1] = 0
    >>> len(numbers) == MOST // 2 + 1, 0 in numbers, -1 in numbers
    (True, False, True)
    """

    def __setitem__(self, raw: int, about: About) -> None:
        super().__setitem__(raw, about)
        if len(self) > MOST:
            for old in list(islice(self, MOST // 2)):
                del self[old]
