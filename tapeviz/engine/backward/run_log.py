"""The beginning and the end of a run of a tape -> their records in the log."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.recording import Trace, flown, mention
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import users_frame
from tapeviz.events.types import BackwardFinished, BackwardStarted

_id_of = attrgetter("_id")
_BEHIND = 5
"""The least number of the library's own frames between `log_start` and the user's code."""


def log_start(
    log: EventLog,
    run: int,
    trace: Trace,
    targets: list[TensorLike],
    sources: list[TensorLike],
    source_ids: tuple[int, ...],
    seeds: list[Any],
    rows: int | None = None,
) -> None:
    """Log the beginning of a run.

    The targets and sources are added to the log if they are new. To a log that was closed, the ops that computed them
    in between are added as well.

    Args:
        seeds: None for a target without a seed, and, if there are `rows`, for all of them.
        rows: the number of seeds per target, in a run for a Jacobian.
    """
    target_ids = tuple(map(_id_of, targets))
    if log.closed and (mark := flown.mark()) != log.mark:
        log.adopt(flown.since(log.mark), {*target_ids, *source_ids})
        log.mark = mark
    for each in targets if log.mentioned.issuperset(source_ids) else (*targets, *sources):
        if trace not in each._traces and each._id not in log.mentioned:
            mention(log, each)
    frame = users_frame(_BEHIND)
    values: Sequence[Any] = (True,) * len(seeds)
    if log.keeps_values:
        values = tuple([True if each is None else log.keep(getattr(each, "_value", each)) for each in seeds])
    seeded = tuple([each._id if isinstance(each, Tensor) else None for each in seeds])
    log.append(
        BackwardStarted,
        (run, trace.id, rows, None),
        (target_ids, source_ids),
        values,
        seeded,
        frame.f_code,
        frame.f_lasti,
    )


def log_end(log: EventLog, run: int, found: list[Any]) -> None:
    """Log the end of a run, and the gradients that it found, one per source."""
    tensors = [each.values if type(each) is IndexedSlices else each for each in found]
    ids = tuple([None if each is None else each._id for each in tensors])
    kept = tuple([None if each is None else log.keep(each._value) for each in tensors])
    log.append(BackwardFinished, run, ids, kept)
