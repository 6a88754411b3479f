"""Targets, sources and seeds -> gradients: one run of a tape, from the user's arguments to the results."""

from __future__ import annotations

import sys
from operator import attrgetter
from typing import Any

from numpy import ndarray

from tapeviz.engine import nest
from tapeviz.engine.backward.differentiable import all_differentiable
from tapeviz.engine.backward.indexed_slices import indexed_slices
from tapeviz.engine.backward.run_log import log_end, log_start
from tapeviz.engine.backward.seeds import filled, seeds_of
from tapeviz.engine.backward.slices import Slices
from tapeviz.engine.backward.sweep import Sweep
from tapeviz.engine.backward.traversal import breadth_first, pulled
from tapeviz.engine.backward.unconnected import is_zero
from tapeviz.engine.recording import Trace, current
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import users_frame
from tapeviz.events.raw import next_id

_id_of = attrgetter("_id")


def gradients(
    trace: Trace,
    log: EventLog,
    release: bool,
    target: object,
    sources: object,
    output_gradients: object,
    unconnected_gradients: object,
) -> Any:
    """The result of `GradientTape.gradient`; the arguments are described there."""
    zero = is_zero(unconnected_gradients)
    if target is None:
        raise TypeError(
            "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors "
            "to be differentiated, but received None."
        )
    targets, flat = all_differentiable(target, "target"), all_differentiable(sources, "source")
    given = nest.flatten(output_gradients) if output_gradients is not None else []
    found = gradients_of(trace, log, release, targets, flat, seeds_of(trace, targets, given), zero)
    return found if flat is sources else nest.pack_sequence_as(sources, found)


def gradients_of(
    trace: Trace,
    log: EventLog,
    release: bool,
    targets: list[TensorLike],
    sources: list[TensorLike],
    seeds: list[Any],
    zero: bool,
) -> list[Any]:
    """One gradient per source; None, or zeros if `zero`, if no path leads to it. `release` frees what the tape saved.

    If another tape records, the run works on tensors, so that its gradients can be differentiated again.
    """
    recorded = watched_over()
    run = next_id()
    if recorded:  # so that the log knows the seeds among what the run's ops read
        seeds = [None if each is None else _as_tensor(each) for each in seeds]
    source_ids = tuple(map(_id_of, sources))
    log_start(log, run, trace, targets, sources, source_ids, seeds)
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
        new(arrived) if type(arrived) is ndarray else _as_returned(arrived, source, targets, sweep, trace, zero)
        for source, arrived in zip(sources, map(sweep.arrived, source_ids), strict=True)
    ]
    log_end(log, run, found)
    return found


def _as_returned(
    arrived: object, source: TensorLike, targets: list[TensorLike], sweep: Sweep, trace: Trace, zero: bool
) -> Any:
    """What has arrived at a source, as the user gets it."""
    if arrived is None:
        return _zeros_like(source) if zero else None
    if type(arrived) is Slices:
        if source._id not in trace.looped:
            return indexed_slices(_in_order(arrived, source, targets, sweep))
        arrived = arrived.dense()
    return arrived if isinstance(arrived, Tensor) else Tensor._new(arrived)


def _zeros_like(source: TensorLike) -> Tensor:
    """Zeros for an unconnected source. A variable is read for them, which tapes that record now notice."""
    if isinstance(source, MutableTensor):
        source._read()
    return Tensor._new(filled(source._value, 0))


def _in_order(slices: Slices, source: TensorLike, targets: list[TensorLike], sweep: Sweep) -> Slices:
    """The same slices, with the parts of several ops in the order in which TensorFlow's backward pass visits them."""
    if len(slices.parts) == 1:
        return slices
    plans, inputs, outs = sweep.passed
    taken = breadth_first(plans, inputs, outs, [each._id for each in targets])
    picking = [node for node in taken if source._id in pulled(plans[node], inputs[node])]
    if len(picking) != len(slices.parts):  # a custom gradient was None
        return slices
    part = {node: index for index, node in enumerate(sorted(picking))}
    return slices.ordered([part[node] for node in picking])


def _run_recorded(sweep: Sweep, release: bool) -> None:
    """Run a sweep that calls ops: the log is told the user's frame once, as it is far away from all of them."""
    log: Any = current.get().log
    before = log.shortcut
    log.shortcut = sys._getframe(), users_frame(0)
    try:
        sweep.run(release=release)
    finally:
        log.shortcut = before


def watched_over() -> bool:
    """Whether a tape or a forward accumulator records now, and so the backward pass, too."""
    now = current.get()
    return bool(now.traces or now.accumulators)


def _as_tensor(seed: object) -> Tensor:
    return seed if isinstance(seed, Tensor) else Tensor._new(seed)
