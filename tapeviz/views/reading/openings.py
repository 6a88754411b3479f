"""EventLog -> where each of its tapes was opened."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict

from tapeviz.events import EventLog, TapeOpened


class Openings:
    """The positions at which each tape was opened, in order."""

    def __init__(self, log: EventLog) -> None:
        self._of_tape: defaultdict[int, list[int]] = defaultdict(list)
        for position, event in log.of_kind(TapeOpened).items():
            self._of_tape[event.tape].append(position)

    def last(self, tape: int, before: int) -> int:
        """The last time that a tape was opened before a position; -1 where it never was."""
        opened = self._of_tape.get(tape, [])
        count = bisect_left(opened, before)
        return opened[count - 1] if count else -1
