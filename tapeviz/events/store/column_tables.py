"""The members of a log file -> its tables, read as far as someone asks: of many logs together that is little."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar, overload

from tapeviz.events.readers.tables import SiteTable, Tables, TensorTable, legible
from tapeviz.events.row import Row
from tapeviz.events.store.archive import Damage, Member
from tapeviz.events.store.columns import made_of
from tapeviz.events.store.journal import VALUES, JournalReader, Source
from tapeviz.events.store.loaded_log import damaged, take
from tapeviz.events.store.pieces import Pieces
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

    def __init__(self, path: Path, missed: bool, members: Sequence[Member], pieces: Pieces, *, partial: bool) -> None:
        self.damage = ""
        self._path = path
        self._pieces = pieces
        self._partial = partial
        self._missed = missed
        self._members = members
        self.tables: Tables = ColumnTables(self, missed)

    @cached_property
    def catalog(self) -> Mapping[str, Row]:
        """What is known of each op."""
        return self.by_class(_catalog, lambda tables: self.whole.catalog)

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
        return RowsByClass((each.data for each in self._members if each.name.startswith("rows/")), self._pieces)

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
        return self._reader.by_class(_events, lambda tables: tables.events)

    @cached_property
    def places(self) -> SiteTable:  # type: ignore[override]
        return self._reader.by_class(_places, lambda tables: tables.places)

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


def _events(rows: RowsByClass) -> list[Event]:
    """All events in their order, each of which fits those before it."""
    reader = JournalReader()
    for each in rows.in_order():
        if type(each).__name__ not in VALUES:
            reader.take(each)
    return reader.tables.events


def _catalog(rows: RowsByClass) -> Mapping[str, Row]:
    return {each.name: each for each in rows.of_table(Row)}


def _places(rows: RowsByClass) -> SiteTable:
    kinds = Source, Site, Scope
    return rows.once("places", kinds, lambda: _taken(each for kind in kinds for each in rows.of_table(kind)).places)


def _taken(rows: Iterable[Any]) -> Tables:
    reader = JournalReader()
    for each in rows:
        reader.take(each)
    return reader.tables


class TensorRows(Sequence[TensorInfo]):
    """The rows of tensors, each made when someone asks for it; as a list, once someone has asked for all."""

    def __init__(self, columns: Sequence[Sequence[Any]]) -> None:
        self.all: list[TensorInfo] | None = None
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
        found = self._made.get(index)
        if found is None:
            id_, shape, dtype, role, name, placement = (column[index] for column in self._columns)
            found = self._made[index] = TensorInfo(id_, shape, dtype, role, legible(name), placement)
        return found

    def __iter__(self) -> Iterator[TensorInfo]:
        if self.all is None:
            *columns, names, placements = self._columns
            known = {each: legible(each) for each in set(names)}
            self.all = made_of(TensorInfo, [*columns, list(map(known.__getitem__, names)), placements])
        return iter(self.all)


class PlacedNumbers:
    """Where numbers are in the blocks of a file, by what they are of."""

    def __init__(self, columns: Sequence[Sequence[Any]]) -> None:
        self.of: dict[int, list[Numbers]] = {}
        self.first: dict[tuple[int, str], tuple[list[int], list[int], list[int]]] = {}
        for row in made_of(Numbers, columns):
            known = self.of.setdefault(row.tensor, [])
            known.append(row)
            if len(known) == 1:
                tensors, offsets, counts = self.first.setdefault((row.block, row.dtype), ([], [], []))
                tensors.append(row.tensor)
                offsets.append(row.offset)
                counts.append(math.prod(row.shape))


class ColumnTensors(TensorTable):
    """Tensors of a log file, with their values, which are read when someone asks for them.

    Raises:
        ValueError: the rows of tensors are not numbered in order.
    """

    def __init__(self, rows: RowsByClass, reader: ColumnReader) -> None:
        self._rows = rows.once("tensors", [TensorInfo], lambda: _tensor_rows(rows))
        self._reader = reader
        self._known: dict[int, Sequence[tuple[int, Any]]] = {}
        self._numbers = rows.once("numbers", [Numbers], lambda: PlacedNumbers(rows.columns(Numbers)))
        self._others = rows.once("others", _READ, lambda: _other_values(rows))
        self._elements: dict[tuple[int, str], Any] = {}
        self._norms: dict[tuple[int, str], dict[int, float | None]] = {}

    @property
    def rows(self) -> Sequence[TensorInfo]:  # type: ignore[override]
        return self._rows.all or self._rows

    def versions(self, dense: int) -> Sequence[tuple[int, Any]]:
        found = self._known.get(dense)
        if found is None:
            found = self._known[dense] = self._reader.by_class(
                lambda rows: self._versions(dense), lambda tables: tables.tensors.versions(dense)
            )
        return found

    def _versions(self, dense: int) -> Sequence[tuple[int, Any]]:
        numbers = [(row.since, self._value(row)) for row in self._numbers.of.get(dense, ())]
        others = self._others.get(dense)
        return sorted([*numbers, *others], key=_since) if others else numbers

    def norms(self, tensors: Sequence[int]) -> list[float | None]:
        return self._reader.by_class(lambda rows: self._found(tensors), lambda tables: tables.tensors.norms(tensors))

    def _found(self, tensors: Sequence[int]) -> list[float | None]:
        known: dict[int, float | None] = {}
        of, others = self._numbers.of, self._others
        first = {(row.block, row.dtype): None for each in tensors if each in of for row in of[each][:1]}
        for block, dtype in first:
            known |= self._norms_within(block, dtype)
        left = [each for each in tensors if known.get(each) is None or each in others]
        known |= zip(left, super().norms(left), strict=True)
        return [known[each] for each in tensors]

    def _norms_within(self, block: int, dtype: str) -> dict[int, float | None]:
        """The norms of the first values of all tensors that have these in a block; of a larger one, of none."""
        if (block, dtype) not in self._norms:
            tensors, offsets, counts = self._numbers.first[block, dtype]
            data = self._reader.block(block)
            is_small = dtype in FLOATS and len(data) <= BLOCK
            found = norms_within(dtype, data, offsets, counts) if is_small else ()
            self._norms[block, dtype] = dict(zip(tensors, found, strict=False))
        return self._norms[block, dtype]

    def _value(self, row: Numbers) -> Any:
        known = self._elements.get((row.block, row.dtype))
        if known is None:
            known = self._elements[row.block, row.dtype] = elements_of(row.dtype, self._reader.block(row.block))
        start, misplaced = divmod(row.offset, known.itemsize)
        end = start + math.prod(row.shape)
        if misplaced or start < 0 or end > known.size:
            return read_numbers(row, self._reader.block(row.block))
        return known[start:end].reshape(row.shape)[()]


def _tensor_rows(rows: RowsByClass) -> TensorRows:
    columns = rows.columns(TensorInfo)
    if columns[0] != list(range(len(columns[0]))):
        raise ValueError("tensors that are not numbered in order")
    return TensorRows(columns)


def _other_values(rows: RowsByClass) -> dict[int, list[tuple[int, Any]]]:
    """What is known of values that are no numbers in a block, by what they are of."""
    found: dict[int, list[tuple[int, Any]]] = {}
    for kind, read in _READ.items():
        for each in rows.of_table(kind):
            found.setdefault(each.tensor, []).append((each.since, read(each)))
    return found


_READ: Mapping[type, Callable[[Any], Any]] = {
    Words: read_words,
    Statistics: lambda row: row.summary,
    Lost: lambda row: None,
}
"""Rows of values that are no numbers in a block -> what is known of the value."""
