"""One log around a whole stretch of program: every tape in it, and every op beside the tapes, of every framework."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from types import TracebackType
from typing import ClassVar, Protocol
from weakref import finalize

from tapeviz.errors import StoppedError
from tapeviz.events.defaults import Defaults
from tapeviz.events.log import EventLog
from tapeviz.events.memory.steps import LastSteps
from tapeviz.events.program.exceptions import add_note, note_error, text_of
from tapeviz.events.program.frames import users_frame
from tapeviz.events.undo import Undo, ended_by
from tapeviz.recorders import alarm
from tapeviz.recorders.alarm import Alarm, OddGradient
from tapeviz.recorders.base import Recorder, RecordOptions
from tapeviz.recorders.bindings import note_variables
from tapeviz.recorders.frameworks import FRAMEWORKS, imported
from tapeviz.recorders.imports import ImportWatch
from tapeviz.recorders.session import recorded
from tapeviz.recorders.warning_places import Warnings
from tapeviz.validation import whole


class HomeRecorder(Recorder, Protocol):
    """The engine's own recorder, which may have opened a log for a tape before."""

    @staticmethod
    def open_log() -> EventLog | None:
        """The log that is being written."""


class FlightRecorder(Protocol):
    """What records while no `record()` is open."""

    def pause(self) -> None:
        """A recording begins: if that is in the thread and task that are recorded here, stop."""

    def resume(self) -> None:
        """A recording has ended: go on, if it was in the way."""


class record:
    """A context manager that records everything in its block into one log.

    It records the engine, and TensorFlow, PyTorch, JAX, HIPS autograd and tinygrad where the program has imported them,
    before or inside the block. The program is not changed: every result is the same, bit for bit. Of JAX it records
    each gradient that is taken, jitted or not; jitted and differentiated functions are called once more for that, to be
    traced.

    Args:
        values: "kept", "norms" or "none", as in `configure`; by default what `configure` says.
        max_bytes: the log's budget for values, in bytes.
        frameworks: record only these, as `["torch"]`; by default all.
        functions: "graph", the default, leaves compiled what the program compiled, by `torch.compile` or `tf.function`:
            the ops inside are computed again on what they were given when the log is first read. "eager" runs each op
            by itself in its place, so that numbers may differ, and then every verb says so first.
        steps: keep only the last so many tapes, or backward passes, of a long loop; by default all.
        stop_on: "nan", "inf", "none" or "spike", or several of them: the first gradient that has such an element, or
            is None, ends the program, with what `tv.diagnose` finds. In PyTorch, where `backward` asks for no tensor by
            name, one is None where the program reads `.grad` and misses it. A spike is a backward pass whose gradients
            have a norm far above all of the last passes at this line, of which there are enough to tell.

    Inside another `record()` or an open tape the block joins that log, and leaves to it what is kept.

    However the block is left, also by Ctrl-C at any moment, the frameworks are as before. What goes wrong in tapeviz
    itself at the end is a warning, or a note on the program's own exception.

    Raises:
        TypeError: `steps` is no whole number.
        RuntimeError: the same object is entered again before it is left.
        ValueError: an unknown `values`, framework, `functions` or `stop_on`, a negative budget, `steps` below 1, or
            a `stop_on` that cannot be seen because no values are kept.
        ImportError: a framework to record is older than any version that was tested.
        StoppedError: from the program's own call of `gradient` or `backward`, or its look at `.grad`, if `stop_on`
            says so.

    >>> import tapeviz as tv
    >>> w = tv.Variable(2.0)
    >>> with tv.record() as log:
    ...     with tv.GradientTape() as tape:
    ...         loss = w * w
    ...     gradient = tape.gradient(loss, w)
    >>> log
    <EventLog of tapeviz: 1 op, 11 events, 6 tensors>
    """

    home: ClassVar[Callable[[], HomeRecorder]]
    """Makes the engine's recorder; set where the engine and the recorders are tied together."""
    flight_recorders: ClassVar[list[FlightRecorder]] = []
    """Those that are on, in any thread: each makes way for a recording that the program asks for."""

    def __init__(
        self,
        *,
        values: str | None = None,
        max_bytes: int | None = None,
        frameworks: str | Iterable[str] | None = None,
        functions: str | None = None,
        steps: int | None = None,
        stop_on: str | Iterable[str] | None = None,
    ) -> None:
        if functions not in (None, "eager", "graph"):
            raise ValueError(f'functions must be "eager" or "graph", got {functions!r}.')
        self._frameworks = [frameworks] if isinstance(frameworks, str) else frameworks and list(frameworks)
        imported(self._frameworks)
        self._values, self._max_bytes = Defaults.checked(values, max_bytes)
        self._steps = None if steps is None else whole(steps, "steps", "a whole number of tapes")
        if self._steps is not None and self._steps < 1:
            raise ValueError(f"steps must be at least 1, got {steps}.")
        self._stop_on = alarm.checked(stop_on)
        if self._values == "none" and alarm.reads_numbers(self._stop_on):
            raise ValueError('stop_on="nan", "inf" and "spike" look at gradients, of which values="none" keeps none.')
        self._options = RecordOptions(functions)
        self._log: EventLog | None = None
        self._undo = Undo()

    def __enter__(self) -> EventLog:
        if self._undo.is_due:
            raise RuntimeError("This record() is open already. Make another one: `with tv.record() as log:`.")
        try:
            self._log = log = self._begin()
            return log
        except BaseException as error:
            self._close(error)
            raise

    @ended_by(lambda self, *_: self._undo.run())
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        log = self._log
        if log is None or not self._undo.is_due:
            return
        if log.end:  # else there is nothing to be named
            self._attempt(partial(note_variables, log, users_frame(1)), error)
        if error is not None:
            self._attempt(partial(note_error, log, error, traceback), error)
        self._close(error)

    def _close(self, error: BaseException | None) -> None:
        self._attempt(self._undo.run, error)

    @staticmethod
    def _attempt(part: Callable[[], object], error: BaseException | None) -> None:
        """A part of the end. If it fails, a note on the program's `error` says so, or a warning if there is none."""
        try:
            part()
        except Exception as failure:
            said = f"tapeviz could not end a recording as it should: {type(failure).__name__}: {text_of(failure)}"
            if error is None:
                warnings.warn(said, RuntimeWarning, stacklevel=4)
            else:
                add_note(error, said)

    @staticmethod
    def is_open(log: EventLog) -> bool:
        """Whether what happens here and now, in this thread or task, is recorded into a log."""
        return recorded.get() is log

    def _begin(self) -> EventLog:
        """The log to record into, once all that is needed for that has been done, the engine's recorder first."""
        undo = self._undo
        # Nothing refers to a recording that Ctrl-C kept from reaching its block: it is closed when it is deleted.
        undo.add(finalize(self, undo.run).detach)
        log = self._open()
        if self._stop_on:
            listening = Alarm(log, self._stop_on, _stop)
            undo.add(listening.close)
            listening.open()
        return log

    def _open(self) -> EventLog:
        """The log that is open here, or a new one."""
        for each in record.flight_recorders:
            self._undo.add(each.resume)
            each.pause()
        outer = recorded.get()
        if outer is not None and not outer.closed:
            return outer
        home = record.home()
        log = home.open_log()
        if log is None:
            log = self._make_log()
            _start(home, log, self._undo)
            self._trim(log)
        self._join(log)
        return log

    def _make_log(self) -> EventLog:
        return EventLog(values=self._values, max_bytes=self._max_bytes, held=True)

    def _trim(self, log: EventLog) -> None:
        """Let a log keep of its past what was asked for."""
        if self._steps is None:
            log.pack_as_it_grows()
        else:
            trimming = LastSteps(log, self._steps)
            self._undo.add(trimming.close)
            trimming.open()

    def _join(self, log: EventLog) -> None:
        """What the frameworks do here goes into a log."""
        self._undo.add(partial(_left, log))
        recorded.set(log)
        _start_frameworks(log, self._undo, self._options, self._frameworks)


def _stop(odd: OddGradient) -> None:
    """End the program, if it is sure that something is wrong.

    Raises:
        StoppedError: it is.
    """
    said = odd.explained() or odd.plainly()
    if said:
        raise StoppedError(said)


def _left(log: EventLog) -> None:
    if recorded.get() is log:
        recorded.set(None)


def _start_frameworks(log: EventLog, undo: Undo, options: RecordOptions, wanted: Iterable[str] | None) -> None:
    """Record the frameworks that are imported now, and any other as soon as it is."""
    for framework in imported(wanted):
        _start(framework.open(options), log, undo)
    shown = Warnings()
    undo.add(shown.close)
    shown.open()

    def start(name: str) -> None:
        part = Undo()
        undo.add(part.run)
        try:
            _start(FRAMEWORKS[name].open(options), log, part)
        except Exception as error:  # the program imports a framework, and is not to fail for what watches it
            part.run()
            warnings.warn(f"tapeviz cannot record {name}: {error}", stacklevel=2)

    names = FRAMEWORKS if wanted is None else wanted
    watch = ImportWatch({name for name in names if name not in sys.modules}, start)
    undo.add(watch.close)
    watch.open()


def _start(recorder: Recorder, log: EventLog, undo: Undo) -> None:
    undo.add(recorder.stop)
    recorder.start(log)
