"""Raw records of the life of tapes -> typed events; and what a tape decided about an op, and why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapeviz.events import types
from tapeviz.events.raw import ATTRS, INPUTS, OUTPUTS
from tapeviz.events.readers.base import GrowingTables, Reader, Readers
from tapeviz.events.values import bytes_of


class TapeReader(Reader):
    """What the open tapes follow, made and saved: of an open one, whether it pauses.

    `lasting` are tapes that were open all along: a log that has let go of its beginning has ops of theirs before it
    says that they were opened.
    """

    def __init__(self, tables: GrowingTables, lasting: Iterable[int]) -> None:
        super().__init__(tables)
        self._lasting = frozenset(map(self._tape, lasting))
        self._open: dict[int, bool] = {}
        self._watched: dict[int, set[int]] = {}
        self._saved: dict[int, dict[int, None]] = {}
        self._made: dict[int, dict[int, None]] = {}
        self._alike: dict[types.TapeDecisions, types.TapeDecisions] = {}

    def readers(self) -> Readers:
        return {
            types.TapeOpened: self._opened,
            types.TapeClosed: self._closed,
            types.Pruned: self._released,
            types.TapeReset: self._reset,
            types.RecordingPaused: self._paused,
            types.RecordingResumed: self._resumed,
            types.Watched: self._is_watched,
            types.Unwatched: self._is_unwatched,
            types.SavedChanged: self._saved_changed,
        }

    # ----- ops -----

    def decisions(self, recorded: set[int], inputs: tuple[int, ...]) -> types.TapeDecisions:
        """What each open tape did with an op, given those that recorded it; one object for all that are alike."""
        tapes = dict.fromkeys((*self._open, *(recorded & self._lasting))) if self._lasting else self._open
        found = tuple([(tape, self._decision(tape, tape in recorded, inputs)) for tape in tapes])
        return self._alike.setdefault(found, found)

    def _decision(self, tape: int, recorded: bool, inputs: tuple[int, ...]) -> types.Decision:
        if recorded:
            return "recorded"
        if self._open[tape]:
            return "paused"
        return "integer_dtype" if not self._watched[tape].isdisjoint(inputs) else "unwatched"

    def follow(self, recorded: set[int], outputs: tuple[int, ...], saved: tuple[int, ...]) -> None:
        """Some tapes recorded an op: they follow its outputs, and hold what it saved."""
        for tape in recorded:
            self._saved.setdefault(tape, {}).update(dict.fromkeys(saved))
            self._made.setdefault(tape, {}).update(dict.fromkeys(outputs))
            self._watched.setdefault(tape, set()).update(outputs)

    # ----- from its opening to its release -----

    def _opened(self, record: list[Any]) -> None:
        raw, persistent, accessed = record[INPUTS]
        tape = self._tape(raw)
        self._open[tape] = False
        self._watched.setdefault(tape, set())
        self._events.append(types.TapeOpened(tape, persistent, accessed, self._site(record)))

    def _closed(self, record: list[Any]) -> None:
        tape = self._tape(record[INPUTS][0])
        self._open.pop(tape, None)
        unneeded = tuple(i for i in self._made.pop(tape, ()) if i not in self._saved.get(tape, ()))
        if unneeded:
            self._prune(tape, unneeded, "unneeded")
        self._events.append(types.TapeClosed(tape))

    def _released(self, record: list[Any]) -> None:
        tape = self._tape(record[INPUTS][0])
        saved = tuple(self._saved.pop(tape, ()))
        made = self._made.get(tape, {})
        for each in saved:
            made.pop(each, None)  # it was needed, and is gone
        if saved:
            self._prune(tape, saved, "released")

    def _prune(self, tape: int, tensors: tuple[int, ...], reason: types.Reason) -> None:
        self._events.append(types.Pruned(tape, tensors, reason, sum(self._bytes(i) for i in tensors)))

    def _bytes(self, dense: int) -> int:
        row = self._tensors.rows[dense]
        return bytes_of(row.shape, row.dtype)

    def _reset(self, record: list[Any]) -> None:
        tape = self._tape(record[INPUTS][0])
        self._watched[tape] = set()
        self._events.append(types.TapeReset(tape, self._site(record)))

    def _paused(self, record: list[Any]) -> None:
        tape = self._tape(record[INPUTS][0])
        self._open[tape] = True
        self._events.append(types.RecordingPaused(tape, self._site(record)))

    def _resumed(self, record: list[Any]) -> None:
        tape = self._tape(record[INPUTS][0])
        self._open[tape] = False
        self._events.append(types.RecordingResumed(tape))

    def _is_watched(self, record: list[Any]) -> None:
        self.watch(record[INPUTS][0], record[OUTPUTS], record[ATTRS], self._site(record))

    def watch(self, raw_tape: int, raw_id: int, how: types.How, site: int | None) -> None:
        """A tape follows a tensor from here on."""
        tape, tensor = self._tape(raw_tape), self._tensors.id(raw_id)
        self._watched.setdefault(tape, set()).add(tensor)
        self._events.append(types.Watched(tape, tensor, how, site))

    def _is_unwatched(self, record: list[Any]) -> None:
        tape, tensor = self._tape(record[INPUTS][0]), self._tensors.id(record[OUTPUTS])
        self._watched.setdefault(tape, set()).discard(tensor)
        self._events.append(types.Unwatched(tape, tensor, self._site(record)))

    def _saved_changed(self, record: list[Any]) -> None:
        self._events.append(types.SavedChanged(self._tensors.id(record[OUTPUTS]), record[ATTRS]))
