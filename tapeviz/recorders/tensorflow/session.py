"""One recording of TensorFlow: the log, the thread that is recorded, and the user's place in the program."""

from __future__ import annotations

import warnings
from threading import get_ident
from types import FrameType
from typing import Any

from tensorflow.python.eager import context

from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import asking_frame, enter_frame
from tapeviz.recorders.hooks import When


class Session:
    """What all parts of the recorder share."""

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self.thread = get_ident()

    @property
    def is_here(self) -> bool:
        """Whether this is the thread that is recorded."""
        return get_ident() == self.thread

    @property
    def running(self) -> When:
        """What is done only while `is_running`."""
        return When(lambda: self.is_running)

    @property
    def is_running(self) -> bool:
        """Whether this is the thread that is recorded, and it runs ops rather than builds a graph."""
        return get_ident() == self.thread and bool(context.context().executing_eagerly())

    def enter(self) -> FrameType:
        """The user's frame; whatever is logged next is in its scope."""
        frame = asking_frame(1)
        if frame is not self.log.frame:
            enter_frame(self.log, frame)
        return frame

    def note(self, kind: Any, inputs: Any = None, outputs: Any = None, values: Any = None, attrs: Any = None) -> None:
        """Append a record that is no op, at the user's place."""
        frame = self.enter()
        self.log.append(kind, inputs, outputs, values, attrs, frame.f_code, frame.f_lasti, self.log.scope)

    @staticmethod
    def missed(what: str, error: Exception) -> None:
        """Warn that the log lacks something, since the recorder itself has failed: the program goes on."""
        warnings.warn(f"tapeviz could not record {what}: {type(error).__name__}: {error}", RuntimeWarning, stacklevel=2)
