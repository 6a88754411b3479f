"""Log -> the updates that an optimizer makes together, of several parameters by the gradients of one moment."""

from __future__ import annotations

from bisect import bisect_right

from tapeviz.events import EventLog, ParameterUpdated, StateWritten


def made_together(log: EventLog, position: int) -> list[ParameterUpdated]:
    """The updates of all parameters of which one is at this position."""
    turns, numbers = _turns(log)
    return turns[numbers[position]]


def turns_until(log: EventLog, position: int) -> list[list[ParameterUpdated]]:
    """These, and before them the earlier ones of the same step, which calls a closure before each."""
    turns, numbers = _turns(log)
    first = numbers[position]
    while first and _calls(turns[first][0]) > 1 and turns[first - 1][0].optimizer == turns[first][0].optimizer:
        first -= 1
    return turns[first : numbers[position] + 1]


def _calls(update: ParameterUpdated) -> int:
    """How often a step has called its closure before this."""
    calls = dict(update.options).get("calls")
    return calls if isinstance(calls, int) else 0


def _turns(log: EventLog) -> tuple[list[list[ParameterUpdated]], dict[int, int]]:
    """All of them in order, and by the position of an update which one it is in."""
    return log.once("updates made together", lambda: _found(log))


def _found(log: EventLog) -> tuple[list[list[ParameterUpdated]], dict[int, int]]:
    written = list(log.of_kind(StateWritten))
    turns: list[list[ParameterUpdated]] = []
    numbers: dict[int, int] = {}
    last = 0
    for position, update in log.of_kind(ParameterUpdated).items():
        goes_on = turns and turns[-1][0].optimizer == update.optimizer
        if not goes_on or bisect_right(written, position) != bisect_right(written, last):
            turns.append([])
        turns[-1].append(update)
        numbers[position], last = len(turns) - 1, position
    return turns, numbers
