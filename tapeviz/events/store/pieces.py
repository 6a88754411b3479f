"""Members of log files -> the texts that they are made of, each read once, however many files have it.

The logs of ranks that ran one program are the same in most of their rows. What a file says of one class of rows is a
piece of its text; a piece that stands in several files is one object, and what is worked out of it is known for all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property, partial
from itertools import groupby, pairwise
from typing import Any, TypeVar

import numpy as np

from tapeviz.events.store import codec
from tapeviz.events.store.columns import Counts, as_list, columns_of, form_of, rows, rows_alike
from tapeviz.events.store.journal import COUNTED, EVENTS, ROWS

Found = TypeVar("Found")

MANY = b"[["
"""How a line of many rows begins."""
BETWEEN = re.compile(rb'\],\["(?:%s)",' % "|".join(ROWS).encode())
"""From the end of one class to the name of the next in such a line; where an option of an op has that, too, all of the
line is read together."""
MOST_ALIKE = 4
"""So many pieces of a class others are compared with: the logs of some ranks are shorter, or of another branch."""


class RowGroup:
    """The rows of one class in a text, of which nothing is checked yet; `places` are the events before each of them."""

    def __init__(self, kind: type, places: list[int], entries: list[Any], *, is_together: bool) -> None:
        self.kind = kind
        self.places = places
        self._entries = entries
        self._is_together = is_together

    @cached_property
    def columns(self) -> Sequence[Sequence[Any]]:
        """The columns of their fields, as JSON has them.

        Raises:
            ValueError: too few or too many, or of several lengths.
        """
        found = (codec.columns_of_many if self._is_together else columns_of)(self.kind, self._entries)
        if len(found[0]) != len(self.places):
            raise ValueError(f"more or fewer rows of {self.kind.__name__} than there are places for")
        return found


class Piece:
    """What JSON has in a piece of text; no other one is equal to it."""

    def __init__(self, entry: Any) -> None:
        self.entry = entry


class RowText:
    """Rows that stand together: their classes, and of each row the number of its class, in order."""

    def __init__(self, groups: Sequence[RowGroup], order: Sequence[int]) -> None:
        self.groups = groups
        self.order = order
        self.counts = dict.fromkeys(("tensor", "site", "scope", "event", "run"), 0)
        for group in groups:
            for table in COUNTED.get(group.kind, ()):
                self.counts[table] += len(group.places)


class Pieces:
    """What has been read of some files, for the next one."""

    def __init__(self) -> None:
        self._read: dict[Hashable, Any] = {}

    def once(self, key: Hashable, find: Callable[[], Found]) -> Found:
        """What `find` gives, worked out once: what it depends on is in the key."""
        if key not in self._read:
            self._read[key] = find()
        found: Found = self._read[key]
        return found

    def texts(self, data: bytes) -> Iterator[RowText]:
        """The texts of a member.

        Raises:
            ValueError: there is a line that is none.
        """
        for is_many, lines in groupby(data.strip().split(b"\n"), key=lambda line: line.startswith(MANY)):
            if is_many:
                yield from map(self._of_many, lines)
            else:
                yield self._of_single_ones([*lines])

    def rows(self, group: RowGroup, counts: Counts) -> list[Any]:
        """The rows of a group, each the same object as in a group alike wherever it is equal.

        Raises:
            ValueError: an entry of the wrong type, or an id without its row.
        """
        key = group, *counts.values()
        return self.once(key, lambda: self._rows_like(group, counts))

    def values(self, group: RowGroup, counts: Counts) -> Sequence[Sequence[Any]]:
        """The columns of the fields of a group, with the values that its rows would have.

        Raises:
            ValueError: as above; or not all of them have all fields.
        """
        form = form_of(group.kind)
        return self.once(
            ("values", group, *counts.values()),
            lambda: [field.check(each, counts) for field, each in zip(form, group.columns, strict=True)],
        )

    def _of_many(self, line: bytes) -> RowText:
        """The text of a line of many rows."""
        line = line.strip()
        cuts = [0, *(found.start() + 1 for found in BETWEEN.finditer(line)), len(line) - 1]
        try:
            pieces = [self._piece(line[start + 1 : end]) for start, end in pairwise(cuts)]
        except ValueError:
            pieces = self.once(line, lambda: list(map(Piece, json.loads(line))))
        return self.once(("many", *pieces), lambda: self._joined(*pieces, is_together=True))

    def _of_single_ones(self, lines: Sequence[bytes]) -> RowText:
        """The text of lines that have a row each."""
        classes: dict[bytes, list[bytes]] = {}
        for line in lines:
            classes.setdefault(line[: line.find(b",")], []).append(line)
        numbers = {head: number for number, head in enumerate(classes)}
        order = b"[%s]" % b",".join(b"%d" % numbers[line[: line.find(b",")]] for line in lines)
        pieces = [self._piece(order), *(self._piece(b"[%s]" % b",".join(each)) for each in classes.values())]
        return self.once(("single", *pieces), lambda: self._joined(*pieces, is_together=False))

    def _piece(self, text: bytes) -> Piece:
        """What JSON has in a text.

        Raises:
            ValueError: the text is no JSON.
        """
        return self.once(text, lambda: Piece(json.loads(text)))

    def _joined(self, order: Piece, *classes: Piece, is_together: bool) -> RowText:
        entries = [as_list(each.entry) or [None] for each in classes]
        heads = [each if is_together else as_list(each[0]) for each in entries]
        kinds = tuple([codec.kind_of(ROWS, (each or [None])[0]) for each in heads])
        if len(set(kinds)) < len(kinds):
            raise ValueError("rows of one class that are told in several ways")
        places = self.once(("places", order, kinds), lambda: _places(as_list(order.entry), kinds))
        groups = [
            self.once(
                ("group", order, kinds, number, each),
                partial(RowGroup, kinds[number], places[number], each.entry, is_together=is_together),
            )
            for number, each in enumerate(classes)
        ]
        return RowText(groups, order.entry)

    def _rows_like(self, group: RowGroup, counts: Counts) -> list[Any]:
        known = self.once(("alike", group.kind, *counts.values()), list[RowGroup])
        alike = next((each for each in known if len(each.places) == len(group.places)), None)
        if alike is None:
            found = rows(group.kind, group.columns, counts)
        else:
            found = rows_alike(group.kind, group.columns, counts, alike.columns, self.rows(alike, counts))
        if len(known) < MOST_ALIKE and alike is None:
            known.append(group)
        return found


def _places(order: list[Any], kinds: Sequence[type]) -> list[list[int]]:
    """Of each class the events that come before its rows."""
    if set(map(type, order)) - {int} or (order and not 0 <= min(order) <= max(order) < len(kinds)):
        raise ValueError("rows of a class that is not there")
    numbers = np.array(order, dtype=np.int64)
    is_event: Any = np.array([kind.__name__ in EVENTS for kind in kinds], dtype=np.bool_)[numbers]
    before: Any = np.cumsum(is_event) - is_event
    return [before[numbers == number].tolist() for number in range(len(kinds))]
