"""One recording of a framework that runs: the log, the thread that is recorded, and the user's place in the program."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from threading import get_ident
from types import CodeType, FrameType, TracebackType
from typing import Any

from tapeviz.errors import StoppedError
from tapeviz.events.log import EventLog
from tapeviz.events.program.exceptions import note_error
from tapeviz.events.program.frames import asking_frame, enter_frame
from tapeviz.events.raw import ScopeNode
from tapeviz.recorders.hooks import When

recorded: ContextVar[EventLog | None] = ContextVar("tapeviz.record", default=None)
"""The log of the outermost `record()` that is open: in its thread, its task, and the tasks that are begun in its block.
"""


@contextmanager
def unheard() -> Iterator[None]:
    """A block in which a recorder runs some of the program again, so that no other one takes it for the program's."""
    before = recorded.set(None)
    try:
        yield
    finally:
        recorded.reset(before)


class Session:
    """The state that all parts of a recorder share. `framework` is how messages call what it records."""

    framework = ""

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self.thread = get_ident()

    @property
    def is_here(self) -> bool:
        """Whether this is the thread that is recorded, and one of the tasks."""
        return recorded.get() is self.log and get_ident() == self.thread

    @property
    def here(self) -> When:
        """Makes rows whose actions run only while `is_here`."""
        return When(lambda: self.is_here)

    def enter(self, depth: int = 0) -> FrameType:
        """The nearest frame outside of all libraries, `depth` calls up or more. What is logged next is in its scope."""
        frame = asking_frame(depth + 1)
        if frame is not self.log.frame:
            enter_frame(self.log, frame)
        return frame

    def place(self, depth: int = 0) -> tuple[CodeType, int, ScopeNode | None]:
        """The place in the user's program, in the form of a record: the code, the instruction in it, the scope."""
        frame = self.enter(depth + 1)
        return frame.f_code, frame.f_lasti, self.log.scope

    def note(self, kind: Any, inputs: Any = None, outputs: Any = None, values: Any = None, attrs: Any = None) -> None:
        """Append a record that is no op, at the user's place."""
        self.log.append(kind, inputs, outputs, values, attrs, *self.place(1))

    def fail(self, error: BaseException, traceback: TracebackType | None = None) -> None:
        """Record an error that the framework raises."""
        note_error(self.log, error, traceback)

    @contextmanager
    def failing(self) -> Iterator[None]:
        """A block of the program's own, whose error is logged as it comes out."""
        try:
            yield
        except Exception as error:
            self.fail(error)
            raise

    def own_work(self) -> AbstractContextManager[None]:
        """A block of the recorder's own: a recorder that would log the ops in it, as the program's, leaves them out."""
        return nullcontext()

    @contextmanager
    def noting(self) -> Iterator[None]:
        """A block of the recorder's own: if it fails, the program goes on, and a warning says so."""
        try:
            with self.own_work():
                yield
        except StoppedError:
            raise
        except Exception as error:
            self.missed(f"a step of {self.framework}", error, outward=4)

    @staticmethod
    def missed(what: str, error: Exception, outward: int = 1) -> None:
        """Warn, so many calls up, that the log lacks something since the recorder failed: the program goes on."""
        said = f"tapeviz could not record {what}: {type(error).__name__}: {error}"
        warnings.warn(said, RuntimeWarning, stacklevel=outward + 1)
