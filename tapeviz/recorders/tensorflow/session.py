"""One recording of TensorFlow: whether it runs ops here and now, and what the recorder itself failed at."""

from __future__ import annotations

import warnings
from types import FrameType

from tensorflow.python.eager import context

from tapeviz.events.program.frames import asking_frame, enter_frame
from tapeviz.recorders import session
from tapeviz.recorders.hooks import When


class Session(session.Session):
    """What all parts of the recorder share: the log, the thread that is recorded, the user's place in the program."""

    @property
    def is_running(self) -> bool:
        """Whether this is what is recorded, and it runs ops rather than builds a graph."""
        return self.is_here and bool(context.context().executing_eagerly())

    @property
    def running(self) -> When:
        """What is done only while `is_running`."""
        return When(lambda: self.is_running)

    def enter(self, depth: int = 0) -> FrameType:
        """The user's frame; whatever is logged next is in its scope."""
        frame = asking_frame(depth + 1)
        if frame is not self.log.frame:
            enter_frame(self.log, frame)
        return frame

    @staticmethod
    def missed(what: str, error: Exception) -> None:
        """Warn that the log lacks something, since the recorder itself has failed: the program goes on."""
        warnings.warn(f"tapeviz could not record {what}: {type(error).__name__}: {error}", RuntimeWarning, stacklevel=2)
