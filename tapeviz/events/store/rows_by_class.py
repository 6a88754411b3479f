"""The lines of a log file -> its rows by their classes, each class made when someone asks for it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tapeviz.events.store import codec
from tapeviz.events.store.columns import Counts, as_list, columns_of, form_of, rows
from tapeviz.events.store.journal import COUNTED, EVENTS, ROWS


class _Alone:
    """Rows of one class that came one by one, after each other."""

    def __init__(self) -> None:
        self.positions: list[int] = []
        self.entries: list[list[Any]] = []

    def columns(self, kind: type) -> Sequence[Sequence[Any]]:
        return columns_of(kind, self.entries)


class _Together:
    """Rows of one class in a line of many: the class has a `number` in the `order` of these."""

    def __init__(self, entries: list[Any], number: int, order: Any, before: Any) -> None:
        self._entries = entries
        self._number = number
        self._order = order
        self._before = before  # how many events there are before each row

    @property
    def positions(self) -> list[int]:
        found: list[int] = self._before[self._order == self._number].tolist()
        return found

    def columns(self, kind: type) -> Sequence[Sequence[Any]]:
        return codec.columns_of_many(kind, self._entries)


class RowsByClass:
    """The rows of the lines of a log file, in no order but that of each class.

    Raises:
        ValueError: there is a line that is none; what stands in it is checked when its class is asked for.
    """

    def __init__(self, members: Iterable[bytes]) -> None:
        self._stretches: defaultdict[type, list[_Alone | _Together]] = defaultdict(list)
        self._counts = dict.fromkeys(("tensor", "site", "scope", "event", "run"), 0)
        for data in members:
            for entries in _lines(data):
                self._add(*entries)

    @property
    def counts(self) -> Counts:
        """How many rows each table has."""
        return self._counts

    def of(self, kind: type) -> dict[int, Any]:
        """Position -> event, for the events of one class, in order.

        Raises:
            ValueError: an entry of the wrong type, or an id without its row.
        """
        found: dict[int, Any] = {}
        for each in self._stretches.get(kind, ()):
            found.update(zip(each.positions, rows(kind, each.columns(kind), self._counts), strict=True))
        return found

    def of_table(self, kind: type) -> list[Any]:
        """The rows of one class, which may be no event's."""
        return [row for each in self._stretches.get(kind, ()) for row in rows(kind, each.columns(kind), self._counts)]

    def columns(self, kind: type) -> list[list[Any]]:
        """The columns of all rows of a class, by its fields, with the values that the rows would have.

        Raises:
            ValueError: as above; or not all of them have all fields.
        """
        form = form_of(kind)
        joined: list[list[Any]] = [[] for _ in form]
        for each in self._stretches.get(kind, ()):
            for whole, column, entries in zip(joined, form, each.columns(kind), strict=True):
                whole += column.check(entries, self._counts)
        return joined

    def _add(self, first: Any, *others: Any) -> None:
        if type(first) is str:
            self._add_alone(codec.kind_of(ROWS, first), [first, *others])
            return
        kinds = [codec.kind_of(ROWS, each[0]) for each in map(as_list, others)]
        order = np.array(first, dtype=np.int64)
        counts = np.bincount(order, minlength=len(kinds)).tolist()
        is_event = np.array([kind.__name__ in EVENTS for kind in kinds])[order]
        before = self._counts["event"] + np.cumsum(is_event) - is_event
        for number, (kind, count, entries) in enumerate(zip(kinds, counts, others, strict=True)):
            self._stretches[kind].append(_Together(entries, number, order, before))
            self._count(kind, count)

    def _add_alone(self, kind: type, entries: list[Any]) -> None:
        stretches = self._stretches[kind]
        last = stretches[-1] if stretches else None
        if not isinstance(last, _Alone):
            last = _Alone()
            stretches.append(last)
        last.entries.append(entries)
        last.positions.append(self._counts["event"])
        self._count(kind, 1)

    def _count(self, kind: type, count: int) -> None:
        for table in COUNTED.get(kind, ()):
            self._counts[table] += count


def _lines(data: bytes) -> Iterable[list[Any]]:
    """What JSON has in each line, read together, as it is in less time."""
    found: list[list[Any]] = json.loads(f"[{data.decode().strip().replace(chr(10), ',')}]")
    if any(type(each) is not list or not each or type(each[0]) not in (str, list) for each in found):
        raise ValueError("it is no row that this version knows")
    return found
