"""One tape of a longer recording -> a log of its own: what it saw, its backward passes, and where those came from."""

from __future__ import annotations

from typing import Any

from tapeviz.events.log import EventLog
from tapeviz.events.prelude import mentioned, relevant
from tapeviz.events.raw import INPUTS, KIND, STRIDE, PulledBack
from tapeviz.events.types import (
    BackwardFinished,
    BackwardStarted,
    CotangentAccumulated,
    ErrorRaised,
    Pruned,
    TapeClosed,
    TapeOpened,
    VjpApplied,
)


class Window(EventLog):
    """The part of `log` about the tape with the raw id `tape`; it grows with the log."""

    def __init__(self, log: EventLog, tape: int) -> None:
        super().__init__(framework=log.framework, max_bytes=log.max_bytes)
        self.resolvers, self.evaluator = log.resolvers, log.evaluator
        self.raw, self.packed, self.lines, self._bindings = log.raw, log.packed, log.lines, log._bindings
        self._whole = log
        self.tape = tape

    def _with_origins(self) -> list[Any]:
        records = self._whole._with_origins()
        own = _own(records, self.tape)
        wanted = mentioned([entry for start in own for entry in records[start : start + STRIDE]])
        return relevant(records, wanted, frozenset(own))


def _own(records: list[Any], tape: int) -> list[int]:
    """Where the records start that belong to a tape: all between its opening and closing, and its own ones later."""
    own: list[int] = []
    runs: set[int] = set()
    inside = False
    for start in range(0, len(records), STRIDE):
        kind, inputs = records[start + KIND], records[start + INPUTS]
        mine = False
        if kind in (TapeOpened, TapeClosed, Pruned, ErrorRaised):
            mine = inputs is not None and inputs[0] == tape
            inside = (inside or (mine and kind is TapeOpened)) and not (mine and kind is TapeClosed)
        elif kind is BackwardStarted:
            mine = inputs[1] == tape
            runs.update({inputs[0]} if mine else ())
        elif kind in (PulledBack, VjpApplied, CotangentAccumulated, BackwardFinished):
            mine = inputs in runs
        if inside or mine:
            own.append(start)
    return own
