"""What the record of any kind needs, to be read: the tables, and dense numbers for tapes and runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeviz.events.raw import CODE, LASTI, SCOPE
from tapeviz.events.tables import Tables


class RecordReader(Tables):
    """The tables that grow as records are read in order."""

    def __init__(self, lines: Mapping[str, list[str]]) -> None:
        super().__init__(lines)
        self._tapes: dict[int, int] = {}
        self._runs: dict[int, int] = {}
        self._producers: dict[int, int] = {}

    def _site(self, record: list[Any]) -> int | None:
        return self.places.site(record[CODE], record[LASTI])

    def _name(self, record: list[Any], explicit: str | None = None) -> str | None:
        if explicit is not None or record[CODE] is None:
            return explicit
        place = record[CODE], record[LASTI]
        return self.tensors.counted(self.places.naming(*place, record[SCOPE]), place)

    def _tape(self, raw_id: int) -> int:
        return self._tapes.setdefault(raw_id, len(self._tapes))

    def _run(self, raw_id: int) -> int:
        return self._runs.setdefault(raw_id, len(self._runs))

    def _ids(self, raw_ids: Any) -> tuple[int, ...]:
        return tuple(self.tensors.id(raw_id) for raw_id in raw_ids)

    def _now_known(self, dense: int, value: Any) -> None:
        if dense not in self.tensors.values:
            self.tensors.write(dense, value, len(self.events))
