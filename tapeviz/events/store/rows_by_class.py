"""The texts of a log file -> its rows by their classes, each class made when someone asks for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import chain
from typing import Any, TypeVar

from tapeviz.events.store.columns import Counts, form_of
from tapeviz.events.store.pieces import Pieces, RowGroup, RowText

Found = TypeVar("Found")


class RowsByClass:
    """The rows of the lines of a log file, in no order but that of each class.

    What the `pieces` of other files have, too, is read, checked and made once for all of them.

    Raises:
        ValueError: there is a line that is none; what stands in it is checked when its class is asked for.
    """

    def __init__(self, members: Iterable[bytes], pieces: Pieces) -> None:
        self._pieces = pieces
        self._groups: defaultdict[type, list[tuple[int, RowGroup]]] = defaultdict(list)  # after so many events
        self._texts: list[RowText] = []
        self._counts = dict.fromkeys(("tensor", "site", "scope", "event", "run"), 0)
        for data in members:
            for text in pieces.texts(data):
                self._texts.append(text)
                for group in text.groups:
                    self._groups[group.kind].append((self._counts["event"], group))
                for table, count in text.counts.items():
                    self._counts[table] += count

    @property
    def counts(self) -> Counts:
        """How many rows each table has."""
        return self._counts

    def of(self, kind: type) -> dict[int, Any]:
        """Position -> event, for the events of one class, in order; for readers alone.

        Raises:
            ValueError: an entry of the wrong type, or an id without its row.
        """
        return self.once("events", (kind,), lambda: dict(self._events(kind)))

    def of_table(self, kind: type) -> list[Any]:
        """The rows of one class, which may be no event's."""
        groups = self._groups.get(kind, ())
        return [*chain.from_iterable(self._pieces.rows(group, self._counts) for _, group in groups)]

    def columns(self, kind: type) -> list[list[Any]]:
        """The columns of all rows of a class, by its fields, with the values that the rows would have.

        Raises:
            ValueError: as above; or not all of them have all fields.
        """
        return self.once("columns", (kind,), lambda: self._joined(kind))

    def in_order(self) -> Iterator[Any]:
        """All rows, as they stand in the file.

        Raises:
            ValueError: as above; or a text says otherwise how many rows it has of a class.
        """
        for text in self._texts:
            left = [iter(self._pieces.rows(group, self._counts)) for group in text.groups]
            for number in text.order:
                yield next(left[number])

    def once(self, about: str, kinds: Iterable[type], find: Callable[[], Found]) -> Found:
        """What `find` works out of the rows of some classes, once for all files that have the same."""
        groups: list[Hashable] = [each for kind in kinds for each in (kind, *self._groups.get(kind, ()))]
        return self._pieces.once((about, *groups, *self._counts.values()), find)

    def _events(self, kind: type) -> Iterator[tuple[int, Any]]:
        for start, group in self._groups.get(kind, ()):
            made = self._pieces.rows(group, self._counts)
            yield from zip([start + each for each in group.places], made, strict=True)

    def _joined(self, kind: type) -> list[list[Any]]:
        joined: list[list[Any]] = [[] for _ in form_of(kind)]
        for _, group in self._groups.get(kind, ()):
            for whole, column in zip(joined, self._pieces.values(group, self._counts), strict=True):
                whole += column
        return joined
