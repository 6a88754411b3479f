"""Raw records -> typed events and the tables beside them. The one place that knows both shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tapeviz.events import types
from tapeviz.events.apart import told_apart
from tapeviz.events.backward_reader import BACKWARD, BackwardReader
from tapeviz.events.raw import (
    ATTRS,
    CODE,
    INPUTS,
    KIND,
    LASTI,
    OUTPUTS,
    SAVED,
    SCOPE,
    STRIDE,
    TAPES,
    VALUES,
    Met,
    Missed,
    Named,
)
from tapeviz.events.values import bytes_of


class Fold(BackwardReader):
    """The typed reading of one stretch of raw records."""

    def __init__(self, records: list[Any], lines: Mapping[str, list[str]], bindings: Mapping[int, str]) -> None:
        super().__init__(lines)
        self._open: dict[int, bool] = {}
        self._watched: dict[int, set[int]] = {}
        self._saved: dict[int, dict[int, None]] = {}
        self._made: dict[int, dict[int, None]] = {}
        self._named_at: dict[int, tuple[Any, int, str]] = {}
        self._labelled: dict[int, list[Any]] = {}
        for start in range(0, len(records), STRIDE):
            record = records[start : start + STRIDE]
            kind = record[KIND]
            if type(kind) is str:
                self._op(record)
            else:
                _READERS[kind](self, record)
        self._call(bindings)

    def _call(self, bindings: Mapping[int, str]) -> None:
        """Names that are known once everything is read: those that the program's variables give."""
        found = ((self.tensors.dense(raw_id), name) for raw_id, name in bindings.items())
        bound = {dense: name for dense, name in found if dense is not None}
        for dense, name in bound.items():
            self.tensors.call(dense, name)
        for dense, name in told_apart(self.tensors.rows, lambda dense: bound.get(dense) or self._called_there(dense)):
            self.tensors.rename(dense, name)

    def _called_there(self, dense: int) -> str | None:
        """What the line that made a variable calls it, which was given a name besides."""
        record = self._labelled.get(dense)
        return self._name(record) if record is not None else None

    # ----- ops and leaves -----

    def _op(self, record: list[Any]) -> None:
        inputs = tuple(self._input(entry) for entry in record[INPUTS])
        outputs = self._outputs(record)
        recorded = {self._tape(tape) for tape in record[TAPES]}
        tapes = tuple((tape, self._decision(tape, tape in recorded, inputs)) for tape in self._open)
        position = len(self.events)
        site, scope = self._site(record), self.places.scope(record[SCOPE])
        if recorded:
            slots = (*inputs, *outputs)
            saved = tuple(dict.fromkeys(slots[slot] for slot in record[SAVED]))
            self._follow(recorded, outputs, saved)
            event: types.Event = types.OpRecorded(
                record[KIND], inputs, outputs, record[ATTRS], saved, tapes, site, scope
            )
        else:
            event = types.OpSkipped(record[KIND], inputs, outputs, record[ATTRS], tapes, site, scope)
        self._producers.update(dict.fromkeys(outputs, position))
        self.events.append(event)

    def _input(self, entry: Any) -> int:
        if type(entry) is int:
            return self.tensors.id(entry)
        return self.tensors.add(None, "literal", entry, None, len(self.events))

    def _outputs(self, record: list[Any]) -> tuple[int, ...]:
        raw_ids, values, name = record[OUTPUTS], record[VALUES], self._name(record)
        if type(raw_ids) is not tuple:
            raw_ids, values, names = (raw_ids,), (values,), [name]
        else:
            names = [name and f"{name}[{index}]" for index in range(len(raw_ids))]
        if name is not None:
            self._name_moves_on(record)
        return tuple(
            self.tensors.add(raw_id, "intermediate", value, each, len(self.events))
            for raw_id, value, each in zip(raw_ids, values, names, strict=True)
        )

    def _name_moves_on(self, record: list[Any]) -> None:
        """Where one expression runs several ops, as a composite does, its name belongs to the last of them."""
        place = (record[CODE], record[LASTI], record[KIND])
        for entry in record[INPUTS]:
            dense = self.tensors.dense(entry) if type(entry) is int else None
            made = self._named_at.get(dense) if dense is not None else None
            if dense is not None and made is not None and made[:2] == place[:2] and made[2] != place[2]:
                self.tensors.rename(dense, None)
        outputs = record[OUTPUTS] if type(record[OUTPUTS]) is tuple else (record[OUTPUTS],)
        start = len(self.tensors.rows)
        self._named_at.update({start + index: place for index in range(len(outputs))})

    def _decision(self, tape: int, recorded: bool, inputs: tuple[int, ...]) -> types.Decision:
        if recorded:
            return "recorded"
        if self._open[tape]:
            return "paused"
        return "integer_dtype" if not self._watched[tape].isdisjoint(inputs) else "unwatched"

    def _follow(self, recorded: set[int], outputs: tuple[int, ...], saved: tuple[int, ...]) -> None:
        for tape in recorded:
            self._saved.setdefault(tape, {}).update(dict.fromkeys(saved))
            self._made.setdefault(tape, {}).update(dict.fromkeys(outputs))
            self._watched.setdefault(tape, set()).update(outputs)

    def _met(self, record: list[Any]) -> None:
        """A tensor older than the log: a leaf gets the event of its creation, unless it was read already."""
        raw_id = record[OUTPUTS]
        if self.tensors.knows(raw_id):
            self._now_known(self.tensors.id(raw_id), record[VALUES])
            return
        kind, trainable, name = record[ATTRS]
        if kind == "intermediate":
            self.tensors.add(raw_id, kind, record[VALUES], name, len(self.events))
            return
        dense = self.tensors.add(raw_id, kind, record[VALUES], self._name(record, name), len(self.events))
        self._note_label(dense, name, record)
        self.events.append(types.LeafCreated(dense, kind, trainable, (), self._site(record)))

    def _note_label(self, dense: int, name: str | None, record: list[Any]) -> None:
        if name is not None:
            self._labelled[dense] = record

    def _given_name(self, record: list[Any]) -> None:
        dense, name = self.tensors.id(record[OUTPUTS]), record[ATTRS]
        if name is None:
            self.tensors.rename(dense, None)
        else:
            self.tensors.call(dense, name)

    def _leaf(self, record: list[Any]) -> None:
        kind, trainable, name = record[ATTRS]
        parents = self._ids(record[INPUTS])
        named = self._name(record, name)
        dense = self.tensors.add(record[OUTPUTS], kind, record[VALUES], named, len(self.events))
        if name is None and named is not None:
            self._named_at[dense] = (record[CODE], record[LASTI], kind)
        self._note_label(dense, name, record)
        self.events.append(types.LeafCreated(dense, kind, trainable, parents, self._site(record)))

    def _read_out(self, record: list[Any]) -> None:
        tensor, scope = self.tensors.id(record[OUTPUTS]), self.places.scope(record[SCOPE])
        self.events.append(types.ReadOut(tensor, record[ATTRS], self._site(record), scope))

    def _written(self, record: list[Any]) -> None:
        tensor = self.tensors.id(record[OUTPUTS])
        value = self.tensors.id(record[INPUTS]) if record[INPUTS] is not None else None
        self.tensors.write(tensor, record[VALUES], len(self.events))
        scope = self.places.scope(record[SCOPE])
        self.events.append(types.StateWritten(tensor, value, record[ATTRS], self._site(record), scope))

    # ----- the life of a tape -----

    def _tape_opened(self, record: list[Any]) -> None:
        raw, persistent, accessed = record[INPUTS]
        tape = self._tape(raw)
        self._open[tape] = False
        self._watched.setdefault(tape, set())
        self.events.append(types.TapeOpened(tape, persistent, accessed, self._site(record)))

    def _tape_closed(self, record: list[Any]) -> None:
        tape = self._tape(record[INPUTS][0])
        self._open.pop(tape, None)
        unneeded = tuple(i for i in self._made.pop(tape, ()) if i not in self._saved.get(tape, ()))
        if unneeded:
            self._prune(tape, unneeded, "unneeded")
        self.events.append(types.TapeClosed(tape))

    def _tape_released(self, record: list[Any]) -> None:
        tape = self._tape(record[INPUTS][0])
        saved = tuple(self._saved.pop(tape, ()))
        if saved:
            self._prune(tape, saved, "released")

    def _prune(self, tape: int, tensors: tuple[int, ...], reason: Any) -> None:
        self.events.append(types.Pruned(tape, tensors, reason, sum(self._bytes(i) for i in tensors)))

    def _bytes(self, dense: int) -> int:
        row = self.tensors.rows[dense]
        return bytes_of(row.shape, row.dtype)

    def _tape_reset(self, record: list[Any]) -> None:
        tape = self._tape(record[INPUTS][0])
        self._watched[tape] = set()
        self.events.append(types.TapeReset(tape, self._site(record)))

    def _paused(self, record: list[Any]) -> None:
        tape = self._tape(record[INPUTS][0])
        self._open[tape] = True
        self.events.append(types.RecordingPaused(tape, self._site(record)))

    def _resumed(self, record: list[Any]) -> None:
        tape = self._tape(record[INPUTS][0])
        self._open[tape] = False
        self.events.append(types.RecordingResumed(tape))

    def _watched_event(self, record: list[Any]) -> None:
        tape, tensor = self._tape(record[INPUTS][0]), self.tensors.id(record[OUTPUTS])
        self._watched.setdefault(tape, set()).add(tensor)
        self.events.append(types.Watched(tape, tensor, record[ATTRS], self._site(record)))

    def _unwatched_event(self, record: list[Any]) -> None:
        tape, tensor = self._tape(record[INPUTS][0]), self.tensors.id(record[OUTPUTS])
        self._watched.setdefault(tape, set()).discard(tensor)
        self.events.append(types.Unwatched(tape, tensor, self._site(record)))

    def _error(self, record: list[Any]) -> None:
        error, message = record[ATTRS]
        self.events.append(types.ErrorRaised(error, message, self._site(record)))

    def _reused(self, record: list[Any]) -> None:
        function, changed = record[ATTRS]
        scope = self.places.scope(record[SCOPE])
        self.events.append(types.FunctionReused(function, changed, self._site(record), scope))

    def _opened(self, record: list[Any]) -> None:
        scope = self.places.scope(record[SCOPE])
        self.events.append(types.FunctionOpened(record[ATTRS], self._site(record), scope))

    def _unseen(self, record: list[Any]) -> None:
        self.events.append(types.GradientUnseen(self._site(record), self.places.scope(record[SCOPE])))

    def _begin_kept(self, record: list[Any]) -> None:
        self.missed = True


_READERS: dict[type, Callable[[Fold, list[Any]], None]] = {
    **BACKWARD,
    Met: Fold._met,
    Missed: Fold._begin_kept,
    Named: Fold._given_name,
    types.TapeOpened: Fold._tape_opened,
    types.TapeClosed: Fold._tape_closed,
    types.TapeReset: Fold._tape_reset,
    types.RecordingPaused: Fold._paused,
    types.RecordingResumed: Fold._resumed,
    types.Watched: Fold._watched_event,
    types.Unwatched: Fold._unwatched_event,
    types.LeafCreated: Fold._leaf,
    types.Pruned: Fold._tape_released,
    types.ReadOut: Fold._read_out,
    types.StateWritten: Fold._written,
    types.FunctionReused: Fold._reused,
    types.FunctionOpened: Fold._opened,
    types.GradientUnseen: Fold._unseen,
    types.ErrorRaised: Fold._error,
}
