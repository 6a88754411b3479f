"""One recording of TensorFlow: whether it runs ops here and now."""

from __future__ import annotations

from tensorflow.python.eager import context

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
