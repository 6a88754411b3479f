"""Ids of TensorFlow's tensors -> a set of them in little memory: those that the log knows, or a tape follows."""

from __future__ import annotations

from collections.abc import Iterable

ROOM = 1 << 12


class Known:
    """A set of ids, with one byte for each tensor made since it was: a long training makes millions.

    `born` is the id of a moment: tensors made since have smaller ones.
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
        """A tensor is one of them from now on."""
        age = self._born - raw
        if age < 0:
            self._older.add(raw)
            return
        if age >= len(self._since):
            self._since += bytes(age + ROOM - len(self._since))
        self._since[age] = 1

    def update(self, several: Iterable[int]) -> None:
        """All of these are."""
        for each in several:
            self.add(each)
