"""A target of many elements -> its derivatives, one row per element: Jacobians, whole or per entry of a batch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeviz.engine.backward.differentiable import differentiable
from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.backward.rows import gradient_rows
from tapeviz.engine.backward.seeds import filled
from tapeviz.engine.backward.unconnected import is_zero
from tapeviz.engine.recording import Trace
from tapeviz.engine.specs.dtypes import DIFFERENTIABLE
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.convert import unboxed
from tapeviz.events.log import EventLog


def jacobians(
    trace: Trace,
    log: EventLog,
    release: bool,
    target: TensorLike | IndexedSlices,
    sources: list[TensorLike],
    zero: bool,
) -> list[Any]:
    """For each source a tensor of shape target.shape + source.shape; None, or zeros, if no path leads to it."""
    if isinstance(target, IndexedSlices):
        rows = jacobians(trace, log, release, target.values, sources, zero)
        return [None if each is None else _dense(each, target, of) for each, of in zip(rows, sources, strict=True)]
    shape, dtype = target._value.shape, target._value.dtype
    elements = math.prod(shape)
    seeds = np.eye(elements, dtype=dtype).reshape((elements, *shape))
    rows = gradient_rows(trace, log, release, target, sources, seeds)
    return [_jacobian(row, target, source, zero) for row, source in zip(rows, sources, strict=True)]


def _dense(rows: Tensor, target: IndexedSlices, source: TensorLike) -> Any:
    return IndexedSlices(rows, target.indices, (*target.shape, *source.shape))._dense()


def _jacobian(row: Tensor | None, target: TensorLike, source: TensorLike, zero: bool) -> Any:
    if row is not None and source._value.dtype.kind in DIFFERENTIABLE:
        return _shaped(row, (*target._value.shape, *source._value.shape))
    return _zeros(target, source) if zero else None


def batch_jacobian(trace: Trace, log: EventLog, release: bool, target: TensorLike, source: TensorLike) -> Any:
    """A tensor of shape (b, *target.shape[1:], *source.shape[1:])."""
    count, *rest = target._value.shape
    if not count:
        raise ZeroDivisionError(
            "integer division or modulo by zero. In batch_jacobian the batch is empty: skip such a batch."
        )
    elements = math.prod(rest)
    seeds = np.repeat(np.eye(elements, dtype=target._value.dtype)[:, None], count, axis=1)
    (rows,) = gradient_rows(trace, log, release, target, [source], seeds.reshape((elements, count, *rest)))
    shape = (count, *rest, *source._value.shape[1:])
    if rows is None:
        return Tensor._new(np.zeros(shape, target._value.dtype))
    order = (1, 0, *range(2, source._value.ndim + 1))
    return _shaped(OPS["transpose"](rows, perm=order), shape)


def check_rows_at_a_time(what: str, at_once: bool, at_a_time: int | None) -> None:
    """Check `parallel_iterations`: at least 2 if all rows go `at_once` (ValueError), else at least 1 (TypeError)."""
    if at_a_time is None or at_a_time >= 1 + at_once:
        return
    if not at_once:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    raise _unvectorized(what, f"Leave out parallel_iterations={at_a_time}: here all rows go at once.")


def check_one_round(what: str, persistent: bool, at_a_time: int | None, rows: int) -> None:
    """Refuse a loop of several rounds, `at_a_time` of its rows in each, on a tape that is used up after the first."""
    if persistent or at_a_time is None or rows < at_a_time:
        return
    advice = f"There are {rows} rows: leave out parallel_iterations={at_a_time}, here all of them go at once."
    if what == "jacobian":
        raise _unvectorized(what, advice)
    wanted = f"parallel_iterations computes the {what} by several gradient calls: write GradientTape(persistent=True)."
    raise RuntimeError(f"{wanted} {advice}")


def zeros_wanted(what: str, at_once: bool, unconnected_gradients: object) -> bool:
    """Whether an unconnected source gets zeros; ValueError for an unknown `unconnected_gradients`."""
    try:
        return is_zero(unconnected_gradients)
    except ValueError as error:
        if not at_once:
            raise
        raise _unvectorized(what, str(error)) from None


def _unvectorized(what: str, why: str) -> ValueError:
    return ValueError(
        f"Encountered an exception while vectorizing the {what} computation. Vectorization can be disabled by setting "
        f"experimental_use_pfor to False. {why}"
    )


def of_one_batch(target: object, source: object) -> tuple[TensorLike, TensorLike]:
    """Both, of rank 2 or more and with equal first dimensions.

    Raises:
        AttributeError: one is no tensor.
        ValueError: another shape; IndexError: a target without axes.
    """
    target = differentiable(target, "target", "shape", "rank")
    if not target._value.ndim:
        raise IndexError("list index out of range: a target of shape () must have rank at least 2.")
    source = differentiable(source, "source", "shape", "with_rank_at_least")
    for role, each in (("target", target), ("source", source)):
        if each._value.ndim < 2:
            raise ValueError(f"Shape {each._value.shape} must have rank at least 2. It is that of the {role}.")
    if target._value.shape[0] != source._value.shape[0]:
        raise ValueError(
            f"Need first dimension of target shape ({target._value.shape}) and source shape ({source._value.shape}) "
            "to match."
        )
    return target, source


def _shaped(rows: Tensor, shape: tuple[int, ...]) -> Any:
    return OPS["reshape"](rows, shape=shape)


def _zeros(target: TensorLike, source: TensorLike) -> Tensor:
    whole = np.empty((*target._value.shape, *source._value.shape), source._value.dtype)
    return Tensor._new(unboxed(filled(whole, 0)))
