"""The log of a loop without end -> a log of its last steps, and of what those depend on.

A step is a tape, with what follows it up to the next one; or, where a tape stays open as PyTorch's does, what leads to
a backward pass. A log that has let go of steps says that it begins late.
"""

from __future__ import annotations

from tapeviz.events.defaults import Defaults
from tapeviz.events.log import EventLog
from tapeviz.events.memory.budget import without_values
from tapeviz.events.memory.retained import RetainedRecords, is_memorable
from tapeviz.events.memory.ring import Ring
from tapeviz.events.prelude import mentioned
from tapeviz.events.raw import INPUTS, KIND, STRIDE, VALUES
from tapeviz.events.types import (
    BackwardFinished,
    BackwardStarted,
    GradientRead,
    GradientStored,
    OptimizerStepped,
    ParameterUpdated,
    Pruned,
    ReadOut,
    StateWritten,
    TapeClosed,
    TapeOpened,
)

_OF_OPTIMIZERS = (OptimizerStepped, ParameterUpdated)
_AFTERWARDS = frozenset((GradientStored, GradientRead, *_OF_OPTIMIZERS, StateWritten, Pruned, ReadOut))


class LastSteps:
    """Trims a log to its last `count` steps, from `open` until `close`.

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
        self._subscriptions = {
            TapeOpened: self._tape_opened,
            TapeClosed: self._tape_closed,
            BackwardStarted: self._backward_started,
            BackwardFinished: self._backward_finished,
        }

    def open(self) -> None:
        """Begin to listen."""
        for kind, listener in self._subscriptions.items():
            self._log.subscribe(kind, listener)

    def close(self) -> None:
        """The loop has ended: keep no more than the last steps, and listen no longer."""
        for kind, listener in self._subscriptions.items():
            self._log.unsubscribe(kind, listener)
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
        run, tape, *_ = self._log.raw[record + INPUTS]
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
        retained = self._retained(end)
        lasting = not self._log.facts.differentiates_arguments  # else each step has variables of its own
        variables, others = retained.variables() if lasting else [], retained.others(mentioned(self._log.raw[end:]))
        shift = end - len(variables) - len(others)
        self._starts = [start - shift for start in self._starts[-steps:]]  # first: nothing is to be let go of twice
        self._log.let_go(end, variables, self._flown.tail(), others)

    def _after_step(self, start: int) -> int:
        """Where the next step begins: what a backward pass leaves behind, as an optimizer does, belongs to the last."""
        raw = self._log.raw
        while start < len(raw) and raw[start + KIND] in _AFTERWARDS:
            start += STRIDE
        return start

    def _retained(self, end: int) -> RetainedRecords:
        """What stays of the records before `end`; the ops among the others are remembered as flown by."""
        raw, retained = self._log.raw, RetainedRecords()
        for start in range(0, end, STRIDE):
            record = raw[start : start + STRIDE]
            if not retained.take(record) and is_memorable(record[KIND]):
                self._flown.append(*record[:VALUES], without_values(record[VALUES]), *record[VALUES + 1 :])
        return retained
