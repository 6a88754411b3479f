"""A target, sources and many seeds -> one gradient per source and seed: the rows of a Jacobian."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.backward.gradients import gradients_of, watched_over
from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.backward.run_log import log_end, log_start
from tapeviz.engine.backward.seeds import filled
from tapeviz.engine.backward.sweep import Sweep
from tapeviz.engine.recording import Trace
from tapeviz.engine.rules.batching import Batch
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.convert import unboxed
from tapeviz.events.log import EventLog
from tapeviz.events.raw import next_id


def gradient_rows(
    trace: Trace, log: EventLog, release: bool, target: TensorLike, sources: list[TensorLike], seeds: Any
) -> list[Tensor | None]:
    """The gradients of each source for all seeds, stacked along a first axis; `seeds` has shape (rows, *target.shape).

    All rows go through the tape in one pass, unless another tape records it, which sees them one by one. A target that
    the tape does not follow has no gradient, not even with respect to itself, as TensorFlow splits the rows by an op.
    """
    if not _follows(trace, target):
        return [None] * len(sources)
    if watched_over() or not len(seeds):
        return _row_by_row(trace, log, target, sources, seeds)
    run = next_id()
    source_ids = tuple([each._id for each in sources])
    log_start(log, run, trace, [target], sources, source_ids, [None], len(seeds))
    sweep = Sweep(trace, log, run, source_ids, recorded=False, rows=True)
    sweep.arrive(target._id, Batch(seeds))
    sweep.run(release=release)
    arrived = [sweep.arrived(each._id) for each in sources]
    found = [None if each is None else Tensor._new(_rows_in(each, len(seeds))) for each in arrived]
    log_end(log, run, found)
    return found


def _rows_in(arrived: Any, count: int) -> Any:
    """The rows of a batch; a cotangent that does not depend on the seeds is repeated for each row."""
    return arrived.rows if isinstance(arrived, Batch) else np.broadcast_to(arrived, (count, *arrived.shape)).copy()


def _follows(trace: Trace, tensor: TensorLike) -> bool:
    """Whether an op on a tensor would be recorded."""
    accessed = trace.watches_accessed and tensor._self_watched
    return accessed or tensor._id in trace.watched or trace in tensor._traces


def _row_by_row(
    trace: Trace, log: EventLog, target: TensorLike, sources: list[TensorLike], seeds: Any
) -> list[Tensor | None]:
    """The same, with a run for each row."""

    def row(seed: object) -> list[Any]:
        return gradients_of(trace, log, release=False, targets=[target], sources=sources, seeds=[seed], zero=False)

    rows = [row(unboxed(np.asarray(each))) for each in seeds]
    if not rows:  # a seed of zeros shows which sources are reached
        found = zip(row(filled(target._value, 0)), sources, strict=True)
        empty = [None if each is None else np.zeros((0, *of._value.shape), of._value.dtype) for each, of in found]
        return [None if each is None else Tensor._new(each) for each in empty]
    return [None if each[0] is None else OPS["stack"](*map(_whole, each), axis=0) for each in zip(*rows, strict=True)]


def _whole(gradient: object) -> Any:
    """A gradient as a dense tensor."""
    return gradient._dense() if isinstance(gradient, IndexedSlices) else gradient
