"""A file that `save` wrote -> the log."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tapeviz.errors import LogFileError
from tapeviz.events.collector_paused import collector_paused
from tapeviz.events.store import archive
from tapeviz.events.store.archive import Damage, Member
from tapeviz.events.store.column_tables import ColumnReader
from tapeviz.events.store.journal import JournalReader
from tapeviz.events.store.loaded_log import LoadedLog, damaged, take
from tapeviz.events.store.pieces import Pieces
from tapeviz.events.store.ranks import Ranks, rank_files
from tapeviz.events.store.schema import HEAD, SCHEMA
from tapeviz.validation import existing_file


@collector_paused
def load(path: str | Path, *, partial: bool = False) -> LoadedLog | Ranks:
    """Read a log that `save` wrote. Every view of it is that of the log that was saved.

    Nothing of the file is executed, and what it makes the program hold is bounded by a multiple of its size.

    Args:
        path: the file; or a folder of the logs of several processes, which gives these by their ranks.
        partial: of a damaged file, give what is intact: the beginning of the log, and the values that are there. The
            log's `damage` says what is missing.

    Returns:
        The log, which every verb takes; of a folder the `Ranks`, the logs by their ranks.

    Raises:
        TypeError: `path` is not a path.
        FileNotFoundError: there is no such file.
        LogFileError: it is not a log, is damaged, or was written by a newer version. Logs of a folder are read as far
            as they are asked: a row that is none is found then.

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
        pieces = Pieces()
        return Ranks({rank: _load_columns(each, pieces, partial=partial) for rank, each in ranks.items()})
    return load_file(existing_file(path, "tv.load('step.tape')"), partial=partial)


def load_file(path: Path, *, partial: bool = False) -> LoadedLog:
    """The same of one file, which is there."""
    with path.open("rb") as file:
        members = archive.read(file)
        framework, missed = _head(path, file, members)
        reader = JournalReader()
        reader.tables.missed = missed
        try:
            take(members, reader)
        except Damage as found:
            reader.damage = str(found)
    if reader.damage and not partial:
        raise damaged(path, reader)
    return LoadedLog(framework, reader)


def _load_columns(path: Path, pieces: Pieces, *, partial: bool) -> LoadedLog:
    """One of many files: a log that reads what it is asked for."""
    with path.open("rb") as file:
        members = archive.read(file)
        framework, missed = _head(path, file, members)
        try:
            return LoadedLog(framework, ColumnReader(path, missed, list(members), pieces, partial=partial))
        except Damage:
            return load_file(path, partial=partial)


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
