"""One recording of tinygrad: its one tape, open from the first op until the recording ends, and the user's place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import CodeType, TracebackType

from tapeviz.events.log import EventLog
from tapeviz.events.raw import ScopeNode, next_id
from tapeviz.events.types import TapeClosed, TapeOpened
from tapeviz.recorders import session
from tapeviz.recorders.packages import Packages
from tapeviz.recorders.tinygrad.ledger import Ledger
from tapeviz.recorders.tinygrad.numbers import GraphNumbers

Place = tuple[CodeType, int, ScopeNode | None]


class Session(session.Session):
    """The state that all parts of the recorder share. Within `unseen` what tinygrad does is not the program's own."""

    framework = "tinygrad"

    def __init__(self, log: EventLog) -> None:
        super().__init__(log)
        self.tape = next_id()
        self.numbers = GraphNumbers()
        self.ledger = Ledger()
        self.packages = Packages(self.framework)
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

    def own_work(self) -> AbstractContextManager[None]:
        """What the recorder asks of tinygrad is `unseen`."""
        return self.unseen()

    def fail(self, error: BaseException, traceback: TracebackType | None = None) -> None:
        """An error may be the first of the program that is told of."""
        self.open()
        super().fail(error, traceback)

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
