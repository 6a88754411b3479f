"""Recordings begin and end -> logs, tied to the engine: they find its tensors and can run its ops again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.recording import (
    Recording,
    Trace,
    Unfollowed,
    current,
    flight,
    flown,
)
from tapeviz.engine.table import OPS
from tapeviz.engine.tensor import TensorLike
from tapeviz.errors import LogError
from tapeviz.events.defaults import Defaults
from tapeviz.events.log import EventLog


def new_log() -> EventLog:
    """A log that keeps what `configure` says."""
    return EventLog(values=Defaults.values, max_bytes=Defaults.max_bytes)


def recording_into(log: EventLog, traces: tuple[Trace, ...] = ()) -> Recording:
    """A recording that begins in a log, which remembers what was flying by."""
    log.precede(flown.tail())
    log.resolvers += (id_of,)
    log.evaluator = evaluate
    return Recording(log, traces, Unfollowed())


def reopen(log: EventLog, traces: tuple[Trace, ...]) -> Recording:
    """The recording of a log that was closed; what flew by meanwhile may have led to what comes now."""
    if log.mark is not None:
        log.precede(flown.since(log.mark))
    log.closed = False
    return Recording(log, traces, Unfollowed())


def id_of(obj: Any) -> int | None:
    """The raw id of a tensor or variable of the engine, None for anything else."""
    return obj._id if isinstance(obj, TensorLike) else None


def evaluate(op: str, inputs: Sequence[Any], attributes: dict[str, Any]) -> Any:
    """An op's primal on arrays.

    Raises:
        LogError: the op is a user's function with a custom gradient, which only the program itself can run.
    """
    if op not in OPS:
        raise LogError(f"{op} is no op of the engine's table: only the program itself can run it again.")
    return OPS[op].primal(*inputs, **attributes)


def leave(trace: Trace) -> None:
    """Go on without one tape."""
    now = current.get()
    _go_on(now, tuple([each for each in now.traces if each is not trace]), now.accumulators)


def leave_forward(accumulator: Any) -> None:
    """Go on without one forward accumulator."""
    now = current.get()
    _go_on(now, now.traces, tuple([each for each in now.accumulators if each is not accumulator]))


class EngineRecorder:
    """How `record()` records the engine: by making its log the current one."""

    @staticmethod
    def open_log() -> EventLog | None:
        """The log that is being written, which `record()` joins."""
        return current.get().log

    def start(self, log: EventLog) -> None:
        """From here on every op goes into the log."""
        current.set(current.get().then(recording_into(log)))

    def stop(self) -> None:
        """The log is open only as long as a tape in it is."""
        now = current.get()
        if now.log is not None:
            now.log.held = False
            _go_on(now, now.traces, now.accumulators)
            now.log.held = True


def _go_on(now: Recording, traces: tuple[Trace, ...], accumulators: tuple[Any, ...]) -> None:
    """Go on recording for these tapes and accumulators; a log that nothing keeps open any more is closed."""
    log = now.log
    if log is None or traces or accumulators or log.held:
        current.set(now.then(Recording(log, traces, now.unfollowed, accumulators)))
        return
    log.close()
    log.mark = flown.mark()
    current.set(now.then(flight))
