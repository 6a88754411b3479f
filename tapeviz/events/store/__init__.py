"""A log <-> one file that holds all that views show of it: `save` and `load`.

- `journal`    what happened, as rows in order; `codec`, a row <-> a line of JSON
- `shelf`      values <-> blocks of bytes
- `archive`    all of it in one zip file, which is checked as it is read
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from tapeviz.errors import LogError, LogFileError
from tapeviz.events.defaults import Defaults
from tapeviz.events.log import EventLog, log_of
from tapeviz.events.readers.tables import Tables
from tapeviz.events.row import Row
from tapeviz.events.store import archive, codec, shelf
from tapeviz.events.store.archive import Damage, Member
from tapeviz.events.store.journal import Telling, Writing
from tapeviz.events.uncollected import uncollected
from tapeviz.validation import existing_file, log_path

__all__ = ["LoadedLog", "load", "save"]

SCHEMA = 4
"""Raised when a reader of the schema before could not read what is written now. Older files stay readable: a field that
is added has a default. 2: `BackwardStarted.rows`. 3: `Row.pole`. 4: `Row.broadcasts`."""
HEAD, ROWS, BLOCK = "log.json", "rows/{:05}.jsonl", "values/{:05}.bin"
PACKED = (".json", ".jsonl")
CHUNK = 1 << 18
"""Rows are put together until they are this long; a damaged chunk takes what follows with it."""


class LoadedLog(EventLog):
    """A log that came from a file: everything can be asked of it, by name; nothing can be run again.

    `damage` says what is missing of a file that was loaded with `partial`, "" where nothing is.
    """

    def __init__(self, framework: str, telling: Telling, damage: str) -> None:
        super().__init__(framework=framework)
        self.closed = True
        self.damage = damage
        self._loaded = telling.tables
        self._catalog = telling.catalog

    def _read(self) -> Tables:
        return self._loaded

    def row(self, op: str) -> Row | None:
        return self._catalog.get(op)

    def id_of(self, obj: Any) -> int:
        if not isinstance(obj, str):
            raise LogError(
                "This log came from a file, which does not know the objects of your program. Ask by name: "
                'tv.why(log, "loss", "w").'
            )
        return super().id_of(obj)

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, damaged: {self.damage}>" if self.damage else super().__repr__()


@uncollected
def save(log_or_tape: Any, path: str | Path, *, values: str = "kept", sources: bool = True) -> Path:
    """Write a log, or that of a tape, into one file that `load` reads anywhere; return its path.

    Equal programs write equal files, byte for byte. The file holds the program's data, unless `values="none"` leaves
    only the numbers written in its expressions, and its source lines and relative file names, unless `sources=False`
    leaves only the names of the files.

    Raises:
        TypeError: it neither is a log nor has one, or `path` is not a path.
        ValueError: an unknown `values`, or a path that ends in .html.
        FileNotFoundError: there is no such folder.

    >>> import tempfile
    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0)
    >>> with tv.GradientTape() as tape:
    ...     y = x * x * x
    >>> save(tape, Path(tempfile.mkdtemp()) / "cube.tape").name
    'cube.tape'
    """
    keeps = Defaults.keeps(values)
    path, log, away = log_path(path), log_of(log_or_tape), shelf.Shelf()
    writing = Writing(log, away, values=keeps, sources=sources)
    head = {"format": "tapeviz log", "schema": SCHEMA, "framework": log.framework, "begins_late": log.begins_late}
    rows = ((ROWS.format(number), chunk) for number, chunk in enumerate(_chunks(writing)))
    blocks = ((BLOCK.format(number), bytes(block)) for number, block in enumerate(away.blocks))
    archive.write(path, chain([(HEAD, json.dumps(head).encode())], rows, blocks), PACKED)
    return path


def _chunks(writing: Writing) -> Iterator[bytes]:
    chunk = bytearray()
    for row in writing.rows():
        chunk += codec.line(row).encode() + b"\n"
        if len(chunk) > CHUNK:
            yield bytes(chunk)
            chunk.clear()
    yield bytes(chunk)


@uncollected
def load(path: str | Path, *, partial: bool = False) -> LoadedLog:
    """Read a log that `save` wrote. Every view of it is that of the log that was saved.

    Nothing of the file is executed, and what it makes the program hold is bounded by a multiple of its size.

    Args:
        path: the file.
        partial: of a damaged file, give what is intact: the beginning of the log, and the values that are there. The
            log's `damage` says what is missing.

    Raises:
        TypeError: `path` is not a path.
        FileNotFoundError: there is no such file.
        LogFileError: it is not a log, is damaged, or was written by a newer version.

    >>> import tempfile
    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x * x
    >>> log = load(save(tape, Path(tempfile.mkdtemp()) / "cube.tape"))
    >>> log
    <EventLog of tapeviz: 2 ops, 7 events, 3 tensors>
    >>> print(tv.why(log, "y", "x"))
    The gradient of `y` arrives at `x`...
    """
    path = existing_file(path, "tv.load('step.tape')")
    with path.open("rb") as file:
        members = archive.read(file)
        framework, missed = _head(path, file, members)
        telling = Telling()
        telling.tables.missed = missed
        damage = ""
        try:
            _take(members, telling)
        except Damage as found:
            damage = str(found)
    if damage and not partial:
        raise LogFileError(
            path,
            f"the log file {path} is damaged: {damage}. Save it again, or tv.load(path, partial=True) reads what is "
            f"intact, its first {len(telling.tables.events):,} events.",
        )
    return LoadedLog(framework, telling, damage)


def _head(path: Path, file: BinaryIO, members: Iterator[Member]) -> tuple[str, bool]:
    """The framework, and whether the log begins late."""
    stranger = LogFileError(
        path, f"{path} is not a tapeviz log file, or its beginning is damaged: log files are written by tv.save."
    )
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        raise stranger
    try:
        name, data, is_whole = next(members)
        head = json.loads(data) if name == HEAD and is_whole else None
    except (Damage, ValueError, RecursionError):
        raise stranger from None
    match head:
        case {"format": "tapeviz log", "schema": int(schema)} if schema > SCHEMA:
            raise LogFileError(
                path,
                f"{path} was written by a newer tapeviz (schema {schema}; this one reads {SCHEMA}): upgrade tapeviz.",
            )
        case {
            "format": "tapeviz log",
            "schema": int(schema),
            "framework": str(framework),
            "begins_late": bool(missed),
        } if schema >= 1:
            return framework, missed
    raise stranger


def _take(members: Iterator[Member], telling: Telling) -> None:
    """Read everything after the head.

    Raises:
        Damage: up to there it was intact.
    """
    rows = blocks = 0
    for member in members:
        if member.name == ROWS.format(rows) and not blocks:
            rows += 1
            _take_rows(member, telling)
        elif member.name == BLOCK.format(blocks):
            try:
                telling.fill(blocks, member.data, is_whole=member.is_whole)
            except ValueError as error:
                raise Damage(f"{member.name}: {error}") from None
            blocks += 1
        else:
            raise Damage(f"{member.name!r} is no part of a log")
    if telling.waiting:
        raise Damage("values are missing")


def _take_rows(member: Member, telling: Telling) -> None:
    lines = member.data.split(b"\n")
    if lines.pop() and member.is_whole:
        raise Damage(f"{member.name} ends within a row")
    for number, line in enumerate(lines, 1):
        try:
            telling.add(line)
        except ValueError as error:
            raise Damage(f"{member.name}, line {number}: {error}") from None
