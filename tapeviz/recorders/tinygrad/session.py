"""One recording of tinygrad: its one tape, open from the first op until the recording ends, and the user's place."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType

from tapeviz.errors import StoppedError
from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import asking_frame, enter_frame
from tapeviz.events.raw import ScopeNode, next_id
from tapeviz.events.types import TapeClosed, TapeOpened
from tapeviz.recorders import session
from tapeviz.recorders.packages import Packages
from tapeviz.recorders.tinygrad.ledger import Ledger
from tapeviz.recorders.tinygrad.numbers import GraphNumbers

Place = tuple[CodeType, int, ScopeNode | None]


class Session(session.Session):
    """The state that all parts of the recorder share. Within `unseen` what tinygrad does is not the program's own."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(log)
        self.tape = next_id()
        self.numbers = GraphNumbers()
        self.ledger = Ledger()
        self.packages = Packages("tinygrad")
        self._opened = self._closed = False
        self._unseen = self._quiet = 0

    @property
    def is_recorded(self) -> bool:
        """Whether this is the thread that is recorded, be it the program that runs or a part of the recorder."""
        return super().is_here

    @property
    def is_quiet(self) -> bool:
        """Whether ops run that tinygrad builds for itself, of which only what comes of them is logged."""
        return self._quiet > 0

    @property
    def is_here(self) -> bool:
        """Whether this is what is recorded."""
        return not self._unseen and super().is_here

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """A block whose ops are not logged."""
        self._unseen += 1
        try:
            yield
        finally:
            self._unseen -= 1

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """A block whose ops are not logged, while other hooks go on."""
        self._quiet += 1
        try:
            yield
        finally:
            self._quiet -= 1

    @contextmanager
    def noting(self) -> Iterator[None]:
        """A block of the recorder's own: if it fails, the program goes on, and a warning says so."""
        try:
            with self.unseen():
                yield
        except StoppedError:
            raise
        except Exception as error:
            said = f"tapeviz could not record a step of tinygrad: {type(error).__name__}: {error}"
            warnings.warn(said, RuntimeWarning, stacklevel=4)

    @contextmanager
    def failing(self) -> Iterator[None]:
        """A block of the program's own, whose error is logged as it comes out."""
        try:
            yield
        except Exception as error:
            self.open()
            self.fail(error)
            raise

    def enter(self, depth: int = 0) -> FrameType:
        """The nearest frame outside of all libraries; what is logged next belongs to its scope."""
        frame = asking_frame(depth + 1)
        if frame is not self.log.frame:
            enter_frame(self.log, frame)
        return frame

    def open(self) -> None:
        """Open the tape in the log, when something goes into it for the first time."""
        if not self._opened:
            self._opened = True
            self.log.sign("tinygrad")
            frame = self.enter(1)
            self.log.append(TapeOpened, (self.tape, True, True), code=frame.f_code, lasti=frame.f_lasti)

    def close(self) -> None:
        """Close the tape in the log."""
        if self._opened and not self._closed:
            self._closed = True
            self.log.append(TapeClosed, (self.tape,))
