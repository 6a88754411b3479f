"""One recording of autograd: the packages between the user and autograd, and the arrays that are known."""

from __future__ import annotations

from tapeviz.events.log import EventLog
from tapeviz.recorders import session
from tapeviz.recorders.autograd.ledger import Ledger
from tapeviz.recorders.packages import Packages


class Session(session.Session):
    """The state that all parts of the recorder share."""

    framework = "autograd"

    def __init__(self, log: EventLog) -> None:
        super().__init__(log)
        self.ledger = Ledger()
        self.packages = Packages(self.framework)
