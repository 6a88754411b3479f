"""Log -> the gradients that passes have stored in parameters, and what ops do to them in place before a step."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import NamedTuple

from tapeviz.events import Event, EventLog, GradientStored, OpRecorded, OpSkipped
from tapeviz.events.raw import IN_PLACE, UNSCALES


def events_around_steps(log: EventLog) -> Iterable[tuple[int, Event]]:
    """The events of a log with their positions; none where no pass has stored a gradient that a step could use."""
    return enumerate(log.events) if log.of_kind(GradientStored) else ()


class Overwrite(NamedTuple):
    """What an op does to gradients in place: each before and after, and whether by what was computed from gradients.

    A factor that was, as one by their norm, makes a clip; a plain number, as the count of micro-batches, does not.
    """

    gradients: tuple[tuple[int, int], ...]
    is_measured: bool


class StoredInParameters(NamedTuple):
    """The parameter that each gradient of a log is of, and by position the ops that overwrite gradients."""

    owner: dict[int, int]
    overwrites: dict[int, Overwrite]


def stored_in_parameters(log: EventLog) -> StoredInParameters:
    """The gradients of a log, as several rules ask for them; they are looked for once."""
    return log.once("gradients stored in parameters", lambda: _followed(log))


def _followed(log: EventLog) -> StoredInParameters:
    found = StoredInParameters({}, {})
    measures: set[int] = set()  # what was computed from gradients
    for position, event in events_around_steps(log):
        match event:
            case GradientStored():
                found.owner[event.gradient] = event.tensor
            case OpSkipped() | OpRecorded():
                overwrite = _overwrite(event, found.owner, measures)
                if overwrite is not None:
                    found.overwrites[position] = overwrite
    return found


def _overwrite(event: OpSkipped | OpRecorded, owner: dict[int, int], measures: set[int]) -> Overwrite | None:
    """What an op does to gradients, whose results have the same owner; None if it overwrites none.

    The factor of the loss is no measure, though PyTorch's scaler makes it smaller after gradients that overflow.
    """
    is_measured = event.op != UNSCALES and not measures.isdisjoint(event.inputs)
    if not is_measured and owner.keys().isdisjoint(event.inputs):
        return None
    changes = IN_PLACE in event.attrs
    changed: list[tuple[int, int]] = []
    for before, after in zip_longest(event.inputs, event.outputs):
        if after is None:
            break
        if changes and before in owner:
            owner[after] = owner[before]
            changed.append((before, after))
        elif event.op != UNSCALES:
            measures.add(after)
    return Overwrite(tuple(changed), is_measured) if changed else None
