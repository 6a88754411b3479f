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
"""The least number of the library's own frames between the start of a run and the user's code: those of the method of
`GradientTape` and of what it calls."""


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
    """The run begins; a seed of None is no seed or, with `rows`, all of them, which the log does not keep.

    A log that was closed learns where the targets and sources came from meanwhile, and meets new ones.
    """
    target_ids = tuple(map(_id_of, targets))
    if log.closed and (mark := flown.mark()) != log.mark:
        log.adopt(flown.since(log.mark), {*target_ids, *source_ids})
        log.mark = mark
    for each in targets if log.met.issuperset(source_ids) else (*targets, *sources):
        if trace not in each._traces and each._id not in log.met:
            mention(log, each)
    frame = users_frame(_BEHIND)
    values: Sequence[Any] = (True,) * len(seeds)
    if log.keeps_values:
        values = tuple([True if each is None else log.keep(getattr(each, "_value", each)) for each in seeds])
    seeded = tuple([each._id if isinstance(each, Tensor) else None for each in seeds])
    log.append(
        BackwardStarted, (run, trace.id, rows), (target_ids, source_ids), values, seeded, frame.f_code, frame.f_lasti
    )


def log_end(log: EventLog, run: int, found: list[Any]) -> None:
    """The run has `found` these gradients, one per source."""
    tensors = [each.values if type(each) is IndexedSlices else each for each in found]
    ids = tuple([None if each is None else each._id for each in tensors])
    kept = tuple([None if each is None else log.keep(each._value) for each in tensors])
    log.append(BackwardFinished, run, ids, kept)
