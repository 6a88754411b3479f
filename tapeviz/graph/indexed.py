"""Log -> what many readers look up in it, each found in one reading: its calls, its tapes, what left, what was used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

from tapeviz.events import (
    BackwardFinished,
    BackwardStarted,
    EventLog,
    GradientRead,
    GradientStored,
    ReadOut,
    StateWritten,
)
from tapeviz.graph.tapes import TapeHistory, histories


class IndexedLog:
    """A log, and the positions of some events of it."""

    def __init__(self, log: EventLog) -> None:
        self.log = log

    # ----- gradient calls -----

    @cached_property
    def marks(self) -> list[int]:
        """The positions at which gradient calls of the log began and ended, in order."""
        ends = (BackwardStarted, BackwardFinished)
        return [at for at, each in enumerate(self.log.events) if isinstance(each, ends)]

    @cached_property
    def finished(self) -> dict[int, BackwardFinished]:
        """How each run of the log ended that came to its end."""
        return {each.run: each for each in self.log.events if isinstance(each, BackwardFinished)}

    @cached_property
    def storing(self) -> set[int]:
        """The runs that leave gradients in tensors."""
        return {each.run for each in self.log.events if isinstance(each, GradientStored)}

    # ----- the program between them -----

    @cached_property
    def histories(self) -> Mapping[int, TapeHistory]:
        """The history of every tape."""
        return histories(self.log)

    @cached_property
    def read_outs(self) -> Mapping[int, list[int]]:
        """Tensor -> the positions at which its value left the recorded world."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for position, event in enumerate(self.log.events):
            if isinstance(event, ReadOut):
                found[event.tensor].append(position)
        return found

    @cached_property
    def last_used(self) -> dict[int, int]:
        """Tensor -> the last position at which it was written, or its `.grad` read."""
        events = enumerate(self.log.events)
        return {each.tensor: at for at, each in events if isinstance(each, GradientRead | StateWritten)}
