"""EventLog -> the same log without its values or its sources: what a file of it would hold, read again."""

from __future__ import annotations

from tapeviz.events.log import EventLog
from tapeviz.events.store.journal import JournalReader, JournalWriter
from tapeviz.events.store.loaded_log import LoadedLog
from tapeviz.events.store.value_blocks import ValueBlocks


def redacted(log: EventLog, *, values: bool, sources: bool) -> EventLog:
    """A log that keeps less: what is left out of it cannot come to any page by another way.

    Without `values` that are the numbers written in the program and the known parts of messages; without `sources`,
    the names of files, but neither paths nor lines.
    """
    blocks, reader = ValueBlocks(), JournalReader()
    reader.tables.missed = log.begins_late
    for row in JournalWriter(log, blocks, values=values, sources=sources).rows():
        reader.take(row)
    for number, block in enumerate(blocks.blocks):
        reader.fill(number, bytes(block), is_whole=True)
    return LoadedLog(log.framework, reader)
