"""The members of a log file -> its tables, read as far as someone asks: of many logs together that is little."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar, overload

from tapeviz.events.readers.tables import SiteTable, Tables, TensorTable, legible
from tapeviz.events.row import Row
from tapeviz.events.store.archive import Damage, Member
from tapeviz.events.store.journal import JournalReader, Source
from tapeviz.events.store.loaded_log import damaged, take
from tapeviz.events.store.rows_by_class import RowsByClass
from tapeviz.events.store.value_blocks import (
    BLOCK,
    FLOATS,
    Lost,
    Numbers,
    Statistics,
    Words,
    elements_of,
    norms_within,
    read_numbers,
    read_words,
)
from tapeviz.events.types import Event, Scope, Site, TensorInfo

Found = TypeVar("Found")

_since: Callable[[tuple[int, Any]], int] = itemgetter(0)


class ColumnReader:
    """Reads what a log file has, each part when it is asked for.

    All of it is read, and checked as that of one file alone is, when someone asks for the events in their order. What
    cannot be read by classes, as a damaged file, is read so, too.

    Raises:
        LogFileError: from whatever is asked, if the file is damaged, and not read in a `partial` way.
    """

    def __init__(self, path: Path, missed: bool, members: Sequence[Member], *, partial: bool) -> None:
        self.damage = ""
        self._path = path
        self._partial = partial
        self._missed = missed
        self._members = members
        self.tables: Tables = ColumnTables(self, missed)

    @property
    def catalog(self) -> Mapping[str, Row]:
        """What is known of each op."""
        return self.whole.catalog

    @cached_property
    def whole(self) -> JournalReader:
        """What has read all of it."""
        reader = JournalReader()
        reader.tables.missed = self._missed
        try:
            take(self._members, reader)
        except Damage as found:
            self.damage = reader.damage = str(found)
            if not self._partial:
                raise damaged(self._path, reader) from None
        return reader

    def by_class(self, find: Callable[[RowsByClass], Found], instead: Callable[[Tables], Found]) -> Found:
        """What the rows of some classes tell, or all that has been read, where these cannot be read by themselves."""
        try:
            return find(self._rows)
        except (ValueError, IndexError, RecursionError):
            return instead(self.whole.tables)

    @cached_property
    def _rows(self) -> RowsByClass:
        return RowsByClass(each.data for each in self._members if each.name.startswith("rows/"))

    def block(self, number: int) -> bytes:
        """The block of values of that number."""
        return self._blocks[number]

    @cached_property
    def _blocks(self) -> list[bytes]:
        return [each.data for each in self._members if each.name.startswith("values/")]


class ColumnTables(Tables):
    """The tables of a log file, of which events of a class, rows of tensors and values are read one by one."""

    def __init__(self, reader: ColumnReader, missed: bool) -> None:
        self.missed = missed
        self.known = {}
        self._reader = reader
        self._kinds: dict[tuple[type, ...], Mapping[int, Event]] = {}

    @cached_property
    def events(self) -> list[Event]:  # type: ignore[override]
        return self._reader.whole.tables.events

    @cached_property
    def places(self) -> SiteTable:  # type: ignore[override]
        reader = self._reader
        return reader.by_class(_places, lambda tables: tables.places)

    @cached_property
    def tensors(self) -> TensorTable:  # type: ignore[override]
        reader = self._reader
        return reader.by_class(lambda rows: ColumnTensors(rows, reader), lambda tables: tables.tensors)

    @property
    def length(self) -> int:
        return self._reader.by_class(lambda rows: rows.counts["event"], lambda tables: tables.length)

    def of_kind(self, *kinds: type) -> Mapping[int, Event]:
        if kinds not in self._kinds:
            self._kinds[kinds] = self._of_one(*kinds) if len(kinds) == 1 else self._of_several(kinds)
        return self._kinds[kinds]

    def _of_one(self, kind: type) -> Mapping[int, Event]:
        return self._reader.by_class(lambda rows: rows.of(kind), lambda tables: tables.of_kind(kind))

    def _of_several(self, kinds: Sequence[type]) -> Mapping[int, Event]:
        found: dict[int, Event] = {}
        for each in kinds:
            found.update(self.of_kind(each))
        return {position: found[position] for position in sorted(found)}


def _places(rows: RowsByClass) -> SiteTable:
    reader = JournalReader()
    for kind in (Source, Site, Scope):
        for each in rows.of_table(kind):
            reader.take(each)
    return reader.tables.places


class TensorRows(Sequence[TensorInfo]):
    """The rows of tensors, each made when someone asks for it."""

    def __init__(self, columns: Sequence[Sequence[Any]]) -> None:
        self._columns = columns
        self._made: dict[int, TensorInfo] = {}

    def __len__(self) -> int:
        return len(self._columns[0])

    @overload
    def __getitem__(self, index: int) -> TensorInfo: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[TensorInfo]: ...
    def __getitem__(self, index: int | slice) -> TensorInfo | Sequence[TensorInfo]:
        if isinstance(index, slice):
            return [self[each] for each in range(len(self))[index]]
        if index not in self._made:
            id_, shape, dtype, role, name, placement = (column[index] for column in self._columns)
            self._made[index] = TensorInfo(id_, shape, dtype, role, legible(name), placement)
        return self._made[index]

    def __iter__(self) -> Iterator[TensorInfo]:
        return map(self.__getitem__, range(len(self)))


class ColumnTensors(TensorTable):
    """Tensors of a log file, with their values, which are read when someone asks for them.

    Raises:
        ValueError: the rows of tensors are not numbered in order.
    """

    def __init__(self, rows: RowsByClass, reader: ColumnReader) -> None:
        columns = rows.columns(TensorInfo)
        self.rows = TensorRows(columns)  # type: ignore[assignment]
        if columns[0] != list(range(len(columns[0]))):
            raise ValueError("tensors that are not numbered in order")
        self._reader = reader
        self._known: dict[int, Sequence[tuple[int, Any]]] = {}
        self._numbers = rows.columns(Numbers)
        self._elements: dict[tuple[int, str], Any] = {}
        self._places: dict[int, list[int]] = {}
        for number, tensor in enumerate(self._numbers[0]):
            self._places.setdefault(tensor, []).append(number)
        self._others: dict[int, list[tuple[int, Any]]] = {}
        for kind, read in _READ.items():
            for each in rows.of_table(kind):
                self._others.setdefault(each.tensor, []).append((each.since, read(each)))

    def versions(self, dense: int) -> Sequence[tuple[int, Any]]:
        if dense not in self._known:
            self._known[dense] = self._reader.by_class(
                lambda rows: self._versions(dense), lambda tables: tables.tensors.versions(dense)
            )
        return self._known[dense]

    def _versions(self, dense: int) -> Sequence[tuple[int, Any]]:
        numbers = [self._number(each) for each in self._places.get(dense, ())]
        others = self._others.get(dense)
        return sorted([*numbers, *others], key=_since) if others else numbers

    def norms(self, tensors: Sequence[int]) -> list[float | None]:
        return self._reader.by_class(lambda rows: self._norms(tensors), lambda tables: tables.tensors.norms(tensors))

    def _norms(self, tensors: Sequence[int]) -> list[float | None]:
        known: dict[int, float | None] = {}
        together: dict[tuple[int, str], list[int]] = {}
        _, _, dtypes, shapes, blocks, offsets = self._numbers
        for tensor in tensors:
            if tensor in self._places and tensor not in self._others:
                place = self._places[tensor][0]
                together.setdefault((blocks[place], dtypes[place]), []).append(place)
        for (block, dtype), places in together.items():
            if dtype in FLOATS and len(self._reader.block(block)) <= BLOCK:
                starts = [offsets[each] for each in places]
                counts = [math.prod(shapes[each]) for each in places]
                found = norms_within(dtype, self._reader.block(block), starts, counts)
                known |= zip((self._numbers[0][each] for each in places), found, strict=True)
        left = [each for each in tensors if known.get(each) is None]
        known |= zip(left, super().norms(left), strict=True)
        return [known[each] for each in tensors]

    def _number(self, place: int) -> tuple[int, Any]:
        tensor, since, dtype, shape, block, offset = [column[place] for column in self._numbers]
        known = self._elements.get((block, dtype))
        if known is None:
            known = self._elements[block, dtype] = elements_of(dtype, self._reader.block(block))
        end = offset // known.itemsize + math.prod(shape)
        if offset % known.itemsize or offset < 0 or end > known.size:
            return since, read_numbers(Numbers(tensor, since, dtype, shape, block, offset), self._reader.block(block))
        return since, known[offset // known.itemsize : end].reshape(shape)[()]


_READ: Mapping[type, Callable[[Any], Any]] = {
    Words: read_words,
    Statistics: lambda row: row.summary,
    Lost: lambda row: None,
}
"""Rows of values that are no numbers in a block -> what is known of the value."""
