"""The lines of a log file -> its rows by their classes, each class made when someone asks for it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import numpy as np

from tapeviz.events.store import codec
from tapeviz.events.store.columns import Counts, columns_of, form_of, rows
from tapeviz.events.store.journal import COUNTED, EVENTS, ROWS


_position: Callable[[tuple[int, Any]], int] = itemgetter(0)


@dataclass
class _Stretch:
    """Rows of one class that follow on each other: where they stand among the events, and their columns; of those that
    came one by one `alone`, their entries."""

    positions: list[int] = field(default_factory=list)
    columns: Sequence[Sequence[Any]] = ()
    alone: list[list[Any]] = field(default_factory=list)

    def columns_of(self, kind: type) -> Sequence[Sequence[Any]]:
        """The columns of either."""
        return columns_of(kind, self.alone) if self.alone else self.columns


class RowsByClass:
    """The rows of the lines of a log file, in no order but that of each class.

    Raises:
        ValueError: there is a line that is none; what stands in it is checked when its class is asked for.
    """

    def __init__(self, members: Iterable[bytes]) -> None:
        self._stretches: defaultdict[type, list[_Stretch]] = defaultdict(list)
        self._counts = dict.fromkeys(("tensor", "site", "scope", "event", "run"), 0)
        for data in members:
            for entries in _lines(data):
                self._add(entries)

    @property
    def counts(self) -> Counts:
        """How many rows each table has."""
        return self._counts

    def of(self, *kinds: type) -> dict[int, Any]:
        """Position -> event, for the events of some classes, in order.

        Raises:
            ValueError: an entry of the wrong type, or an id without its row.
        """
        found: dict[int, Any] = {}
        for kind in kinds:
            for each in self._stretches.get(kind, ()):
                found.update(zip(each.positions, rows(kind, each.columns_of(kind), self._counts), strict=True))
        return found if len(kinds) == 1 else dict(sorted(found.items(), key=_position))

    def of_table(self, kind: type) -> list[Any]:
        """The rows of one class, which may be no event's."""
        return [row for each in self._stretches.get(kind, ()) for row in rows(kind, each.columns_of(kind), self._counts)]

    def columns(self, kind: type) -> list[list[Any]]:
        """The columns of all rows of a class, by its fields, with the values that the rows would have.

        Raises:
            ValueError: as above; or not all of them have all fields.
        """
        form = form_of(kind)
        joined: list[list[Any]] = [[] for _ in form]
        for each in self._stretches.get(kind, ()):
            for whole, column, entries in zip(joined, form, each.columns_of(kind), strict=True):
                whole += column.check(entries, self._counts)
        return joined

    def _add(self, entries: list[Any]) -> None:
        if type(entries[0]) is str:
            kind = codec.kind_of(ROWS, entries[0])
            stretches = self._stretches[kind]
            if not stretches or not stretches[-1].alone:
                stretches.append(_Stretch())
            stretches[-1].alone.append(entries)
            stretches[-1].positions.append(self._counts["event"])
            self._count(kind, 1)
            return
        found = codec.rows_of_entries(ROWS, entries)
        order = np.array(found.order, dtype=np.int64)
        is_event = np.array([kind.__name__ in EVENTS for kind, _, _ in found.groups])
        before = self._counts["event"] + np.cumsum(is_event[order]) - is_event[order]
        for number, (kind, count, columns) in enumerate(found.groups):
            self._stretches[kind].append(_Stretch(before[order == number].tolist(), columns))
            self._count(kind, count)

    def _count(self, kind: type, count: int) -> None:
        for table in COUNTED.get(kind, ()):
            self._counts[table] += count


def _lines(data: bytes) -> Iterable[list[Any]]:
    """What JSON has in each line, read together, as it is in less time."""
    found: list[list[Any]] = json.loads(f"[{data.decode().strip().replace(chr(10), ',')}]")
    if any(type(each) is not list or not each or type(each[0]) not in (str, list) for each in found):
        raise ValueError("it is no row that this version knows")
    return found
