"""One log around a whole stretch of program: every tape in it, and every op beside the tapes, of every framework."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from contextvars import ContextVar
from types import TracebackType
from typing import ClassVar, Protocol

from tapeviz.events.defaults import Defaults
from tapeviz.events.log import EventLog
from tapeviz.events.memory.steps import LastSteps
from tapeviz.events.program.exceptions import note_error
from tapeviz.events.program.frames import users_frame
from tapeviz.recorders import stop
from tapeviz.recorders.base import Recorder, RecordOptions
from tapeviz.recorders.bindings import note_variables
from tapeviz.recorders.frameworks import FRAMEWORKS, imported
from tapeviz.recorders.imports import ImportWatch
from tapeviz.recorders.warning_places import Warnings
from tapeviz.validation import whole

_open: ContextVar[EventLog | None] = ContextVar("tapeviz.record", default=None)
"""The log of the outermost `record()` that is open."""


class HomeRecorder(Recorder, Protocol):
    """The engine's own recorder, which may have opened a log for a tape before."""

    @staticmethod
    def open_log() -> EventLog | None:
        """The log that is being written."""


class record:
    """A context manager that records everything in its block into one log.

    It records the engine, and TensorFlow and PyTorch where the program has imported them, before or inside the block.
    The program is not changed: every result is the same, bit for bit. What JAX does is not seen here: `record_jax`
    records a function of JAX.

    Args:
        values: "kept" or "none", as in `configure`; by default what `configure` says.
        max_bytes: the log's budget for values, in bytes.
        frameworks: record only these, as `["torch"]`; by default all.
        functions: "eager" opens what the program compiled, as `tf.function`, so that its ops are seen; "graph" leaves
            it compiled, as one op.
        steps: keep only the last so many tapes, or backward passes, of a long loop; by default all.
        stop_on: "nan", "inf" or "none", or several of them: the first gradient that has such an element, or is None,
            ends the program, with what `tv.diagnose` finds. In PyTorch, where `backward` asks for no tensor by name,
            one is None where the program reads `.grad` and misses it.

    Inside another `record()` or an open tape the block joins that log, and leaves to it what is kept.

    Raises:
        TypeError: `steps` is no whole number.
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

    def __init__(
        self,
        *,
        values: str | None = None,
        max_bytes: int | None = None,
        frameworks: str | Iterable[str] | None = None,
        functions: str = "eager",
        steps: int | None = None,
        stop_on: str | Iterable[str] | None = None,
    ) -> None:
        if functions not in ("eager", "graph"):
            raise ValueError(f'functions must be "eager" or "graph", got {functions!r}.')
        self._frameworks = [frameworks] if isinstance(frameworks, str) else frameworks and list(frameworks)
        imported(self._frameworks)
        self._values, self._max_bytes = Defaults.checked(values, max_bytes)
        self._steps = None if steps is None else whole(steps, "steps", "a whole number of tapes")
        if self._steps is not None and self._steps < 1:
            raise ValueError(f"steps must be at least 1, got {steps}.")
        self._stop_on = stop.checked(stop_on)
        if self._values == "none" and stop.reads_numbers(self._stop_on):
            raise ValueError('stop_on="nan" and "inf" look at gradients, of which values="none" keeps none.')
        self._options = RecordOptions(functions)
        self._log: EventLog | None = None
        self._hooks = ExitStack()

    def __enter__(self) -> EventLog:
        with ExitStack() as hooks:
            self._log = self._begin(hooks)
            if self._stop_on:
                hooks.callback(stop.StopOn(self._log, self._stop_on).close)
            self._hooks = hooks.pop_all()
        return self._log

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._log is not None:
            note_variables(self._log, users_frame(1))
        if error is not None:
            note_error(self._log, error, traceback)
        self._hooks.close()

    @staticmethod
    def is_open(log: EventLog) -> bool:
        """Whether what happens here and now, in this thread or task, is recorded into a log."""
        return _open.get() is log

    def _begin(self, hooks: ExitStack) -> EventLog:
        """The log to record into; what must be undone at the end goes into `hooks`, the engine's recorder first."""
        outer = _open.get()
        if outer is not None:
            return outer
        home = record.home()
        log = home.open_log()
        if log is None:
            log = EventLog(values=self._values, max_bytes=self._max_bytes, held=True)
            _start(home, log, hooks)
            if self._steps is None:
                log.settle_as_it_grows()
            else:
                hooks.callback(LastSteps(log, self._steps).close)
        _open.set(log)
        hooks.callback(_open.set, None)
        self._start_frameworks(log, hooks)
        return log

    def _start_frameworks(self, log: EventLog, hooks: ExitStack) -> None:
        """Record the frameworks that are imported now, and any other as soon as it is."""
        for framework in imported(self._frameworks):
            _start(framework.open(self._options), log, hooks)
        hooks.callback(Warnings().close)
        names = FRAMEWORKS if self._frameworks is None else self._frameworks
        later = hooks.enter_context(ExitStack())

        def start(name: str) -> None:
            try:
                _start(FRAMEWORKS[name].open(self._options), log, later)
            except Exception as error:  # the program imports a framework, and is not to fail for what watches it
                warnings.warn(f"tapeviz cannot record {name}: {error}", stacklevel=2)

        hooks.callback(ImportWatch({name for name in names if name not in sys.modules}, start).close)


def _start(recorder: Recorder, log: EventLog, hooks: ExitStack) -> None:
    """Start a recorder; if it fails half-way, it is stopped."""
    hooks.callback(recorder.stop)
    recorder.start(log)
