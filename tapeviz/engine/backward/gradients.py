"""Targets, sources and seeds -> gradients: one run of a tape, from the user's arguments to the user's tensors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from numpy import ndarray

from tapeviz.engine import nest
from tapeviz.engine.backward.differentiable import all_differentiable
from tapeviz.engine.backward.seeds import filled, seeds_of
from tapeviz.engine.backward.slices import IndexedSlices, Slices, given
from tapeviz.engine.backward.sweep import Sweep
from tapeviz.engine.backward.traversal import breadth_first, pulled
from tapeviz.engine.backward.unconnected import is_zero
from tapeviz.engine.recording import Trace, current, flown, mention
from tapeviz.engine.rules.batching import Batch
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.convert import unboxed
from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import users_frame
from tapeviz.events.raw import next_id
from tapeviz.events.types import BackwardFinished, BackwardStarted

_id_of = attrgetter("_id")
_BEHIND = 5
"""The least number of the library's own frames between the start of a run and the user's code: those of the method of
`GradientTape` and of what it calls."""


def gradients(
    trace: Trace,
    log: EventLog,
    release: bool,
    target: Any,
    sources: Any,
    output_gradients: Any,
    unconnected_gradients: Any,
) -> Any:
    """What `GradientTape.gradient` gives, which says what it takes."""
    zero = is_zero(unconnected_gradients)
    if target is None:
        raise TypeError(
            "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors "
            "to be differentiated, but received None."
        )
    targets, flat = all_differentiable(target, "target"), all_differentiable(sources, "source")
    given = nest.flatten(output_gradients) if output_gradients is not None else []
    found = _gradients(trace, log, release, targets, flat, seeds_of(trace, targets, given), zero)
    return found if flat is sources else nest.pack_sequence_as(sources, found)


def _gradients(
    trace: Trace,
    log: EventLog,
    release: bool,
    targets: list[TensorLike],
    sources: list[TensorLike],
    seeds: list[Any],
    zero: bool,
) -> list[Any]:
    """One gradient per source, None (or zeros, if `zero`) where nothing arrives; `release` frees what the tape saved.

    While a tape records, the run is made of tensors, so that its gradients can be differentiated again.
    """
    recorded = watched_over()
    run = next_id()
    if recorded:  # so that the log knows the seeds among what the run's ops read
        seeds = [None if each is None else _as_tensor(each) for each in seeds]
    source_ids = tuple(map(_id_of, sources))
    _log_start(log, run, trace, targets, sources, source_ids, seeds)
    sweep = Sweep(trace, log, run, source_ids, recorded=recorded)
    for target, seed in zip(targets, seeds, strict=True):
        if seed is not None:
            sweep.arrive(target._id, seed._value if isinstance(seed, Tensor) and not recorded else seed)
    if recorded:
        _run_recorded(sweep, release)
    else:
        sweep.run(release=release)
    new = Tensor._new
    found = [
        new(arrived) if type(arrived) is ndarray else _given(arrived, source, targets, sweep, trace, zero)
        for source, arrived in zip(sources, map(sweep.arrived, source_ids), strict=True)
    ]
    _log_end(log, run, found)
    return found


def _given(arrived: Any, source: TensorLike, targets: list[TensorLike], sweep: Sweep, trace: Trace, zero: bool) -> Any:
    """What has arrived at a source, as the user gets it."""
    if arrived is None:
        return Tensor._new(filled(source._value, 0)) if zero else None
    if type(arrived) is Slices:
        if source._id not in trace.looped:
            return given(_in_order(arrived, source, targets, sweep))
        arrived = arrived.dense()
    return arrived if isinstance(arrived, Tensor) else Tensor._new(arrived)


def _in_order(slices: Slices, source: TensorLike, targets: list[TensorLike], sweep: Sweep) -> Slices:
    """Parts that several ops picked, in the order in which TensorFlow's backward pass meets these ops."""
    if len(slices.parts) == 1:
        return slices
    plans, inputs, outs = sweep.passed
    taken = breadth_first(plans, inputs, outs, [each._id for each in targets])
    picking = [node for node in taken if source._id in pulled(plans[node], inputs[node])]
    if len(picking) != len(slices.parts):  # a function's own gradient was None
        return slices
    part = {node: index for index, node in enumerate(sorted(picking))}
    return slices.ordered([part[node] for node in picking])


def _run_recorded(sweep: Sweep, release: bool) -> None:
    """Run a sweep of many ops, all of them far from the user's frame: the log is told once which frame that is."""
    log: Any = current.get().log
    before = log.shortcut
    log.shortcut = sys._getframe(), users_frame(0)
    try:
        sweep.run(release=release)
    finally:
        log.shortcut = before


def gradient_rows(
    trace: Trace, log: EventLog, release: bool, target: TensorLike, sources: list[TensorLike], seeds: Any
) -> list[Tensor | None]:
    """One gradient per source and seed, stacked along a first axis: `seeds` has shape (rows, *target.shape).

    All rows go through the tape together, unless a tape records, which sees them one by one. A target that the tape
    does not follow has no gradient, not even with respect to itself: TensorFlow takes the rows apart by an op.
    """
    if not _follows(trace, target):
        return [None] * len(sources)
    if watched_over() or not len(seeds):
        return _row_by_row(trace, log, target, sources, seeds)
    run = next_id()
    source_ids = tuple(map(_id_of, sources))
    _log_start(log, run, trace, [target], sources, source_ids, [None], len(seeds))
    sweep = Sweep(trace, log, run, source_ids, recorded=False, rows=True)
    sweep.arrive(target._id, Batch(seeds))
    sweep.run(release=release)
    arrived = [sweep.arrived(each._id) for each in sources]
    found = [None if each is None else Tensor._new(_rows(each, len(seeds))) for each in arrived]
    _log_end(log, run, found)
    return found


def _rows(arrived: Any, count: int) -> Any:
    """The rows of a batch; of what no seed took part in, such as zeros from unused results, the same in each row."""
    return arrived.rows if isinstance(arrived, Batch) else np.broadcast_to(arrived, (count, *arrived.shape)).copy()


def _follows(trace: Trace, tensor: TensorLike) -> bool:
    """Whether an op on a tensor would be recorded."""
    accessed = trace.watches_accessed and tensor._self_watched
    return accessed or tensor._id in trace.watched or trace in tensor._traces


def _row_by_row(
    trace: Trace, log: EventLog, target: TensorLike, sources: list[TensorLike], seeds: Any
) -> list[Tensor | None]:
    def row(seed: Any) -> list[Any]:
        return _gradients(trace, log, release=False, targets=[target], sources=sources, seeds=[seed], zero=False)

    rows = [row(unboxed(np.asarray(each))) for each in seeds]
    if not rows:  # a seed of zeros shows which sources are reached
        found = zip(row(filled(target._value, 0)), sources, strict=True)
        empty = [None if each is None else np.zeros((0, *of._value.shape), of._value.dtype) for each, of in found]
        return [None if each is None else Tensor._new(each) for each in empty]
    return [None if each[0] is None else OPS["stack"](*map(_whole, each), axis=0) for each in zip(*rows, strict=True)]


def _whole(gradient: Any) -> Any:
    return gradient._dense() if isinstance(gradient, IndexedSlices) else gradient


def watched_over() -> bool:
    """Whether a backward pass is itself recorded, by a tape or by a forward accumulator."""
    now = current.get()
    return bool(now.traces or now.accumulators)


def _as_tensor(seed: Any) -> Tensor:
    return seed if isinstance(seed, Tensor) else Tensor._new(seed)


def _log_start(
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


def _log_end(log: EventLog, run: int, found: list[Any]) -> None:
    tensors = [each.values if type(each) is IndexedSlices else each for each in found]
    ids = tuple([None if each is None else each._id for each in tensors])
    kept = tuple([None if each is None else log.keep(each._value) for each in tensors])
    log.append(BackwardFinished, run, ids, kept)
