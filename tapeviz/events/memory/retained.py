"""Raw records that a log drops -> what it keeps of them: variables, open tapes, optimizers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tapeviz.events.raw import ATTRS, INPUTS, KIND, OUTPUTS, STRIDE, TAPES, VALUES, Mentioned, Missed, Named
from tapeviz.events.types import (
    LeafCreated,
    OptimizerCreated,
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


class RetainedRecords:
    """What is kept of records that are taken one after the other."""

    def __init__(self) -> None:
        self._variables: dict[int, list[Any]] = {}
        self._tapes: dict[int, _Tape] = {}
        self._optimizers: list[list[Any]] = []

    def take(self, record: list[Any]) -> bool:
        """Take one record; whether it is kept, or changed what is kept of others."""
        kind = record[KIND]
        if kind in _LEAVES and record[ATTRS][0] == "variable":
            self._take_variable(record)
        elif kind in _OF_A_LEAF and record[OUTPUTS] in self._variables:
            _update(self._variables[record[OUTPUTS]], record)
        elif kind in _OF_A_TAPE:
            self._tape(record[INPUTS][0]).take(record)
        elif kind is TapeClosed:
            self._tapes.pop(record[INPUTS][0], None)
        elif kind is OptimizerCreated:
            self._optimizers.append(record)
        else:
            return False
        return True

    def variables(self) -> list[Any]:
        """The variables, flat: they come before all that read them, what is remembered of earlier ops as well."""
        missed = [Missed, *[None] * (STRIDE - 1)]
        return [entry for each in (missed, *self._variables.values()) for entry in each]

    def others(self, needed: set[int]) -> list[Any]:
        """What else stays, flat; of what a tape watches, the variables and what else is `needed`."""
        needed = needed | self._variables.keys()
        opened = [each for tape in self._tapes.values() for each in tape.records(needed)]
        return [entry for each in (*opened, *self._optimizers) for entry in each]

    def _take_variable(self, record: list[Any]) -> None:
        self._variables[record[OUTPUTS]] = record
        for tape in record[TAPES]:
            self._tape(tape).take(_watched(tape, record[OUTPUTS]))
        record[TAPES] = ()

    def _tape(self, tape: int) -> _Tape:
        return self._tapes.setdefault(tape, _Tape())


def is_memorable(kind: Any) -> bool:
    """Whether a dropped record is worth a place in the flight recorder: an op, a leaf, a read-out."""
    return type(kind) is str or kind in _LEAVES or kind is ReadOut


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
