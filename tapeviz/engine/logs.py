"""Recordings begin and end -> logs, which can find the engine's tensors and run its ops again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tapeviz.engine.recording import Recording, Trace, Unfollowed, current, flight, flown
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.errors import LogError
from tapeviz.events.defaults import Defaults
from tapeviz.events.log import EventLog
from tapeviz.events.program.inspection import is_a


def recording_into(log: EventLog | None = None, traces: tuple[Trace, ...] = ()) -> Recording:
    """A recording into a log, by default a new one; what the flight recorder holds is put in front of it."""
    if log is None:
        log = EventLog(values=Defaults.values, max_bytes=Defaults.max_bytes)
    log.precede(flown.tail())
    log.resolvers += (id_of,)
    log.evaluator = evaluate
    return Recording(log, traces, Unfollowed())


def enter(trace: Trace, log: EventLog | None) -> EventLog:
    """Add a tape to the recording. Returns its log: the one that is open, else that of the tape, or a new one."""
    now = current.get()
    if now.log is not None:
        current.set(now.with_traces((*now.traces, trace)))
        return now.log
    following = recording_into(None, (trace,)) if log is None else _reopened(log, (trace,))
    current.set(now.then(following))
    assert following.log is not None
    return following.log


def _reopened(log: EventLog, traces: tuple[Trace, ...]) -> Recording:
    """A recording into a log that was closed, to which the ops that ran in between are added first."""
    if log.mark is not None:
        log.precede(flown.since(log.mark))
    log.closed = False
    return Recording(log, traces, Unfollowed())


def id_of(obj: Any) -> int | None:
    """The raw id of a tensor or variable of the engine, None for anything else."""
    return obj._id if is_a(obj, TensorLike) else None


def evaluate(op: str, inputs: Sequence[Any], attributes: dict[str, Any]) -> Any:
    """An op's primal on arrays.

    Raises:
        LogError: the op is a user's function with a custom gradient, which only the program itself can run.
    """
    from tapeviz.engine.ops import OPS  # which a program of another framework has not needed until here

    if op not in OPS:
        raise LogError(f"{op} is a function of the user's: only the program itself can run it again.")
    return OPS[op].primal(*inputs, **attributes)


def leave(one: object) -> None:
    """Remove a tape or a forward accumulator from the recording, and close the log if nothing keeps it open."""
    now = current.get()
    log = now.log
    traces = () if now.trace is one else tuple([each for each in now.traces if each is not one])
    accumulators = now.accumulators and tuple([each for each in now.accumulators if each is not one])
    if traces or accumulators or (log is not None and log.held and not log.closed):
        current.set(now.then(Recording(log, traces, now.unfollowed, accumulators)))
        return
    current.set(now.then(flight))
    if log is not None:
        _close(log)


def _close(log: EventLog) -> None:
    log.close()
    log.mark = flown.mark()


@contextmanager
def kept_open(log: EventLog | None) -> Iterator[None]:
    """A block in which the log stays open even if the last tape ends."""
    if log is None:
        yield
        return
    held, log.held = log.held, True
    try:
        yield
    finally:
        log.held = held


@contextmanager
def not_recorded() -> Iterator[None]:
    """A block in which no tape records; variables that it reads are still noticed (by a `Noticing`).

    Tapes that are used up in the block do not record after it; if none is left, the log is closed.
    """
    now = current.get()
    current.set(now.with_traces(()))
    try:
        with kept_open(now.log):
            yield
    finally:
        left = tuple([each for each in now.traces if each.alive])
        current.set(now if len(left) == len(now.traces) else now.with_traces(left))
        if now.traces and not left:
            leave(None)


class EngineRecorder:
    """The part of `record()` that is about the engine: it makes its log the current one."""

    _log: EventLog | None = None

    @staticmethod
    def open_log() -> EventLog | None:
        """The log that is being written, which `record()` joins."""
        log = current.get().log
        return None if log is None or (log.held and log.closed) else log

    def start(self, log: EventLog) -> None:
        """From here on every op goes into the log."""
        self._log = log
        current.set(current.get().then(recording_into(log)))

    def stop(self) -> None:
        """Close the log. A tape that is still open goes on recording into it, for the gradients that it has to give."""
        now, log = current.get(), self._log
        if log is not None:
            if now.log is log and not now.traces and not now.accumulators:
                current.set(now.then(flight))
            _close(log)
