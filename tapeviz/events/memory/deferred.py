"""Records of what is computed only when a reader asks -> all records, with these in the place of what stood for them.

A writer that would have to compute what the program itself has not, as what is inside of a compiled function, keeps
what that is computed from, within the log's budget, and appends a `Deferred` record. What was computed counts against a
budget of the same size: to make room, the oldest large values shrink to their summaries, as they do in a log.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from tapeviz.events.memory.budget import held_bytes, shrink_entries
from tapeviz.events.raw import ATTRS, STRIDE, VALUES, Deferred


class Deferral(Protocol):
    """What can still be computed."""

    def records(self, left: list[Any]) -> list[Any] | None:
        """Raw records, flat, in the place of those that were `left`; None where these are to stay.

        As where what they are computed from is no longer what it was.
        """


class ComputedRecords:
    """The records that were computed for one log, each once, with values of at most so many bytes."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._known: WeakKeyDictionary[Deferral, list[Any]] = WeakKeyDictionary()
        self._whole: deque[list[Any]] = deque()

    def put_into(self, records: list[Any]) -> list[Any]:
        """Records without `Deferred` ones; those that were computed are in their places."""
        kinds = records[::STRIDE]
        if Deferred not in kinds:
            return records
        parts: list[list[Any]] = []
        start = 0
        for at in [index * STRIDE for index, kind in enumerate(kinds) if kind is Deferred]:
            deferral, count = records[at + ATTRS]
            begin = at - count * STRIDE
            parts += records[start:begin], self._of(deferral, records[begin:at])
            start = at + STRIDE
        parts.append(records[start:])
        return [entry for part in parts for entry in part]

    def _of(self, deferral: Deferral, left: list[Any]) -> list[Any]:
        """What a deferral computes, or what was left for it."""
        if deferral not in self._known:
            computed = deferral.records(left)
            if computed is None:
                return left
            self._known[deferral] = computed
            self._whole.append(computed)
            self._bytes += sum(map(held_bytes, computed[VALUES::STRIDE]))
            self._shrink()
        return self._known[deferral]

    def _shrink(self) -> None:
        done: dict[int, tuple[Any, Any]] = {}
        while self._bytes > self._max_bytes and self._whole:
            at, freed = shrink_entries(self._whole[0], VALUES, STRIDE, self._bytes - self._max_bytes, done)
            self._bytes -= freed
            if at >= len(self._whole[0]):
                self._whole.popleft()
