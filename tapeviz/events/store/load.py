"""A file that `save` wrote -> the log."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from tapeviz.errors import LogError, LogFileError
from tapeviz.events.collector_paused import collector_paused
from tapeviz.events.log import EventLog
from tapeviz.events.readers.tables import Tables
from tapeviz.events.row import Row
from tapeviz.events.store import archive
from tapeviz.events.store.archive import Damage, Member
from tapeviz.events.store.journal import JournalReader
from tapeviz.events.store.ranks import Ranks, rank_files
from tapeviz.events.store.schema import BLOCK, HEAD, ROWS, SCHEMA
from tapeviz.validation import existing_file


class LoadedLog(EventLog):
    """A log that came from a file: everything can be asked of it, by name; nothing can be run again.

    `damage` says what is missing of a file that was loaded with `partial`, "" where nothing is.
    """

    def __init__(self, framework: str, reader: JournalReader, damage: str) -> None:
        super().__init__(framework=framework)
        self.closed = True
        self.damage = damage
        self._loaded = reader.tables
        self._catalog = reader.catalog

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


@collector_paused
def load(path: str | Path, *, partial: bool = False) -> LoadedLog | Ranks:
    """Read a log that `save` wrote. Every view of it is that of the log that was saved.

    Nothing of the file is executed, and what it makes the program hold is bounded by a multiple of its size.

    Args:
        path: the file; or a folder of the logs of several processes, which gives these by their ranks.
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
    >>> log = load(tv.save(tape, Path(tempfile.mkdtemp()) / "cube.tape"))
    >>> log
    <EventLog of tapeviz: 2 ops, 7 events, 3 tensors>
    >>> print(tv.why(log, "y", "x"))
    The gradient of `y` arrives at `x`...
    """
    if isinstance(path, (str, os.PathLike)) and (ranks := rank_files(Path(path))):
        return Ranks({rank: load_file(each, partial=partial) for rank, each in ranks.items()})
    return load_file(existing_file(path, "tv.load('step.tape')"), partial=partial)


def load_file(path: Path, *, partial: bool = False) -> LoadedLog:
    """The same of one file, which is there."""
    with path.open("rb") as file:
        members = archive.read(file)
        framework, missed = _head(path, file, members)
        reader = JournalReader()
        reader.tables.missed = missed
        damage = ""
        try:
            _take(members, reader)
        except Damage as found:
            damage = str(found)
    if damage and not partial:
        raise LogFileError(
            path,
            f"the log file {path} is damaged: {damage}. Save it again, or tv.load(path, partial=True) reads what is "
            f"intact, its first {len(reader.tables.events):,} events.",
        )
    return LoadedLog(framework, reader, damage)


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


def _take(members: Iterator[Member], reader: JournalReader) -> None:
    """Read everything after the head.

    Raises:
        Damage: up to there it was intact.
    """
    rows = blocks = 0
    for member in members:
        if member.name == ROWS.format(rows) and not blocks:
            rows += 1
            _take_rows(member, reader)
        elif member.name == BLOCK.format(blocks):
            try:
                reader.fill(blocks, member.data, is_whole=member.is_whole)
            except ValueError as error:
                raise Damage(f"{member.name}: {error}") from None
            blocks += 1
        else:
            raise Damage(f"{member.name!r} is no part of a log")
    if reader.waiting:
        raise Damage("values are missing")


def _take_rows(member: Member, reader: JournalReader) -> None:
    lines = member.data.split(b"\n")
    if lines.pop() and member.is_whole:
        raise Damage(f"{member.name} ends within a row")
    for number, line in enumerate(lines, 1):
        try:
            reader.add(line)
        except ValueError as error:
            raise Damage(f"{member.name}, line {number}: {error}") from None
