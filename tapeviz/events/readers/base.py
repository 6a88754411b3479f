"""What the readers of all kinds of records share: the growing tables, and dense numbers for tapes and runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from tapeviz.events.raw import CODE, KIND, LASTI, SCOPE
from tapeviz.events.readers.tables import Tables
from tapeviz.source.sites import Naming

Readers: TypeAlias = dict[type, Callable[[list[Any]], None]]
"""By the kind of a record, what reads it."""


class GrowingTables(Tables):
    """The tables while records are read into them, in order: all readers share them.

    `producers` is the position of the op that made a tensor.
    """

    def __init__(self, lines: Mapping[str, list[str]]) -> None:
        super().__init__(lines)
        self.tapes: dict[int, int] = {}
        self.runs: dict[int, int] = {}
        self.producers: dict[int, int] = {}


class Reader:
    """Reads the records of some kinds."""

    def __init__(self, tables: GrowingTables) -> None:
        self._tables = tables
        self._events, self._tensors, self._places = tables.events, tables.tensors, tables.places

    def readers(self) -> Readers:
        """What reads the records of each kind."""
        raise NotImplementedError

    def _site(self, record: list[Any]) -> int | None:
        return self._places.site(record[CODE], record[LASTI])

    def _scope(self, record: list[Any]) -> int | None:
        return self._places.scope(record[SCOPE])

    def _name(self, record: list[Any], explicit: str | None = None) -> str | None:
        return self._naming(record).name if explicit is None else explicit

    def _naming(self, record: list[Any]) -> Naming:
        """What the line of a record calls its results."""
        if record[CODE] is None:
            return Naming()
        place = record[CODE], record[LASTI]
        naming, is_op = self._places.naming(*place, record[SCOPE]), type(record[KIND]) is str
        if naming.counted and naming.several and is_op:  # one element may take any number of ops
            return Naming()
        goes_on = naming.counted and is_op and self._goes_on(record)
        return self._tensors.counted(naming, place, record[SCOPE], goes_on)

    def _goes_on(self, record: list[Any]) -> bool:
        """Whether the expression that a record is of has made something already, of which this is made."""
        return False

    def _tape(self, raw_id: int) -> int:
        return self._tables.tapes.setdefault(raw_id, len(self._tables.tapes))

    def _run(self, raw_id: int) -> int:
        return self._tables.runs.setdefault(raw_id, len(self._tables.runs))

    def _ids(self, raw_ids: Any) -> tuple[int, ...]:
        return tuple(self._tensors.id(raw_id) for raw_id in raw_ids)

    def _now_known(self, dense: int, value: Any) -> None:
        if not self._tensors.versions(dense):
            self._tensors.write(dense, value, len(self._events))
