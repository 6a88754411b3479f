"""A set of ids of TensorFlow's tensors, which needs little memory: those in the log, or those that a tape follows."""

from __future__ import annotations

from collections.abc import Iterable

ROOM = 1 << 12


class Known:
    """A set of ids, in which each tensor made after the set takes one byte: a long training makes millions of them.

    `born` is an id from the time at which the set is made; later tensors have smaller ids.
    """

    __slots__ = ("_born", "_older", "_since")

    def __init__(self, born: int) -> None:
        self._born = born
        self._since = bytearray(ROOM)
        self._older: set[int] = set()

    def __contains__(self, raw: int) -> bool:
        age = self._born - raw
        if age < 0:
            return raw in self._older
        return age < len(self._since) and self._since[age] == 1

    def add(self, raw: int) -> None:
        """Add the id of a tensor."""
        age = self._born - raw
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
