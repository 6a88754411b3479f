"""One recording of a framework that runs: the log, the thread that is recorded, and the user's place in the program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from threading import get_ident
from types import CodeType, FrameType, TracebackType
from typing import Any

from tapeviz.events.log import EventLog
from tapeviz.events.program.raised import note_error
from tapeviz.events.raw import ScopeNode
from tapeviz.recorders.hooks import When


class Session(ABC):
    """What all parts of a recorder share. That of JAX has none: it runs a function itself, from its equations."""

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self.thread = get_ident()

    @property
    def is_here(self) -> bool:
        """Whether this is the thread that is recorded."""
        return get_ident() == self.thread

    @property
    def here(self) -> When:
        """What is done only while `is_here`."""
        return When(lambda: self.is_here)

    @abstractmethod
    def enter(self, depth: int = 0) -> FrameType:
        """The user's frame, `depth` calls up or further; whatever is logged next is in its scope."""

    def place(self, depth: int = 0) -> tuple[CodeType, int, ScopeNode | None]:
        """Where the user's program is, as a record has it: the code, the instruction in it, the scope."""
        frame = self.enter(depth + 1)
        return frame.f_code, frame.f_lasti, self.log.scope

    def note(self, kind: Any, inputs: Any = None, outputs: Any = None, values: Any = None, attrs: Any = None) -> None:
        """Append a record that is no op, at the user's place."""
        self.log.append(kind, inputs, outputs, values, attrs, *self.place(1))

    def fail(self, error: BaseException, traceback: TracebackType | None = None) -> None:
        """The framework refuses something."""
        note_error(self.log, error, traceback)
