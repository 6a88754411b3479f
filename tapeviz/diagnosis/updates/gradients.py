"""Events -> the gradients that are stored in parameters, and what ops do to them in place before a step."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import NamedTuple

from tapeviz.events import Event, EventLog, GradientStored, OpRecorded, OpSkipped
from tapeviz.events.raw import IN_PLACE


def events_around_steps(log: EventLog) -> Iterable[tuple[int, Event]]:
    """The events of a log with their positions; none where no pass has stored a gradient that a step could use."""
    return enumerate(log.events) if log.of_kind(GradientStored) else ()


class Overwrite(NamedTuple):
    """What an op does to gradients in place: each before and after, and whether by what was computed from gradients.

    A factor that was, as one by their norm, makes a clip; a plain number, as the count of micro-batches, does not.
    """

    gradients: tuple[tuple[int, int], ...]
    is_measured: bool


class FollowedGradients:
    """The gradients of a recording as it goes on: `owner` is the parameter that each is of."""

    def __init__(self) -> None:
        self.owner: dict[int, int] = {}
        self._measures: set[int] = set()

    def store(self, event: GradientStored) -> None:
        """A pass has stored one."""
        self.owner[event.gradient] = event.tensor

    def follow(self, event: OpSkipped | OpRecorded) -> Overwrite | None:
        """What an op makes of them; None if it changes none in place."""
        is_measured = not self._measures.isdisjoint(event.inputs)
        if not is_measured and self.owner.keys().isdisjoint(event.inputs):
            return None
        changes = IN_PLACE in event.attrs
        changed: list[tuple[int, int]] = []
        for before, after in zip_longest(event.inputs, event.outputs):
            if after is None:
                break
            if changes and before in self.owner:
                self.owner[after] = self.owner[before]
                changed.append((before, after))
            else:
                self._measures.add(after)
        return Overwrite(tuple(changed), is_measured) if changed else None
