"""A recording that is on until it is told to stop: of the frameworks alone, and only while no other one is open."""

from __future__ import annotations

from threading import get_ident

from tapeviz.events.log import EventLog
from tapeviz.recorders.record import record
from tapeviz.recorders.session import recorded


class FlightRecording(record):
    """A `record()` of frameworks' programs; tapes of tapeviz's own have logs of their own."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._thread = get_ident()

    @property
    def is_here(self) -> bool:
        """Whether this is its thread and, of its tasks, one in which it is known."""
        log = self._log
        return log is not None and record.is_open(log) and get_ident() == self._thread

    def rejoin(self) -> None:
        """Record this task as well, which was not begun in a recorded one, as a kernel begins one for each cell."""
        if get_ident() == self._thread and recorded.get() is None:
            recorded.set(self._log)

    def _open(self) -> EventLog:
        log = self._make_log()
        self._undo.add(log.close)
        self._trim(log)
        self._join(log)
        return log
