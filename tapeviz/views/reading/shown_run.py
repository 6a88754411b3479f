"""Log and runs -> the run that is shown: the one that a user asks for, or that the debugger opens with."""

from __future__ import annotations

from collections.abc import Sequence

from tapeviz.events import EventLog
from tapeviz.phrases import NO_GRADIENT, counted
from tapeviz.replay import Run
from tapeviz.validation import whole


def is_kept(log: EventLog, run: Run) -> bool:
    """Whether any numbers of a run are known; those of a Jacobian, whose rows run at once, are not."""
    cotangents = (each.cotangent for step in run.steps for each in step.contributions)
    return not run.steps or any(log.value(each) is not None for each in cotangents)


def opening_run(log: EventLog, runs: Sequence[Run]) -> int:
    """The last run with numbers in it, or else the last; -1 where there is none."""
    return max((number for number, run in enumerate(runs) if is_kept(log, run)), default=len(runs) - 1)


def chosen_run(log: EventLog, runs: Sequence[Run], run: int | None) -> int:
    """The run that the user asks for, or else the one that is shown by default.

    Raises:
        ValueError: there is none at all.
        IndexError: there is no such run.
        TypeError: the run is no number.
    """
    if not runs:
        raise ValueError(f"{NO_GRADIENT}.")
    if run is None:
        return opening_run(log, runs)
    run = whole(run, "run", "the number of a backward pass, counted from 0")
    if not 0 <= run < len(runs):
        raise IndexError(f"run {run}: this log has {counted(len(runs), 'run')}, counted from 0.")
    return run
