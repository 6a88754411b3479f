"""Log -> the history of each tape: where it was opened, emptied and paused, and the scopes of what ran meanwhile."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from tapeviz.events import EventLog, OpRecorded, OpSkipped, RecordingPaused, TapeOpened, TapeReset


@dataclass(slots=True)
class TapeHistory:
    """When one tape was opened, emptied and paused, as positions in the log, and in which calls.

    Attributes:
        openings: where it was opened.
        resets: where it was emptied.
        pauses: for each op that was skipped in a pause, where the pause began; None if no line of the program began it.
        scopes: the scopes of its block, and of the ops in it.
    """

    openings: list[int] = field(default_factory=list)
    resets: list[int] = field(default_factory=list)
    pauses: dict[int, int | None] = field(default_factory=dict)
    scopes: set[int | None] = field(default_factory=lambda: {None})
    _paused: int | None = None

    def opened(self, before: int | None) -> int | None:
        """Where it was last opened before a position; None for the whole log."""
        return _last(self.openings, before)

    def reset(self, before: int | None) -> int | None:
        """Where it was last emptied before a position; None for the whole log."""
        return _last(self.resets, before)

    def pause(self, position: int) -> None:
        """Note that the tape is paused from a position on."""
        self._paused = position

    def meet(self, log: EventLog, position: int, decision: str, scope: int | None) -> None:
        """Note an op: its scope, and what the tape decided about it."""
        if decision == "paused":
            self.pauses[position] = self._paused
        else:
            self.scopes.update(takewhile(lambda each: each not in self.scopes, log.outward(scope)))


def histories(log: EventLog) -> Mapping[int, TapeHistory]:
    """The history of every tape of a log; of any other number, an empty one.

    >>> import tapeviz as tv
    >>> with tv.GradientTape() as tape:
    ...     y = tv.Variable(3.0) * 2.0
    >>> [history.openings for history in histories(tape.log).values()]
    [[0]]
    """
    found: defaultdict[int, TapeHistory] = defaultdict(TapeHistory)
    for position, event in enumerate(log.events):
        match event:
            case TapeOpened(tape=tape):
                found[tape].openings.append(position)
            case TapeReset(tape=tape):
                found[tape].resets.append(position)
            case RecordingPaused(tape=tape):
                found[tape].pause(position)
            case OpRecorded() | OpSkipped():
                for tape, decision in event.tapes:
                    found[tape].meet(log, position, decision, event.scope)
    return found


def _last(positions: list[int], before: int | None) -> int | None:
    count = len(positions) if before is None else bisect_left(positions, before)
    return positions[count - 1] if count else None
