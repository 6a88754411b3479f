"""Raw records of what a program runs -> typed events: ops, leaves, what it reads, writes and raises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from tapeviz.events import types
from tapeviz.events.catalog import WITHIN
from tapeviz.events.namesakes import distinct_names
from tapeviz.events.raw import (
    ATTRS,
    CODE,
    IN_PLACE,
    INPUTS,
    KIND,
    LASTI,
    OUTPUTS,
    SAVED,
    TAPES,
    VALUES,
    Mentioned,
    Missed,
    Named,
)
from tapeviz.events.readers.base import GrowingTables, Reader, Readers
from tapeviz.events.readers.tape import TapeReader

RecordKey: TypeAlias = tuple[Any, int, Any, int]
"""Of a record: its code and instruction, its kind, and how often the kind has changed there, this one included. Ops
that a package runs at several of its lines are of several kinds."""


class ProgramReader(Reader):
    """Ops and leaves, and what their lines call them; `tapes` are told of each op."""

    def __init__(self, tables: GrowingTables, tapes: TapeReader) -> None:
        super().__init__(tables)
        self._tapes = tapes
        self._named_at: dict[int, RecordKey] = {}
        self._numbered: dict[int, range] = {}  # a result that is named by its number, and those that came with it
        self._ran: dict[tuple[int, int], tuple[Any, int]] = {}
        self._labelled: dict[int, list[Any]] = {}
        self._short: dict[int, str] = {}

    def readers(self) -> Readers:
        return {
            Mentioned: self._mentioned,
            Named: self._given_name,
            types.LeafCreated: self._leaf,
            types.ReadOut: self._read_out,
            types.StateWritten: self._written,
            types.ErrorRaised: self._error,
            types.FunctionReused: self._reused,
            types.FunctionOpened: self._opened,
            types.CompiledWithout: self._without,
            types.GraphTraced: self._graph,
            types.NodeTraced: self._node,
            types.GradientUnseen: self._unseen,
            Missed: self._begin_kept,
        }

    def op(self, record: list[Any]) -> None:
        """An op, whose record has its name in place of a kind."""
        inputs = tuple(self._input(entry) for entry in record[INPUTS])
        outputs = self._outputs(record)
        recorded = {self._tape(tape) for tape in record[TAPES]}
        tapes = self._tapes.decisions(recorded, inputs)
        position = len(self._events)
        site, scope = self._site(record), self._scope(record)
        if recorded:
            slots = (*inputs, *outputs)
            saved = tuple(dict.fromkeys(slots[slot] for slot in record[SAVED]))
            self._tapes.follow(recorded, outputs, saved)
            event: types.Event = types.OpRecorded(
                record[KIND], inputs, outputs, record[ATTRS], saved, tapes, site, scope
            )
        else:
            event = types.OpSkipped(record[KIND], inputs, outputs, record[ATTRS], tapes, site, scope)
        self._tables.producers.update(dict.fromkeys(outputs, position))
        self._events.append(event)

    def _input(self, entry: Any) -> int:
        if type(entry) is int:
            return self._tensors.id(entry)
        return self._tensors.add(None, "literal", entry, None, len(self._events))

    def _outputs(self, record: list[Any]) -> tuple[int, ...]:
        raw_ids, values = record[OUTPUTS], record[VALUES]
        if type(raw_ids) is tuple and IN_PLACE in record[ATTRS]:  # the line names what it changed, not what that is in
            names = [self._name(record), *[None] * (len(raw_ids) - 1)]
        elif type(raw_ids) is tuple:
            naming, start = self._naming(record), len(self._tensors.rows)
            names = naming.names(len(raw_ids))
            if not naming.several and WITHIN in dict(record[ATTRS]):  # what a package takes of them is not known
                names = [naming.name] if len(raw_ids) == 1 else [None] * len(raw_ids)
            elif not naming.several and naming.first is None:
                together = range(start, start + len(raw_ids))
                self._numbered.update(dict.fromkeys(together, together))
        else:
            raw_ids, values, names = (raw_ids,), (values,), [self._name(record)]
        if any(names):
            self._name_moves_on(record)
        return tuple(
            self._tensors.add(raw_id, "intermediate", value, each, len(self._events))
            for raw_id, value, each in zip(raw_ids, values, names, strict=True)
        )

    def _name_moves_on(self, record: list[Any]) -> None:
        """Where one expression runs several ops, as a composite does, its name belongs to the last of them."""
        place = self._place(record)
        self._forget_names(record, place)
        outputs = record[OUTPUTS] if type(record[OUTPUTS]) is tuple else (record[OUTPUTS],)
        start = len(self._tensors.rows)
        self._named_at.update({start + index: place for index in range(len(outputs))})

    def _forget_names(self, record: list[Any], place: RecordKey) -> None:
        """What goes into a record has no name that the same line gave it; unless that is one op, again and again.

        Of a package's it may be another op, at one line of the package.
        """
        is_packages = _is_packages(place)
        for entry in record[INPUTS]:
            dense = self._tensors.dense(entry) if type(entry) is int else None
            made = self._named_at.get(dense) if dense is not None else None
            if dense is None or made is None or made[:2] != place[:2]:
                continue
            if is_packages or made[2:] != place[2:]:
                for each in self._numbered.get(dense, (dense,)):  # the line names what comes of one, not all of them
                    self._tensors.rename(each, None)

    def _goes_on(self, record: list[Any]) -> bool:
        inputs = (self._tensors.dense(each) for each in record[INPUTS] if type(each) is int)
        made = [self._named_at[each] for each in inputs if each is not None and each in self._named_at]
        return any(each[:2] == (record[CODE], record[LASTI]) and each[2] != _kind(record) for each in made)

    def _place(self, record: list[Any]) -> RecordKey:
        """Where a record is made."""
        code, lasti, kind = record[CODE], record[LASTI], _kind(record)
        before, changes = self._ran.get((id(code), lasti), (kind, 0))
        if before != kind:
            changes += 1
        self._ran[id(code), lasti] = kind, changes
        return code, lasti, kind, changes

    # ----- leaves -----

    def _mentioned(self, record: list[Any]) -> None:
        """A tensor older than the log: a leaf gets the event of its creation, unless it was read already."""
        raw_id = record[OUTPUTS]
        kind, trainable, name = record[ATTRS]
        if self._tensors.knows(raw_id):
            dense = self._tensors.id(raw_id)
            self._tensors.reshape(dense, record[VALUES], len(self._events))
            self._now_known(dense, record[VALUES])
        elif kind == "intermediate":
            self._tensors.add(raw_id, kind, record[VALUES], name, len(self._events))
        else:
            dense = self._tensors.add(raw_id, kind, record[VALUES], self._name(record, name), len(self._events))
            self._note_label(dense, name, record)
            self._events.append(types.LeafCreated(dense, kind, trainable, (), self._site(record)))
        for tape in record[TAPES]:
            self._tapes.watch(tape, raw_id, "accessed", None)

    def _leaf(self, record: list[Any]) -> None:
        kind, trainable, name = record[ATTRS]
        parents = self._ids(record[INPUTS])
        named = self._name(record, name)
        dense = self._tensors.add(record[OUTPUTS], kind, record[VALUES], named, len(self._events))
        if name is None and named is not None:
            self._named_at[dense] = self._place(record)
        self._note_label(dense, name, record)
        self._events.append(types.LeafCreated(dense, kind, trainable, parents, self._site(record)))

    def _note_label(self, dense: int, name: str | None, record: list[Any]) -> None:
        if name is not None:
            self._labelled[dense] = record

    # ----- names -----

    def _given_name(self, record: list[Any]) -> None:
        if type(record[OUTPUTS]) is tuple:
            self._results_named(record)
            return
        dense, name = self._tensors.id(record[OUTPUTS]), record[ATTRS]
        if name is None:
            self._tensors.rename(dense, None)
        elif type(name) is tuple:
            (self._short[dense],) = name
        else:
            self._tensors.call(dense, name)

    def _results_named(self, record: list[Any]) -> None:
        """The results of what is several ops, as a loop is, have the names that its line gives them."""
        self._forget_names(record, self._place(record))
        naming = self._naming(record)
        count = len(record[OUTPUTS])
        names = [naming.name] if count == 1 else naming.names(count) if naming.several else []
        for raw_id, name in zip(record[OUTPUTS], names, strict=False):
            if name is not None and type(raw_id) is int:
                self._tensors.call(self._tensors.id(raw_id), name)

    def call(self, bindings: Mapping[int, str]) -> None:
        """Names that are known once everything is read: those that the program's variables give."""
        found = ((self._tensors.dense(raw_id), name) for raw_id, name in bindings.items())
        bound = {dense: name for dense, name in found if dense is not None}
        whole = {dense: name for dense, name in self._short.items() if not bound.get(dense, "").endswith(f".{name}")}
        for dense, name in (whole | bound).items():
            self._tensors.call(dense, name)
        for dense, name in distinct_names(
            self._tensors.rows, lambda dense: bound.get(dense) or self._called_there(dense)
        ):
            self._tensors.rename(dense, name)

    def _called_there(self, dense: int) -> str | None:
        """What the line that made a variable calls it, which was given a name besides."""
        record = self._labelled.get(dense)
        return self._name(record) if record is not None else None

    # ----- what else a program does -----

    def _read_out(self, record: list[Any]) -> None:
        tensor, scope = self._tensors.id(record[OUTPUTS]), self._scope(record)
        made = self._named_at.get(tensor)
        if made is not None and made[:2] == (record[CODE], record[LASTI]) and _is_packages(made):
            self._tensors.rename(tensor, None)  # its line names what comes of it
        self._events.append(types.ReadOut(tensor, record[ATTRS], self._site(record), scope))

    def _written(self, record: list[Any]) -> None:
        tensor = self._tensors.id(record[OUTPUTS])
        value = self._tensors.id(record[INPUTS]) if record[INPUTS] is not None else None
        self._tensors.rewrite(tensor, record[VALUES], len(self._events))
        scope = self._scope(record)
        self._events.append(types.StateWritten(tensor, value, record[ATTRS], self._site(record), scope))

    def _error(self, record: list[Any]) -> None:
        error, message = record[ATTRS]
        self._events.append(types.ErrorRaised(error, message, self._site(record)))

    def _reused(self, record: list[Any]) -> None:
        function, changed = record[ATTRS]
        scope = self._scope(record)
        self._events.append(types.FunctionReused(function, changed, self._site(record), scope))

    def _opened(self, record: list[Any]) -> None:
        scope = self._scope(record)
        self._events.append(types.FunctionOpened(record[ATTRS], self._site(record), scope))

    def _without(self, record: list[Any]) -> None:
        function, kind, name = record[ATTRS]
        scope = self._scope(record)
        self._events.append(types.CompiledWithout(function, kind, name, self._site(record), scope))

    def _graph(self, record: list[Any]) -> None:
        function, graph, recompilations, unknown = record[ATTRS]
        scope = self._scope(record)
        self._events.append(types.GraphTraced(function, graph, recompilations, unknown, self._site(record), scope))

    def _node(self, record: list[Any]) -> None:
        graph, op, part, reads, of, kept, module = record[ATTRS]
        scope = self._scope(record)
        self._events.append(types.NodeTraced(graph, op, part, reads, of, kept, module, self._site(record), scope))

    def _unseen(self, record: list[Any]) -> None:
        scope = self._scope(record)
        self._events.append(types.GradientUnseen(record[ATTRS] or "", self._site(record), scope))

    def _begin_kept(self, record: list[Any]) -> None:
        self._tables.missed = True


def _kind(record: list[Any]) -> Any:
    kind = record[KIND]
    return (kind, dict(record[ATTRS]).get(WITHIN)) if type(kind) is str else kind


def _is_packages(key: RecordKey) -> bool:
    """Whether a package between the user's line and the framework ran it."""
    return type(key[2]) is tuple and key[2][1] is not None
