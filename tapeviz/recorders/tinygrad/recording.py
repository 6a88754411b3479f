"""tinygrad's part of a recording: the parts of the recorder, tied together, put in their places and taken away."""

from __future__ import annotations

from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import users_frame
from tapeviz.recorders.patches import Patches
from tapeviz.recorders.tinygrad.grad_attribute import GradAttribute
from tapeviz.recorders.tinygrad.leaves import Leaves
from tapeviz.recorders.tinygrad.ops import Ops
from tapeviz.recorders.tinygrad.readouts import ReadOuts
from tapeviz.recorders.tinygrad.session import Session
from tapeviz.recorders.tinygrad.sweeps import Sweeps
from tapeviz.recorders.tinygrad.writes import Writes


class TinygradRecorder:
    """Writes what tinygrad does in the current thread into a log."""

    def __init__(self) -> None:
        self._patches = Patches()

    def start(self, log: EventLog) -> None:
        """From here on everything goes into the log."""
        session = Session(log)
        log.resolvers += (session.ledger.resolve,)
        leaves = Leaves(session, users_frame(1))
        ops = Ops(session, leaves)
        writes = Writes(session, ops)
        parts = (leaves, ops, writes, Sweeps(session, ops, leaves), GradAttribute(session, ops))
        self._patches.finally_(leaves.close)
        self._patches.finally_(session.close)
        for part in (*parts, ReadOuts(session, ops)):
            self._patches.install(part.rows())

    def stop(self) -> None:
        """Take every hook away."""
        self._patches.undo()
