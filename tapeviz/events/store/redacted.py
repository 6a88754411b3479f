"""EventLog -> the same log without its values or its sources: what a file of it would hold, read again."""

from __future__ import annotations

from tapeviz.events.log import EventLog
from tapeviz.events.store.journal import Telling, Writing
from tapeviz.events.store.load import LoadedLog
from tapeviz.events.store.shelf import Shelf


def redacted(log: EventLog, *, values: bool, sources: bool) -> EventLog:
    """A log that keeps less: what is left out of it cannot come to any page by another way.

    Without `values` that are the numbers written in the program and the known parts of messages; without `sources`,
    the names of files, but neither paths nor lines.
    """
    shelf, telling = Shelf(), Telling()
    telling.tables.missed = log.begins_late
    for row in Writing(log, shelf, values=values, sources=sources).rows():
        telling.take(row)
    for number, block in enumerate(shelf.blocks):
        telling.fill(number, bytes(block), is_whole=True)
    return LoadedLog(log.framework, telling, damage="")
