"""The log of a loop without end -> a log of its last steps: what came before is let go, but for what they rest on.

A step is a tape, with what follows it up to the next one; or, where a tape stays open as PyTorch's does, what leads to
a backward pass. A log that has let go of steps says that it begins late.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tapeviz.events.budget import without_values
from tapeviz.events.defaults import Defaults
from tapeviz.events.log import EventLog
from tapeviz.events.prelude import mentioned
from tapeviz.events.raw import ATTRS, INPUTS, KIND, OUTPUTS, STRIDE, TAPES, VALUES, Mentioned, Missed, Named
from tapeviz.events.ring import Ring
from tapeviz.events.types import (
    BackwardFinished,
    BackwardStarted,
    GradientRead,
    GradientStored,
    LeafCreated,
    OptimizerCreated,
    OptimizerStepped,
    Pruned,
    ReadOut,
    RecordingPaused,
    RecordingResumed,
    StateWritten,
    TapeClosed,
    TapeOpened,
    TapeReset,
    Unwatched,
    Watched,
)

_OF_A_TAPE = frozenset((TapeOpened, RecordingPaused, RecordingResumed, TapeReset, Watched, Unwatched))
_LEAVES = frozenset((Mentioned, LeafCreated))
_OF_A_LEAF = frozenset((StateWritten, Named))
_AFTERWARDS = frozenset((GradientStored, GradientRead, OptimizerStepped, StateWritten, Pruned, ReadOut))


class LastSteps:
    """Keeps a log, from now until `close`, to its last `count` steps.

    Of what is let go, this stays: the tapes that are still open and what they watch; the variables, with what they hold
    by then, and the optimizers; and in a bounded memory, without their values, the ops that led to what is kept.
    """

    def __init__(self, log: EventLog, count: int) -> None:
        self._log = log
        self._count = count
        self._starts: list[int] = []
        self._open: dict[int, None] = {}
        self._tape_of_run: dict[int, int] = {}
        self._between = False
        self._flown = Ring(Defaults.ring)
        self._heard = {
            TapeOpened: self._tape_opened,
            TapeClosed: self._tape_closed,
            BackwardStarted: self._backward_started,
            BackwardFinished: self._backward_finished,
        }
        for kind, hear in self._heard.items():
            log.hear(kind, hear)

    def close(self) -> None:
        """The loop has ended: keep no more than the last steps, and listen no longer."""
        for kind, hear in self._heard.items():
            self._log.unhear(kind, hear)
        self._keep(self._count + self._between)

    # ----- where steps begin -----

    def _tape_opened(self, record: int) -> None:
        tape = self._log.raw[record + INPUTS][0]
        if not self._open:
            self._begin(record, between=False)
        self._open[tape] = None

    def _tape_closed(self, record: int) -> None:
        self._open.pop(self._log.raw[record + INPUTS][0], None)

    def _backward_started(self, record: int) -> None:
        run, tape, _ = self._log.raw[record + INPUTS]
        self._tape_of_run[run] = tape

    def _backward_finished(self, record: int) -> None:
        if list(self._open) == [self._tape_of_run.pop(self._log.raw[record + INPUTS], None)]:
            self._begin(record + STRIDE, between=True)

    def _begin(self, start: int, between: bool) -> None:
        self._between = between
        self._starts.append(start)
        if len(self._starts) > 2 * self._count + 1:  # not at every step: what is kept is gone through each time
            self._keep(self._count + 1)

    # ----- letting go -----

    def _keep(self, steps: int) -> None:
        """Let go of all but the last steps."""
        if len(self._starts) <= steps:
            return
        end = self._after_step(self._starts[-steps])
        carried = self._carried(end)
        self._log.let_go(end, carried, self._flown.tail())
        shift = end - len(carried)
        self._starts = [start - shift for start in self._starts[-steps:]]

    def _after_step(self, start: int) -> int:
        """Where the next step begins: what a backward pass leaves behind, as an optimizer does, belongs to the last."""
        raw = self._log.raw
        while start < len(raw) and raw[start + KIND] in _AFTERWARDS:
            start += STRIDE
        return start

    def _carried(self, end: int) -> list[Any]:
        """The records before `end` that stay; the ops among the others are remembered as flown by."""
        raw = self._log.raw
        needed = mentioned(raw[end:])
        leaves: dict[int, list[Any]] = {}
        tapes: dict[int, _Tape] = {}
        optimizers: list[list[Any]] = []
        for start in range(0, end, STRIDE):
            record = raw[start : start + STRIDE]
            kind = record[KIND]
            if kind in _LEAVES and record[ATTRS][0] == "variable":
                leaves[record[OUTPUTS]] = record
                for tape in record[TAPES]:
                    tapes.setdefault(tape, _Tape()).take(_watched(tape, record[OUTPUTS]))
                record[TAPES] = ()
            elif kind in _OF_A_LEAF and record[OUTPUTS] in leaves:
                _update(leaves[record[OUTPUTS]], record)
            elif kind in _OF_A_TAPE:
                tapes.setdefault(record[INPUTS][0], _Tape()).take(record)
            elif kind is TapeClosed:
                tapes.pop(record[INPUTS][0], None)
            elif kind is OptimizerCreated:
                optimizers.append(record)
            elif type(kind) is str or kind in _LEAVES or kind is ReadOut:
                self._flown.append(*record[:VALUES], without_values(record[VALUES]), *record[VALUES + 1 :])
        needed |= leaves.keys()
        opened = [each for tape in tapes.values() for each in tape.records(needed)]
        missed = [Missed, *[None] * (STRIDE - 1)]
        return [entry for record in (missed, *leaves.values(), *opened, *optimizers) for entry in record]


@dataclass
class _Tape:
    """What an open tape has come to: the records that say so, each of them empty where there is none."""

    opened: list[Any] = field(default_factory=list)
    paused: list[Any] = field(default_factory=list)
    watched: dict[int, list[Any]] = field(default_factory=dict)

    def take(self, record: list[Any]) -> None:
        """Something happened to the tape."""
        kind = record[KIND]
        if kind is TapeOpened:
            self.opened = record
        elif kind is RecordingPaused:
            self.paused = record
        elif kind is RecordingResumed:
            self.paused = []
        elif kind is Watched:
            self.watched.setdefault(record[OUTPUTS], record)
        elif kind is Unwatched:
            self.watched.pop(record[OUTPUTS], None)
        else:  # it was reset
            self.watched = {}

    def records(self, needed: set[int]) -> list[list[Any]]:
        """Those that stay; of what it watches, the tensors that are `needed`."""
        watched = [record for tensor, record in self.watched.items() if tensor in needed]
        return [record for record in (self.opened, *watched, self.paused) if record]


def _watched(tape: int, variable: int) -> list[Any]:
    """What the record of a variable's first use says of a tape that follows it, as a record of its own."""
    return [Watched, (tape,), variable, None, "accessed", (), (), None, None, -1]


def _update(leaf: list[Any], record: list[Any]) -> None:
    """A variable got a value or a name: the record of its making says so instead."""
    if record[KIND] is StateWritten:
        leaf[VALUES] = record[VALUES]
    else:
        leaf[ATTRS] = (*leaf[ATTRS][:2], record[ATTRS])
