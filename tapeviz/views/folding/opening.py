"""Boxes, groups and runs -> which groups are unfolded when a picture opens, and which run is shown."""

from __future__ import annotations

from collections.abc import Sequence

from tapeviz.events import EventLog
from tapeviz.phrases import NO_GRADIENT, counted
from tapeviz.replay import Run
from tapeviz.validation import whole
from tapeviz.views.folding.fold import Placement, fold
from tapeviz.views.folding.groups import Groups

MOST_BOXES = 40
"""A picture opens with at most so many boxes, if folding can achieve that."""
MOST_LAYERS = 12
"""A list of more layers opens as one box."""


def opening(places: Sequence[Placement], groups: Groups) -> tuple[int, ...]:
    """All groups, if there is room for all boxes; else as many as fit, from the outermost on.

    Of repeats only a short list of layers, whose members are what a reader knows by name.
    """
    if len(places) <= MOST_BOXES:
        return tuple(range(len(groups.rows)))
    spans = groups.spans
    unfolded: set[int] = set()
    waiting = [group for group, row in enumerate(groups.rows) if row.parent < 0]
    for group in waiting:
        row = groups.rows[group]
        if row.kind == "part" or (row.kind == "repeat" and not (row.indexed and row.times <= MOST_LAYERS)):
            continue
        if len(fold(places, (), spans, unfolded | {group}).seen) <= MOST_BOXES:
            unfolded.add(group)
            waiting += [each for each in range(group + 1, spans[group].end + 1) if spans[each].parent == group]
    return tuple(sorted(unfolded))


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
    run = whole(run, "run", "the number of a backward sweep, counted from 0")
    if not 0 <= run < len(runs):
        raise IndexError(f"run {run}: this log has {counted(len(runs), 'run')}, counted from 0.")
    return run
