"""One recording of autograd: the user's place, the packages between it and autograd, and the arrays that are known."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from tapeviz.errors import StoppedError
from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import asking_frame, enter_frame
from tapeviz.recorders import session
from tapeviz.recorders.autograd.ledger import Ledger
from tapeviz.recorders.packages import Packages


class Session(session.Session):
    """The state that all parts of the recorder share."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(log)
        self.ledger = Ledger()
        self.packages = Packages("autograd")

    def enter(self, depth: int = 0) -> FrameType:
        """The nearest frame outside of all libraries; what is logged next belongs to its scope."""
        frame = asking_frame(depth + 1)
        if frame is not self.log.frame:
            enter_frame(self.log, frame)
        return frame

    @contextmanager
    def noting(self) -> Iterator[None]:
        """A block of the recorder's own: if it fails, the program goes on, and a warning says so."""
        try:
            yield
        except StoppedError:
            raise
        except Exception as error:
            said = f"tapeviz could not record a step of autograd: {type(error).__name__}: {error}"
            warnings.warn(said, RuntimeWarning, stacklevel=4)

    @contextmanager
    def failing(self) -> Iterator[None]:
        """A block of the program's own, whose error is logged as it comes out."""
        try:
            yield
        except Exception as error:
            self.fail(error)
            raise
