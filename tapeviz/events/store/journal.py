"""EventLog <-> the rows of a log file: what happened, in order, and each thing after all that it mentions.

So the first rows of a file that was cut short are the log as it was up to then. Rows are of the classes in `ROWS`: the
events themselves, the rows of the tables, the source, what is known of each op, and the values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from operator import attrgetter
from typing import Any, get_args

from tapeviz.events import types
from tapeviz.events.log import EventLog
from tapeviz.events.readers.tables import Tables, legible
from tapeviz.events.refusals import parts_of
from tapeviz.events.row import Row
from tapeviz.events.store import codec
from tapeviz.events.store.columns import references
from tapeviz.events.store.value_blocks import (
    Lost,
    Numbers,
    Statistics,
    ValueBlocks,
    ValueRow,
    Words,
    read_numbers,
    read_words,
)
from tapeviz.events.types import (
    BackwardFinished,
    BackwardStarted,
    CotangentAccumulated,
    ErrorRaised,
    OpRecorded,
    OpSkipped,
    Scope,
    Site,
    TensorInfo,
    VjpApplied,
)
from tapeviz.source.filenames import base_name

FEW = 256
"""So many events of a log come one by one: where it is cut short, all is there that was told up to that line."""
MANY = 4096
"""All others come so many at a time."""
ALONE = 64
"""More rows that come at a time have one line, by columns."""


@dataclass(frozen=True, slots=True)
class Source:
    """The lines of a file, as they were."""

    filename: str
    lines: tuple[str, ...]


EVENTS: dict[str, type] = {kind.__name__: kind for kind in get_args(types.Event)}
VALUES: dict[str, type] = {kind.__name__: kind for kind in (Numbers, Words, Statistics, Lost)}
ROWS = EVENTS | VALUES | {kind.__name__: kind for kind in (Source, Site, Scope, Row, TensorInfo)}
COUNTED: Mapping[type, tuple[str, ...]] = {
    **dict.fromkeys(EVENTS.values(), ("event",)),
    BackwardStarted: ("event", "run"),
    TensorInfo: ("tensor",),
    Site: ("site",),
    Scope: ("scope",),
}
"""What there is one more of by a row: others mention it by its number."""


class JournalWriter:
    """Writes a log row by row; the elements of its values go into `blocks` meanwhile."""

    def __init__(self, log: EventLog, blocks: ValueBlocks, *, values: bool, sources: bool) -> None:
        self._log = log
        self._tensors = log.tensors
        self._blocks = blocks
        self._values = values
        self._sources = sources
        self._written = {"tensor": 0, "site": 0, "scope": 0}
        self._known: set[str] = set()
        self._tables: dict[str, Callable[[int], Iterator[Any]]] = {
            "tensor": self._tensor,
            "site": self._site,
            "scope": self._scope,
        }

    def lines(self) -> Iterator[str]:
        """Every row, in order, in as many lines as are good for a file."""
        events = self._log.events
        alone = ([event] for event in events[:FEW])
        others = (events[start : start + MANY] for start in range(FEW, len(events), MANY))
        for rows in chain(map(self._with_mentioned, chain(alone, others)), [self._unmentioned()]):
            yield from _lines([*rows])

    def rows(self) -> Iterator[Any]:
        """Every row, in order."""
        yield from self._with_mentioned(self._log.events)
        yield from self._unmentioned()

    def _with_mentioned(self, events: Sequence[Any]) -> Iterator[Any]:
        """Events in order, after the rows of tables that they mention: up to the last one."""
        alike: defaultdict[type, list[Any]] = defaultdict(list)
        for event in events:
            alike[type(event)].append(event)
        for kind, those in alike.items():
            for get, table in _references(kind):
                yield from self._up_to(table, _greatest(map(get, those)))
        for op in dict.fromkeys(each.op for kind in (OpRecorded, OpSkipped) for each in alike.get(kind, ())):
            yield from self._known_of(op)
        yield from events if self._values or ErrorRaised not in alike else map(_without_data, events)

    def _unmentioned(self) -> Iterator[Any]:
        """What of the tables no event has mentioned."""
        ends = {"tensor": len(self._log.tensors), "site": len(self._log.sites), "scope": len(self._log.scopes)}
        for table, end in ends.items():
            yield from self._up_to(table, end - 1)

    def _up_to(self, table: str, last: int) -> Iterator[Any]:
        while self._written[table] <= last:
            number = self._written[table]
            self._written[table] += 1
            yield from self._tables[table](number)

    def _tensor(self, number: int) -> Iterator[Any]:
        info = self._tensors[number]
        yield info
        if self._values or info.role == "literal":
            for since, value in self._log.versions(number):
                yield self._blocks.put(number, since, value)

    def _site(self, number: int) -> Iterator[Any]:
        site = self._log.sites[number]
        if not self._sources:
            yield replace(site, filename=base_name(site.filename), text="")
            return
        if site.filename not in self._known:
            self._known.add(site.filename)
            yield Source(site.filename, tuple(self._log.source(site.filename)))
        yield site

    def _scope(self, number: int) -> Iterator[Any]:
        scope = self._log.scopes[number]
        for get, table in _references(Scope):
            yield from self._up_to(table, _greatest([get(scope)]))
        yield scope

    def _known_of(self, op: str) -> Iterator[Row]:
        key = f"op {op}"
        row = None if key in self._known else self._log.row(op)
        self._known.add(key)
        if row is not None:
            yield row


def _lines(rows: Sequence[Any]) -> Iterable[str]:
    return map(codec.line, rows) if len(rows) <= ALONE else [codec.line_of_many(rows)]


def _greatest(ids: Iterable[Any]) -> int:
    """The greatest of ids, or of tuples of ids, each of which may be None; -1 where there is none."""
    found = chain.from_iterable(each if type(each) is tuple else (each,) for each in ids)
    return max((each for each in found if each is not None), default=-1)


def _without_data(event: types.Event) -> types.Event:
    """An event without what the message of an error says of the program."""
    return replace(event, message=parts_of(event.message)) if isinstance(event, ErrorRaised) else event


def _shape_of(row: ValueRow) -> tuple[int, ...] | None:
    """The shape of a value; None where nothing is known of it."""
    match row:
        case Lost():
            return None
        case Statistics():
            return row.summary.shape
    return row.shape


@cache
def _references(kind: type) -> tuple[tuple[Callable[[Any], Any], str], ...]:
    """How to get at the ids in a row of a class, as far as they point into a table that has rows of its own."""
    tables = ("tensor", "site", "scope")
    return tuple((attrgetter(name), table) for name, table in references(kind) if table in tables)


class JournalReader:
    """Reads rows one by one into the tables of a log; what a row mentions must have come before it."""

    def __init__(self) -> None:
        self.tables = Tables({})
        self.damage = ""
        self.catalog: dict[str, Row] = {}
        self.waiting: defaultdict[int, list[tuple[Numbers, int]]] = defaultdict(list)
        self._counts = {"tensor": 0, "site": 0, "scope": 0, "event": 0, "run": 0}
        self._runs: list[BackwardStarted] = []
        self._read_or_made: set[int] = set()
        self._shapes: dict[tuple[int, int], tuple[int, ...]] = {}
        self._adders: dict[type, Callable[[Any], Any]] = {
            Source: self._source,
            Site: self._site,
            Scope: self._scope,
            Row: self._row,
            TensorInfo: self._tensor,
            Numbers: self._numbers,
            Words: lambda row: self._hold(row, read_words(row)),
            Statistics: lambda row: self._hold(row, row.summary),
            Lost: lambda row: self._hold(row, None),
            **{kind: partial(self._event, check) for kind, check in self._checks().items()},
        }

    def _checks(self) -> dict[type, Callable[[Any], None]]:
        """Events that not everything may be in that their types allow."""
        return {
            OpRecorded: self._check_op,
            OpSkipped: self._check_op,
            BackwardStarted: self._check_run,
            VjpApplied: self._check_step,
            CotangentAccumulated: self._check_sum,
            BackwardFinished: self._check_end,
        }

    def add(self, line: bytes) -> None:
        """Take the rows of a line.

        Raises:
            ValueError: they are none, or do not fit those before them.
        """
        found = codec.rows_of(ROWS, line)
        for kind, count, _ in found.groups:
            for table in COUNTED.get(kind, ()):
                self._counts[table] += count
        append = self.tables.events.append
        taking = [(self._adders.get(kind, append), rows) for kind, rows in found.checked(self._counts)]
        try:
            for number in found.order:
                take, rows = taking[number]
                take(next(rows))
        except IndexError:
            raise ValueError("a row that stands before what it mentions") from None

    def take(self, row: Any) -> None:
        """Take one row that is as the types of its fields say.

        Raises:
            ValueError: it does not fit those before it.
        """
        self._adders.get(type(row), self.tables.events.append)(row)

    def fill(self, number: int, block: bytes, *, is_whole: bool) -> None:
        """Take the block of that number; of one that is not whole, the values that are in it.

        Raises:
            ValueError: a row points outside it.
        """
        read: dict[Any, Any] = {}
        for row, version in self.waiting.pop(number, ()):
            place = row.offset, row.dtype, row.shape
            try:
                value = read[place] if place in read else read.setdefault(place, read_numbers(row, block))
            except ValueError:
                if is_whole:
                    raise
                continue
            self.tables.tensors.fill(row.tensor, version, value)

    def _numbers(self, row: Numbers) -> None:
        self.waiting[row.block].append((row, self._hold(row, None)))

    def _hold(self, row: ValueRow, value: Any) -> int:
        """From `row.since` on a tensor holds a value: which of its versions that is. Later ones may differ in shape."""
        tensors, shape = self.tables.tensors, _shape_of(row)
        if shape not in (None, tensors.rows[row.tensor].shape) and not tensors.versions(row.tensor):
            raise ValueError(f"a value of shape {shape} for tensor {row.tensor}")
        return tensors.hold(row.tensor, row.since, value)

    def _event(self, check: Callable[[Any], None], event: Any) -> None:
        check(event)
        self.tables.events.append(event)

    def _check_op(self, op: OpRecorded | OpSkipped) -> None:
        """What an op makes is new: no way from tensor to tensor leads back to where it began."""
        self._read_or_made.update(op.inputs)
        for output in op.outputs:
            if output in self._read_or_made:
                raise ValueError(f"an op that makes tensor {output}, which was there before")
            self._read_or_made.add(output)

    def _check_run(self, run: BackwardStarted) -> None:
        if run.run != len(self._runs):
            raise ValueError(f"run {run.run} in the place of {len(self._runs)}")
        if len(run.seeds) != len(run.targets):
            raise ValueError("a run with more or fewer seeds than targets")
        if run.rows is not None and run.rows < 0:
            raise ValueError(f"a Jacobian of {run.rows} rows")
        self._runs.append(run)
        self._check_shapes(run.run, zip(run.targets, run.seeds, strict=True))

    def _check_step(self, step: VjpApplied) -> None:
        op = self.tables.events[step.op]
        if not isinstance(op, (OpRecorded, OpSkipped)):
            raise ValueError("a step of something that is no op")
        if len(step.cotangents) != len(op.inputs) or len(step.upstream) != len(op.outputs):
            raise ValueError("a step with more or fewer gradients than its op has tensors")
        self._check_shapes(step.run, zip(op.outputs, step.upstream, strict=True))
        self._check_shapes(step.run, zip(op.inputs, step.cotangents, strict=True))

    def _check_sum(self, sum_: CotangentAccumulated) -> None:
        self._check_shapes(sum_.run, [(sum_.tensor, each) for each in (*sum_.parts, sum_.total)])

    def _check_end(self, end: BackwardFinished) -> None:
        sources = self._runs[end.run].sources
        if len(end.gradients) != len(sources):
            raise ValueError("a run that ends with more or fewer gradients than sources")
        self._check_shapes(end.run, zip(sources, end.gradients, strict=True))

    def _check_shapes(self, run: int, gradients: Iterable[tuple[int, int | None]]) -> None:
        """All gradients of a tensor in a run can be added up; of a Jacobian, they are rows, or all rows at once."""
        if self._runs[run].rows is not None:
            return
        rows = self.tables.tensors.rows
        for tensor, gradient in gradients:
            if gradient is not None and rows[gradient].dtype != "unknown":
                shape = self._shapes.setdefault((run, tensor), rows[gradient].shape)
                if shape != rows[gradient].shape:
                    raise ValueError(f"gradients of tensor {tensor} of shapes {shape} and {rows[gradient].shape}")

    def _source(self, row: Source) -> None:
        self.tables.places.sources.lines[row.filename] = list(row.lines)

    def _site(self, row: Site) -> None:
        places = self.tables.places
        places.sites.append(row)
        places.files[row.filename] = row.filename
        places.sources.lines.setdefault(row.filename, [])  # never looked for on the disk of whoever loads the log

    def _scope(self, row: Scope) -> None:
        scopes = self.tables.places.scopes
        if row.parent is not None and row.parent >= len(scopes):
            raise ValueError(f"scope {len(scopes)} within scope {row.parent}")
        scopes.append(row)

    def _row(self, row: Row) -> None:
        self.catalog[row.name] = row

    def _tensor(self, row: TensorInfo) -> None:
        if row.id != len(self.tables.tensors.rows):
            raise ValueError(f"tensor {row.id} in the place of {len(self.tables.tensors.rows)}")
        if row.shape and min(row.shape) < 0:
            raise ValueError(f"tensor {row.id} of shape {row.shape}")
        name = None if row.name is None else legible(row.name)
        self.tables.tensors.add_row(row if name == row.name else replace(row, name=name))
