"""Sums, means, extrema and products of the rows of each segment, under TensorFlow's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import number_of
from tapeviz.engine.functions.exports import EXPORTS, export
from tapeviz.engine.functions.integers import one_of
from tapeviz.engine.op import Op
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array, math
from tapeviz.engine.ops import segments as ops
from tapeviz.engine.table import OPS
from tapeviz.engine.values.constant import make
from tapeviz.errors import InvalidArgumentError


def _in_any_order(op: str, data: object, segment_ids: object, num_segments: object) -> tuple[Any, Any, int]:
    """The rows, the segment of each, and how many segments there are."""
    x, segments = number_of(data, op), number_of(segment_ids, f"{op}.Tindices")
    if x.shape[: segments.ndim] != segments.shape:
        shapes = f"data.shape = {listed(x.shape)} does not start with segment_ids.shape = {listed(segments.shape)}"
        raise InvalidArgumentError(f"{shapes}. In {op}.")
    said = f"num_segments should be a scalar, not shape {{shape}}. In {op}."
    count = one_of(num_segments, f"{op}.Tnumsegments", data, segment_ids, otherwise=said)
    if segments.ndim != 1:
        x = array.reshape(x, shape=(-1, *x.shape[segments.ndim :]))
        segments = array.reshape(segments, shape=(-1,))
    return x, segments, count


def _in_order(op: str, data: object, segment_ids: object) -> tuple[Any, Any, int]:
    """The same for sorted ids, the last of which says how many segments there are."""
    x, segments = number_of(data, op), number_of(segment_ids, f"{op}.Tindices")
    require(x.ndim > 0, f"input must be at least rank 1. In {op}: a number has no rows.")
    require(segments.ndim == 1, f"segment_ids should be a vector. In {op}: one id for each row.")
    fits = segments.shape[0] == x.shape[0]
    unfit = f"segment_ids should be the same size as dimension 0 of input. In {op}: one id for each row."
    require(fits, unfit, at_run=True)
    ids = segments._value
    require(not ids.size or bool(ids[-1] >= 0), f"segment ids must be >= 0, in {op}.", at_run=True)
    require(bool((np.diff(ids) >= 0).all()), f"segment ids are not increasing, in {op}.", at_run=True)
    count = int(ids[-1]) + 1 if ids.size else 0
    if ids.size and ids[0] < 0:
        beyond = f"Segment id {ids[0]} out of range [0, {count}), possibly because 'segment_ids' input is not sorted"
        raise InvalidArgumentError(f"{beyond}. In {op}.", at_run=True)
    return x, segments, count


_FOLDS = (
    # op, what it computes, its value for a segment without rows, and that value if the ids are sorted
    (
        "max",
        "The largest number of each segment. Equal numbers share the gradient.",
        "the lowest number that there is",
        0,
    ),
    (
        "min",
        "The smallest number of each segment. Equal numbers share the gradient.",
        "the highest number that there is",
        0,
    ),
    ("prod", "The product of the rows of each segment.", "1", 1),
)


def _unsorted_fold(op: Op) -> Callable[..., Any]:
    def function(data: object, segment_ids: object, num_segments: object, name: str | None = None) -> Any:
        x, segments, count = _in_any_order(op.name, data, segment_ids, num_segments)
        return op(x, segments, num_segments=count, empty=None)

    return function


def _sorted_fold(op: Op, name_of_op: str, empty: float) -> Callable[..., Any]:
    def function(data: object, segment_ids: object, name: str | None = None) -> Any:
        x, segments, count = _in_order(name_of_op, data, segment_ids)
        return op(x, segments, num_segments=count, empty=empty)

    return function


_SEGMENT_IDS = "segment_ids: for each row, the number of its segment."
_SORTED_ARGS = f"{_SEGMENT_IDS} The ids must not decrease."
_UNSORTED_ARGS = f"""{_SEGMENT_IDS} A row with a negative one is left out.
        num_segments: how many segments there are."""


def _enter(name: str, function: Callable[..., Any], what: str, otherwise: object, ids: str) -> None:
    function.__doc__ = f"""{what}

    For a segment without rows it is {otherwise}.

    Args:
        data: a tensor of numbers.
        {ids}
    """
    export(f"math.{name}")(function)


for _kind, _what, _otherwise, _empty in _FOLDS:
    _op, _sorted = OPS[f"unsorted_segment_{_kind}"], f"segment_{_kind}"
    _enter(_op.name, _unsorted_fold(_op), _what, _otherwise, _UNSORTED_ARGS)
    _enter(_sorted, _sorted_fold(_op, _sorted, _empty), _what, _empty, _SORTED_ARGS)


@export("math.unsorted_segment_sum")
def unsorted_segment_sum(data: object, segment_ids: object, num_segments: object, name: str | None = None) -> Any:
    """The sum of the rows of each segment, with segments in any order.

    Args:
        data: a tensor whose shape begins with that of `segment_ids`.
        segment_ids: for each row, the number of its segment. A row with a negative one is left out.
        num_segments: how many segments there are. A segment without rows is 0.

    Raises:
        InvalidArgumentError: the shape of the ids does not fit, or `num_segments` is not an integer.

    >>> import tapeviz as tf
    >>> tf.math.unsorted_segment_sum([1.0, 3.0, 2.0], [0, 1, 0], 2).numpy().tolist()
    [3.0, 3.0]
    """
    return _sum(*_in_any_order("unsorted_segment_sum", data, segment_ids, num_segments))


@export("math.segment_sum")
def segment_sum(data: object, segment_ids: object, name: str | None = None) -> Any:
    """The sum of the rows of each segment, with segments in ascending order.

    Args:
        data: a tensor of at least one axis.
        segment_ids: for each row, the number of its segment. The ids must not decrease.

    Raises:
        InvalidArgumentError: the ids decrease, or there is not one for each row.

    >>> import tapeviz as tf
    >>> tf.math.segment_sum([1.0, 2.0, 3.0], [0, 0, 1]).numpy().tolist()
    [3.0, 3.0]
    """
    return _sum(*_in_order("segment_sum", data, segment_ids))


@export("math.unsorted_segment_mean")
def unsorted_segment_mean(data: object, segment_ids: object, num_segments: object, name: str | None = None) -> Any:
    """The mean of the rows of each segment, with segments in any order. The mean of integers is float64.

    Args:
        data: a tensor whose shape begins with that of `segment_ids`.
        segment_ids: for each row, the number of its segment. A row with a negative one is left out.
        num_segments: how many segments there are. A segment without rows is 0.

    >>> import tapeviz as tf
    >>> tf.math.unsorted_segment_mean([1.0, 3.0, 2.0], [0, 1, 0], 2).numpy().tolist()
    [1.5, 3.0]
    """
    given = _in_any_order("unsorted_segment_mean", data, segment_ids, num_segments)
    return _sum(*given) / _rows_in(*given)


@export("math.unsorted_segment_sqrt_n")
def unsorted_segment_sqrt_n(data: object, segment_ids: object, num_segments: object, name: str | None = None) -> Any:
    """The sum of the rows of each segment, divided by the square root of their number.

    Args:
        data: a tensor of floats whose shape begins with that of `segment_ids`.
        segment_ids: for each row, the number of its segment. A row with a negative one is left out.
        num_segments: how many segments there are. A segment without rows is 0.

    Raises:
        InvalidArgumentError: `data` are integers.

    >>> import tapeviz as tf
    >>> tf.math.unsorted_segment_sqrt_n([1.0, 1.0, 1.0, 1.0], [0, 0, 0, 0], 1).numpy().tolist()
    [2.0]
    """
    given = _in_any_order("unsorted_segment_sqrt_n", data, segment_ids, num_segments)
    return _sum(*given) / EXPORTS["sqrt"](_rows_in(*given))


@export("math.segment_mean")
def segment_mean(data: object, segment_ids: object, name: str | None = None) -> Any:
    """The mean of the rows of each segment, with segments in ascending order. The mean of integers is an integer.

    Args:
        data: a tensor of at least one axis.
        segment_ids: for each row, the number of its segment. The ids must not decrease. A segment without rows is 0.

    >>> import tapeviz as tf
    >>> tf.math.segment_mean([1.0, 3.0, 3.0], [0, 0, 1]).numpy().tolist()
    [2.0, 3.0]
    """
    given = _in_order("segment_mean", data, segment_ids)
    total, rows = _sum(*given), _rows_in(*given)
    return math.truncatediv(total, rows) if total.dtype.is_integer else math.div(total, rows)


def _sum(x: object, segments: object, count: int) -> Any:
    return ops.unsorted_segment_sum(x, segments, num_segments=count, axis=0)


def _rows_in(x: Any, segments: Any, count: int) -> Any:
    """How many rows each segment has, at least 1, in the dtype of the rows and with as many axes."""
    known = segments._value[segments._value >= 0]
    rows = np.bincount(known.astype(np.intp), minlength=count).clip(1).astype(x._value.dtype)
    return make(rows.reshape((-1,) + (1,) * (x.ndim - 1)))
