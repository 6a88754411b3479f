"""Scalars by step -> an event file, as TensorBoard reads it, written with nothing installed.

A file is records, a record a length, an event, and checksums of both. An event is a message of protocol buffers.
"""

from __future__ import annotations

import math
import struct
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tapeviz.events.store import atomic
from tapeviz.live.scalars import Scalars

POLYNOMIAL = 0x82F63B78
"""Castagnoli's, as CRC-32C has it, lowest bit first."""
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
"""How a field is written in a message, by the number in its tag."""


def write(rows: Scalars, folder: Path) -> Path:
    """Write a new event file into a folder, which is made if it is not there; return the folder.

    Sources:
        TensorFlow, `event.proto` and `summary.proto`: Event (wall_time 1, step 2, file_version 3, summary 5), Summary
        (value 1) and its Value (tag 1, simple_value 2); `record_writer.cc`: the records.
    """
    folder.mkdir(parents=True, exist_ok=True)
    now = time.time_ns()
    events = [_wall_time(now) + _field(3, BYTES, b"brain.Event:2"), *_events(rows, now)]
    atomic.write(folder / f"events.out.tfevents.{now}.tapeviz", b"".join(map(_record, events)))
    return folder


def _events(rows: Scalars, now: int) -> Iterator[bytes]:
    for step, row in rows.items():
        values = [
            _field(1, BYTES, _field(1, BYTES, tag.encode(errors="replace")) + _field(2, FIXED32, _single(value)))
            for tag, value in row.items()
        ]
        yield _wall_time(now) + _field(2, VARINT, _varint(step)) + _field(5, BYTES, b"".join(values))


def _single(value: float) -> bytes:
    """A number in single precision; one that is too large for it is infinite."""
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", math.copysign(math.inf, value))


def _wall_time(now: int) -> bytes:
    return _field(1, FIXED64, struct.pack("<d", now / 1e9))


def _field(number: int, kind: int, content: bytes) -> bytes:
    return _varint(number << 3 | kind) + (_varint(len(content)) if kind == BYTES else b"") + content


def _varint(number: int) -> bytes:
    """A whole number in groups of seven bits, the lowest first; all but the last are marked.

    >>> _varint(300).hex()
    'ac02'
    """
    groups = bytearray()
    number &= (1 << 64) - 1
    while number > 127:
        groups.append(number & 127 | 128)
        number >>= 7
    return bytes([*groups, number])


def _record(event: bytes) -> bytes:
    length = struct.pack("<Q", len(event))
    return length + _checksum(length) + event + _checksum(event)


def _checksum(data: bytes) -> bytes:
    """CRC-32C, masked as the format has it, so that a checksum of what holds checksums is one, too."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _table()[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


@cache
def _table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (POLYNOMIAL if crc & 1 else 0)
        table.append(crc)
    return tuple(table)
