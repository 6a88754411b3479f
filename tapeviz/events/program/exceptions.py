"""An exception -> its record in a log, once, at the user's line nearest to where it was raised, and a note on it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from types import CodeType, TracebackType
from weakref import ref

from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import asking_frame, is_library
from tapeviz.events.program.inspection import attributes
from tapeviz.events.refusals import parts_of
from tapeviz.events.types import ErrorRaised
from tapeviz.phrases import encodable

LOGGED = "_tapeviz_log"
"""The attribute of an exception that says in which log it is: on its way out it comes past a tape and a `record()`."""


class InLog(ref[EventLog]):
    """The log that an exception is in. Where that is sent to another process, or copied, it is in none."""

    def __reduce__(self) -> tuple[type, tuple[None]]:
        return type, (None,)  # the class of None: a call of it is None, and nobody needs to know ours


def text_of(error: BaseException) -> str:
    """What an exception says; of one whose own code fails at that, what Python's tracebacks write there."""
    try:
        return str(error)
    except Exception:
        return "<exception str() failed>"


def note_error(
    log: EventLog | None,
    error: BaseException,
    traceback: TracebackType | None = None,
    tape: int = 0,
    written: Callable[[CodeType, int], tuple[CodeType, int]] = lambda code, lasti: (code, lasti),
) -> None:
    """Log an exception, unless it was logged already or no log is open; `tape` is the tape it came through.

    Where code was written again by a library, `written` has the place in the program that a place in it stands for.
    """
    told = attributes(error)
    if log is None or told.get(LOGGED, lambda: None)() is log:
        return
    told[LOGGED] = InLog(log)
    code, lasti = None, -1
    at = traceback if traceback is not None else error.__traceback__
    while at is not None:
        if not is_library(at.tb_frame.f_code.co_filename):
            code, lasti = at.tb_frame.f_code, at.tb_lasti
        at = at.tb_next
    if code is None:
        frame = asking_frame(1)
        code, lasti = frame.f_code, frame.f_lasti
    code, lasti = written(code, lasti)
    said = encodable(text_of(error))
    raised = encodable(type(error).__name__), said if log.keeps_values else parts_of(said)
    log.append(ErrorRaised, (tape,) if tape else None, None, None, raised, code, lasti)
    _explain(log, error)


def _explain(log: EventLog, error: BaseException) -> None:
    """Say under the traceback what the log knows; a failure to explain must not stand in for the user's error."""
    if EventLog.error_hook is None:
        return
    try:
        said = EventLog.error_hook(log, error)
    except Exception as failure:
        said = f"tapeviz could not explain this error: {type(failure).__name__}: {text_of(failure)}"
    if said is not None:
        add_note(error, said)


def add_note(error: BaseException, note: str) -> None:
    """Say something under an exception's traceback, if its class does not refuse that."""
    with suppress(Exception):
        BaseException.add_note(error, note)
