"""Log -> the updates of its tensors: where each begins, and the writes that it consists of."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from tapeviz.events import EventLog, OptimizerStepped, ParameterUpdated, StateWritten


class Written(NamedTuple):
    """One update of a tensor: the positions of its first and last write, and of what the optimizer went by, if known.

    An optimizer may write several times, as one that lets a weight decay before its step.
    """

    first: int
    last: int
    goes_by: int | None = None


def updates_of(log: EventLog, tensor: int) -> list[Written]:
    """The updates of a tensor in order; a write that is no part of an optimizer's step is one by itself."""
    return log.once("updates of tensors", lambda: _updates(log)).get(tensor, [])


def _updates(log: EventLog) -> dict[int, list[Written]]:
    steps = list(log.of_kind(OptimizerStepped))
    found: dict[int, list[Written]] = {}
    begun: dict[int, tuple[int, int]] = {}  # a tensor, what its optimizer goes by, and where the step ends
    for position, event in log.of_kind(ParameterUpdated, StateWritten).items():
        if isinstance(event, ParameterUpdated):
            after = bisect_right(steps, position)
            begun[event.tensor] = position, steps[after] if after < len(steps) else position
            continue
        updates = found.setdefault(event.tensor, [])
        goes_by, end = begun.get(event.tensor, (None, position))
        if goes_by is not None and updates and updates[-1].goes_by == goes_by:
            if position < end:
                updates[-1] = updates[-1]._replace(last=position)
                continue
            goes_by = None
        updates.append(Written(position, position, goes_by))
    return found
