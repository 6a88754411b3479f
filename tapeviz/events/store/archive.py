"""Members of bytes <-> one zip file, the same at every time of writing, and checked as it is read.

A file from elsewhere is not trusted: nothing is unpacked to disk, and no more is ever held than a fixed multiple of
what the file weighs, whatever it claims. Members are read in the order they were written, not from the table at the
end, so that of a file cut short the beginning is still there.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from struct import Struct
from typing import BinaryIO, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from tapeviz.events.store.atomic import replacing

MOST_TEXT = 1 << 24
MOST_TIMES = 32
"""Members may unpack to this much in all, plus this many times the size of the file; logs take a third of that."""

QUICKLY = 1
"""The level of compression: what higher ones save of a log takes longer than all else that is done to write it."""

LOCAL = Struct("<4s5H3I2H")
END = Struct("<4s4H2IH")
LARGE_END, LARGE_LOCATOR = Struct("<4sQ2H2I4Q"), Struct("<4sIQI")
"""Of a file of more than 2 GiB, or of many members: ZIP64's own end, which comes before the other, and where it is."""
LOCAL_MARK, TABLE_MARK, END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
LARGE_END_MARK, LARGE_LOCATOR_MARK = b"PK\x06\x06", b"PK\x06\x07"
ZIP64 = 45
"""The version of the format that has such an end."""


class Damage(Exception):
    """Why a file cannot be read any further."""


class Member(NamedTuple):
    """One member; of one that the file's end cuts short, what there is of it."""

    name: str
    data: bytes
    is_whole: bool


def write(path: Path, members: Iterable[tuple[str, bytes]], packed: tuple[str, ...]) -> None:
    """Write members into a file, all at once or not at all; those whose names end in one of `packed` are compressed."""
    with replacing(path) as file, ZipFile(file, "w") as archive:
        for name, data in members:
            about = ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            about.create_system = 3
            about.external_attr = 0o644 << 16
            about.compress_type = ZIP_DEFLATED if name.endswith(packed) else ZIP_STORED
            archive.writestr(about, data, compresslevel=QUICKLY)


def read(file: BinaryIO) -> Iterator[Member]:
    """The members of a file, in order; one that is cut short is the last.

    Raises:
        Damage: what follows is not as `write` writes it.
    """
    size = os.fstat(file.fileno()).st_size
    room = MOST_TEXT + MOST_TIMES * size
    count = 0
    while True:
        start = file.tell()
        head = file.read(LOCAL.size)
        if head.startswith(TABLE_MARK):
            break
        if len(head) < LOCAL.size or not head.startswith(LOCAL_MARK):
            raise Damage("it is cut short" if start + LOCAL.size > size else f"there is no member at byte {start}")
        member, unpacked = _member(file, head, size, room)
        room -= unpacked
        count += 1
        yield member
        if not member.is_whole:
            raise Damage(f"it is cut short in {member.name}")
    _check_end(file, start, size, count)


def _member(file: BinaryIO, head: bytes, size: int, room: int) -> tuple[Member, int]:
    """The member after a header, and how much it is unpacked."""
    _, _, flags, method, _, _, checksum, packed, unpacked, named, extra = LOCAL.unpack(head)
    if flags or extra or method not in (ZIP_STORED, ZIP_DEFLATED) or named > 64:
        raise Damage("a member is not written as tapeviz writes them")
    name = file.read(named).decode("ascii", "replace")
    if unpacked > room:
        raise Damage(f"{name} claims to unpack to {unpacked:,} bytes, more than a log of this size can hold")
    there = min(packed, size - file.tell())
    data = file.read(there)
    is_whole = there == packed
    if method == ZIP_DEFLATED:
        data, is_whole = _inflated(data, unpacked, is_whole, name), is_whole
    if is_whole and (len(data) != unpacked or zlib.crc32(data) != checksum):
        raise Damage(f"{name} is not what its checksum says")
    return Member(name, data, is_whole), unpacked


def _inflated(data: bytes, length: int, is_whole: bool, name: str) -> bytes:
    """A compressed member, never more than `length` bytes of it and one."""
    engine = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        text = engine.decompress(data, length + 1)
    except zlib.error:
        raise Damage(f"{name} cannot be unpacked") from None
    if is_whole and (not engine.eof or engine.unused_data):
        raise Damage(f"{name} is not as long as it claims")
    return text


def _check_end(file: BinaryIO, start: int, size: int, count: int) -> None:
    """The table at the end is there, and is that of the members which were read."""
    if size - start < END.size:
        raise Damage("it is cut short in the table at its end")
    for large in (False, True):
        end = _end(start, size, count, large=large)
        file.seek(max(start, size - len(end)))
        if file.read() == end:
            return
    raise Damage("the table at its end is not that of its members, or is cut short")


def _end(start: int, size: int, count: int, *, large: bool) -> bytes:
    """What follows on the table of `count` members at `start`, up to the `size` of the file.

    In a large file it has ZIP64's own end before it: a number for which the other one has no room is full there.
    """
    table_end = size - END.size - (LARGE_LOCATOR.size + LARGE_END.size if large else 0)
    length = max(table_end - start, 0)
    entries = min(count, 0xFFFF)
    end = END.pack(END_MARK, 0, 0, entries, entries, min(length, 0xFFFFFFFF), min(start, 0xFFFFFFFF), 0)
    if not large:
        return end
    rest = LARGE_END.size - 12  # behind the mark and this number
    own = LARGE_END.pack(LARGE_END_MARK, rest, ZIP64, ZIP64, 0, 0, count, count, length, start)
    return own + LARGE_LOCATOR.pack(LARGE_LOCATOR_MARK, 0, max(table_end, 0), 1) + end
