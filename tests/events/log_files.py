"""Files that look like logs, made by hand: the members of a good one, changed and put together again."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from pathlib import Path
from struct import pack
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

HEAD, ROWS, BLOCK = "log.json", "rows/00000.jsonl", "values/00000.bin"


def members(path: Path) -> dict[str, bytes]:
    """The members of a log file, by name."""
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path: Path, parts: Iterable[tuple[str, bytes]]) -> Path:
    """A zip file of members, as `save` writes it."""
    with ZipFile(path, "w") as archive:
        for name, data in parts:
            about = ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            about.compress_type = ZIP_STORED if name.endswith(".bin") else ZIP_DEFLATED
            archive.writestr(about, data)
    return path


def with_rows(source: Path, path: Path, rows: Iterable[Any]) -> Path:
    """The log file at `source` with other rows."""
    text = "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in rows)
    return write(path, (members(source) | {ROWS: text.encode()}).items())


def rows_of(path: Path) -> list[list[Any]]:
    """The rows of a log file."""
    return [json.loads(line) for line in members(path)[ROWS].splitlines()]


def claiming(name: str, data: bytes, unpacked: int, packed: int | None = None) -> bytes:
    """A compressed member whose header claims what is not so."""
    engine = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    there = engine.compress(data) + engine.flush()
    length = len(there) if packed is None else packed
    sizes = (zlib.crc32(data), length, unpacked, len(name), 0)
    return pack("<4s5H3I2H", b"PK\x03\x04", 20, 0, 8, 0, 33, *sizes) + name.encode() + there
