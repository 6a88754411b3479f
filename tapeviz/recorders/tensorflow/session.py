"""One recording of TensorFlow: whether it runs ops here and now."""

from __future__ import annotations

from typing import Any

from tensorflow.python.eager import context

from tapeviz.recorders import session
from tapeviz.recorders.hooks import When


class Session(session.Session):
    """What all parts of the recorder share: the log, the thread that is recorded, the user's place in the program.

    What they see are ops that run; in a session for a compiled function that is traced, those of its `graph`.
    """

    graph: Any = None

    @property
    def is_running(self) -> bool:
        """Whether this is what is recorded, and it runs ops rather than builds a graph."""
        return self.is_here and bool(context.context().executing_eagerly())

    @property
    def running(self) -> When:
        """What is done only while `is_running`."""
        return When(lambda: self.is_running)
