"""The members of a log file, all of them read -> the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from tapeviz.errors import LogError, LogFileError
from tapeviz.events.log import EventLog
from tapeviz.events.readers.tables import Tables
from tapeviz.events.row import Row
from tapeviz.events.store.archive import Damage, Member
from tapeviz.events.store.journal import JournalReader
from tapeviz.events.store.schema import BLOCK, ROWS


class FileReader(Protocol):
    """What has read a file, or does so when it is asked."""

    tables: Tables
    damage: str

    @property
    def catalog(self) -> Mapping[str, Row]:
        """What the file says of each op."""


class LoadedLog(EventLog):
    """A log that came from a file: everything can be asked of it, by name; nothing can be run again."""

    def __init__(self, framework: str, reader: FileReader) -> None:
        super().__init__(framework=framework)
        self.closed = True
        self._reader = reader

    @property
    def damage(self) -> str:
        """What is missing of a file that was loaded with `partial`; "" where nothing is."""
        return self._reader.damage

    def _read(self) -> Tables:
        return self._reader.tables

    def row(self, op: str) -> Row | None:
        return self._reader.catalog.get(op)

    def id_of(self, obj: Any) -> int:
        if not isinstance(obj, str):
            raise LogError(
                "This log came from a file, which does not know the objects of your program. Ask by name: "
                'tv.why(log, "loss", "w").'
            )
        return super().id_of(obj)

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, damaged: {self.damage}>" if self.damage else super().__repr__()


def damaged(path: Path, reader: JournalReader) -> LogFileError:
    """What to raise for a file that a reader has found damaged."""
    return LogFileError(
        path,
        f"the log file {path} is damaged: {reader.damage}. Save it again, or tv.load(path, partial=True) reads what is "
        f"intact, its first {len(reader.tables.events):,} events.",
    )


def take(members: Iterable[Member], reader: JournalReader) -> None:
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
