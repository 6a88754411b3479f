"""Raw records -> typed events and the tables beside them: each record is read by the reader of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeviz.events.raw import KIND, STRIDE
from tapeviz.events.readers.backward import BackwardReader
from tapeviz.events.readers.base import GrowingTables
from tapeviz.events.readers.program import ProgramReader
from tapeviz.events.readers.tables import Tables
from tapeviz.events.readers.tape import TapeReader


def fold(records: list[Any], lines: Mapping[str, list[str]], bindings: Mapping[int, str]) -> Tables:
    """The typed reading of one stretch of raw records.

    Args:
        lines: the source of files, as far as it was kept; of others it is read now.
        bindings: names that the program's variables give to tensors, by their raw ids.
    """
    tables = GrowingTables(lines)
    tapes = TapeReader(tables)
    program = ProgramReader(tables, tapes)
    readers = {**program.readers(), **tapes.readers(), **BackwardReader(tables).readers()}
    for start in range(0, len(records), STRIDE):
        record = records[start : start + STRIDE]
        kind = record[KIND]
        if type(kind) is str:
            program.op(record)
        else:
            readers[kind](record)
    program.call(bindings)
    return tables
