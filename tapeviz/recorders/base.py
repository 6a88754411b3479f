"""The interface of all recorders, and the options that they are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tapeviz.events.log import EventLog


class Recorder(Protocol):
    """Writes what one framework does in the current thread into a log, without changing the results."""

    def start(self, log: EventLog) -> None:
        """From here on everything goes into the log."""

    def stop(self) -> None:
        """Take every hook away; the log stays as it is."""


@dataclass(frozen=True)
class RecordOptions:
    """Options of `record` that recorders need; `functions` is "eager", "graph", or None: as the framework does best."""

    functions: str | None = None
