"""A call of a framework, and a name that the user knows -> a scope of that name for the ops of the call."""

from __future__ import annotations

from types import FrameType
from typing import Any

from tapeviz.events import EventLog
from tapeviz.events.program.frames import leave, resume, scope_called


class Scoped:
    """A block in which the log is in a scope of its own, called from the user's `frame`; `kind` is a module's class.

    `running` is the frame that makes the call: user functions that are called from it belong to the scope as well.
    """

    __slots__ = ("_depth", "_frame", "_kind", "_log", "_name", "_outer", "_running")

    def __init__(self, log: EventLog, name: str, frame: FrameType, running: FrameType, kind: str = "") -> None:
        self._log = log
        self._name = name
        self._frame = frame
        self._running = running
        self._kind = kind

    def __enter__(self) -> None:
        log = self._log
        self._outer, self._depth = log.scope, len(log.path)
        log.scope = log.path[self._running] = scope_called(self._name, self._outer, self._frame, self._kind)
        # A reference cycle would keep the frame, with all its tensors, until the next garbage collection.
        del self._running

    def __exit__(self, *error: Any) -> None:
        leave(self._log.path, self._depth)
        resume(self._log, self._frame, self._outer)
