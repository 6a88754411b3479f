"""Raw records -> typed events and the tables beside them: each record is read by the reader of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeviz.events.raw import INPUTS, KIND, STRIDE, Missed
from tapeviz.events.readers.backward import BackwardReader
from tapeviz.events.readers.base import GrowingTables
from tapeviz.events.readers.program import ProgramReader
from tapeviz.events.readers.tables import Tables
from tapeviz.events.readers.tape import TapeReader
from tapeviz.events.types import TapeOpened


def fold(records: list[Any], lines: Mapping[str, list[str]], bindings: Mapping[int, str]) -> Tables:
    """The typed reading of one stretch of raw records.

    Args:
        lines: the source of files, as far as it was kept; of others it is read now.
        bindings: names that the program's variables give to tensors, by their raw ids.
    """
    tables = GrowingTables(lines)
    tapes = TapeReader(tables, _opened(records) if Missed in records[::STRIDE] else ())
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


def _opened(records: list[Any]) -> list[int]:
    """The raw ids of the tapes that were opened."""
    return [records[at + INPUTS][0] for at in range(0, len(records), STRIDE) if records[at] is TapeOpened]
