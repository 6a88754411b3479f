"""autograd's part of a recording: the parts of the recorder, tied together, put in their places and taken away."""

from __future__ import annotations

from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import users_frame
from tapeviz.recorders.autograd.ops import Ops
from tapeviz.recorders.autograd.readouts import ReadOuts
from tapeviz.recorders.autograd.session import Session
from tapeviz.recorders.autograd.sweeps import Sweeps
from tapeviz.recorders.autograd.traces import Traces
from tapeviz.recorders.patches import Patches


class AutogradRecorder:
    """Writes what autograd does in the current thread into a log."""

    def __init__(self) -> None:
        self._patches = Patches()

    def start(self, log: EventLog) -> None:
        """From here on everything goes into the log."""
        session = Session(log)
        log.resolvers += (session.ledger.id_of,)
        sweeps = Sweeps(session)
        ops = Ops(session, sweeps, users_frame(1))
        self._patches.finally_(ops.close)
        for rows in (sweeps.rows(), ops.rows(), Traces(session, ops, sweeps).rows(), ReadOuts(session).rows()):
            self._patches.install(rows)

    def stop(self) -> None:
        """Take every hook away."""
        self._patches.undo()
