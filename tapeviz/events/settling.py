"""When the records of a long recording settle: after a backward pass, but for the latest.

Until then writers may come back to a record: an op that changes a tensor looks for the value that it had, and the steps
of a backward pass that runs are added to one that is open.
"""

from __future__ import annotations

from tapeviz.events.log import EventLog
from tapeviz.events.raw import INPUTS, KIND, STRIDE, PulledBack
from tapeviz.events.settled import CHUNK
from tapeviz.events.types import BackwardFinished, BackwardStarted

LATEST = 1024 * STRIDE
"""How many entries stay as they were written."""


class Settling:
    """Settles the records of a log, from now until `close`."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._running: set[int] = set()
        log.hear(BackwardStarted, self._started)
        log.hear(BackwardFinished, self._finished)

    def close(self) -> None:
        """Listen no longer."""
        self._log.unhear(BackwardStarted, self._started)
        self._log.unhear(BackwardFinished, self._finished)

    def _started(self, record: int) -> None:
        self._running.add(self._log.raw[record + INPUTS][0])

    def _finished(self, record: int) -> None:
        self._running.discard(self._log.raw[record + INPUTS])
        if len(self._log.raw) >= LATEST + CHUNK:
            self._log.settle(self._written(len(self._log.raw) - LATEST))

    def _written(self, end: int) -> int:
        """Up to where, at most `end`, no record is open."""
        if not self._running:
            return end
        raw = self._log.raw
        of_a_run = [at for at in range(0, end, STRIDE) if raw[at + KIND] is PulledBack]
        return next((at for at in of_a_run if raw[at + INPUTS] in self._running), end)
