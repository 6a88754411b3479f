"""Events -> the gradients that are stored in parameters, and what ops do to them in place before a step."""

from __future__ import annotations

from itertools import zip_longest
from typing import NamedTuple

from tapeviz.events import GradientStored, OpRecorded, OpSkipped
from tapeviz.events.raw import IN_PLACE

_NOTHING: frozenset[int] = frozenset()


class Change(NamedTuple):
    """An op that overwrites gradients: (before, after) of each, and the parameters of those its factor was computed from.

    `measured` is empty where the factor is a plain number, as the count of micro-batches is.
    """

    gradients: tuple[tuple[int, int], ...]
    measured: frozenset[int]


class Gradients:
    """The gradients of a recording as it goes on: `owner` is the parameter that each is of.

    What was computed from any is a measure of them, as their norm is.
    """

    def __init__(self) -> None:
        self.owner: dict[int, int] = {}
        self._measures: dict[int, frozenset[int]] = {}

    def store(self, event: GradientStored) -> None:
        """A pass has stored one."""
        self.owner[event.gradient] = event.tensor

    def follow(self, event: OpSkipped | OpRecorded) -> Change | None:
        """What an op makes of them; None if it changes none in place."""
        read = [each for each in event.inputs if each in self.owner or each in self._measures]
        if not read:
            return None
        changes = IN_PLACE in event.attrs
        measured = _NOTHING.union(*(self._measures.get(each, _NOTHING) for each in read))
        changed: list[tuple[int, int]] = []
        others: list[int] = []
        for before, after in zip_longest(event.inputs, event.outputs):
            if after is None:
                break
            if changes and before in self.owner:
                self.owner[after] = self.owner[before]
                changed.append((before, after))
            else:
                others.append(after)
        if others:
            one = len(event.outputs) == len(read)  # an op on a list makes of each its own
            whole = measured.union(self.owner[each] for each in read if each in self.owner)
            for after, before in zip_longest(others, read if one else ()):
                if after is not None:
                    own = None if before is None else self.owner.get(before)
                    self._measures[after] = whole if own is None else measured | {own}
        return Change(tuple(changed), measured) if changed else None
