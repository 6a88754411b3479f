"""EventLog -> one file that `load` reads anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from tapeviz.events.collector_paused import collector_paused
from tapeviz.events.defaults import Defaults
from tapeviz.events.log import log_of
from tapeviz.events.store import archive, value_blocks
from tapeviz.events.store.journal import JournalWriter
from tapeviz.events.store.schema import BLOCK, HEAD, ROWS, SCHEMA
from tapeviz.validation import log_path

PACKED = (".json", ".jsonl")
CHUNK = 1 << 18
"""Rows are put together until they are this long; a damaged chunk takes what follows with it."""


@collector_paused
def save(log_or_tape: Any, path: str | Path, *, values: str = "kept", sources: bool = True) -> Path:
    """Write a log, or that of a tape, into one file that `load` reads anywhere.

    Equal programs write equal files, byte for byte.

    Args:
        log_or_tape: a log, or anything with `.log`, such as a tape.
        path: the file; one that is there is replaced.
        values: "kept", the program's data; or "none", only the numbers that are written in its expressions.
        sources: whether its source lines and relative file names are in it, or only the names of the files.

    Returns:
        The path of the file.

    Raises:
        TypeError: it neither is a log nor has one, or `path` is not a path.
        ValueError: an unknown `values`, or a path that ends in .html.
        FileNotFoundError: there is no such folder.

    >>> import tempfile
    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0)
    >>> with tv.GradientTape() as tape:
    ...     y = x * x * x
    >>> tv.save(tape, Path(tempfile.mkdtemp()) / "cube.tape").name
    'cube.tape'
    """
    keeps = Defaults.keeps(values)
    path, log, stored = log_path(path), log_of(log_or_tape), value_blocks.ValueBlocks()
    writer = JournalWriter(log, stored, values=keeps, sources=sources)
    head = {"format": "tapeviz log", "schema": SCHEMA, "framework": log.framework, "begins_late": log.begins_late}
    rows = ((ROWS.format(number), chunk) for number, chunk in enumerate(_chunks(writer)))
    blocks = ((BLOCK.format(number), bytes(block)) for number, block in enumerate(stored.blocks))
    archive.write(path, chain([(HEAD, json.dumps(head).encode())], rows, blocks), PACKED)
    return path


def _chunks(writer: JournalWriter) -> Iterator[bytes]:
    chunk = bytearray()
    for line in writer.lines():
        chunk += line.encode() + b"\n"
        if len(chunk) > CHUNK:
            yield bytes(chunk)
            chunk.clear()
    yield bytes(chunk)
