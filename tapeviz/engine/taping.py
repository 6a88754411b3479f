"""The recording half of a tape: it is entered, paused, reset, left and told what to watch, and logs each of these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType, TracebackType
from typing import Any, Self

from tapeviz.engine import nest
from tapeviz.engine.logs import enter, kept_open, leave
from tapeviz.engine.notes import watch
from tapeviz.engine.recording import Trace, current, mention
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.events.log import EventLog, Showable
from tapeviz.events.program.exceptions import note_error
from tapeviz.events.program.frames import users_frame
from tapeviz.events.raw import next_id
from tapeviz.events.types import (
    Pruned,
    RecordingPaused,
    RecordingResumed,
    TapeClosed,
    TapeOpened,
    TapeReset,
)
from tapeviz.events.undo import ended_by
from tapeviz.events.window import Window


class Taping(Showable):
    """The base of `GradientTape` that records."""

    _persistent: bool
    _watch_accessed: bool
    _id: int = 0
    _trace: Trace | None = None
    _log: EventLog | None = None
    _window: Window | None = None
    _recording: bool = False
    _watched: Mapping[int, TensorLike] = MappingProxyType({})
    """The tensors it watched when it was used up, by id."""

    # ----- entering and leaving -----

    def __enter__(self) -> Self:
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        trace, log = self._trace, self._log
        if trace is None:
            self._id = self._id or next_id()
            self._trace = trace = Trace(self._id, self._watch_accessed)
            log = None
        try:
            self._log = log = enter(trace, log)
            self._recording = True
            _log_act(log, TapeOpened, (trace.id, self._persistent, self._watch_accessed))
            return self
        except BaseException:
            leave(trace)
            self._recording = False
            raise

    @ended_by(lambda self, *_: self._stop())
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            note_error(current.get().log or self._log, error, traceback, self._id)

    def _stop(self) -> None:
        """Record no longer, if the tape does."""
        trace, log = self._trace, self._log
        if self._recording and trace is not None and log is not None:
            leave(trace)
            self._recording = False
            log.append(TapeClosed, (trace.id,))

    def _active(self) -> tuple[Trace, EventLog]:
        if self._trace is None or self._log is None or not self._recording:
            raise ValueError(
                "The tape is not recording, so there is nothing to reset or stop: that goes inside its `with` block."
            )
        return self._trace, self._log

    def reset(self) -> None:
        """Forget what was recorded, and go on recording.

        Raises:
            ValueError: outside of the tape's `with` block.
        """
        trace, log = self._active()
        self._release()
        fresh = Trace(trace.id, self._watch_accessed)
        self._trace, self._watched = fresh, {}
        now = current.get()
        current.set(now.with_traces(tuple(fresh if each is trace else each for each in now.traces)))
        _log_act(log, TapeReset, (trace.id,))

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """A block in which the tape does not record.

        Raises:
            RuntimeError: the tape was never entered.
            ValueError: the tape is not recording.
        """
        if self._trace is None:
            raise RuntimeError(
                "The tape is not recording, so stop_recording has nothing to stop: it goes inside its `with` block."
            )
        trace, log = self._active()
        _log_act(log, RecordingPaused, (trace.id,))
        self._recording = False
        now = current.get()
        current.set(now.with_traces(tuple(each for each in now.traces if each is not trace)))
        try:
            with kept_open(log):
                yield
        finally:
            if self._trace is trace:
                now = current.get()
                current.set(now.with_traces((*now.traces, trace)))
                self._recording = True
                log.append(RecordingResumed, (trace.id,))
            else:  # used up meanwhile
                self.__enter__()

    # ----- watching -----

    def watch(self, tensor: object) -> None:
        """Watch a tensor, a variable, `IndexedSlices`, or each of these in a structure.

        It has no effect while no tape records.

        Raises:
            ValueError: the argument is something else.
            AttributeError: the tape was never entered, or was used up.
        """
        for each in nest.flatten(tensor, expand_composites=True):
            if not isinstance(each, TensorLike) or not each._native:
                raise ValueError(
                    f"Passed in object {each} of type {type(each).__name__!r}, not tf.Tensor or tf.Variable or "
                    "ExtensionType. Make it a tensor first: x = tf.constant(...), then tape.watch(x)."
                )
            if self._trace is None or self._log is None:
                raise AttributeError(  # TensorFlow's class for this
                    "'NoneType' object has no attribute '_tape': the tape is not recording; call tape.watch inside the "
                    "tape's `with` block."
                )
            if current.get().traces:  # otherwise TensorFlow ignores it, too
                self._watch(each, self._trace, self._log)

    def _watch(self, tensor: TensorLike, trace: Trace, log: EventLog) -> None:
        if tensor._id not in log.met:
            mention(log, tensor)
        watch(log, trace, tensor)
        if tensor._value.dtype.kind == "f":
            tensor._traces = (*(each for each in tensor._traces if each.alive and each is not trace), trace)
        else:
            tensor._traces = ()  # for the next op to find out: integers are not followed, complex numbers specially

    def watched_variables(self) -> tuple[MutableTensor, ...]:
        """The variables that the tape watches, in the order of their creation."""
        watched = self._watched if self._trace is None else self._trace.watched
        variables = sorted([each for each in watched.values() if isinstance(each, MutableTensor)], key=lambda v: v._id)
        return tuple([each._watched for each in variables])

    # ----- afterwards -----

    def _release(self) -> None:
        """Free what was recorded: the tape is used up, or garbage."""
        trace, log = self._trace, self._log
        if trace is not None and log is not None:
            self._watched, self._trace = trace.watched, None
            log.append(Pruned, (trace.id,))
            trace.release()

    __del__ = _release

    @property
    def log(self) -> EventLog:
        """The log of this tape: its own, or its part of the log that `record()` opened.

        Raises:
            RuntimeError: the tape was never entered.
        """
        if self._log is None:
            raise RuntimeError("This tape has no log yet: nothing was recorded. Enter it first: `with tape: ...`.")
        if self._log.held and self._window is None:
            self._window = Window(self._log, self._id)
        return self._window or self._log


def _log_act(log: EventLog, kind: type, about: tuple[Any, ...]) -> None:
    """Log an event of a tape, at the user's line."""
    frame = users_frame(2)
    log.append(kind, about, None, None, None, frame.f_code, frame.f_lasti)
