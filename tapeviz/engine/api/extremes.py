"""Extrema, products and means of the rows of each segment, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.api.segments import in_order, rows_of, segments_in
from tapeviz.engine.api.table import EXPORTS, export
from tapeviz.engine.constant import make
from tapeviz.engine.ops import picking, segments


def _unsorted(kind: str, row: Any, data: Any, segment_ids: Any, num_segments: Any) -> Any:
    x, ids, count = rows_of(f"unsorted_segment_{kind}", data, segment_ids, num_segments)
    return row(x, ids, num_segments=count, empty=None)


def _sorted(kind: str, row: Any, data: Any, segment_ids: Any, empty: float) -> Any:
    x, ids = in_order(f"segment_{kind}", data, segment_ids)
    return row(x, ids, num_segments=segments_in(ids), empty=empty)


@export("math.unsorted_segment_max")
def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The largest number of each segment, of one without rows the lowest that there is; ties share the gradient.

    Raises:
        InvalidArgumentError: as `unsorted_segment_sum`.

    >>> import tapeviz as tf
    >>> tf.math.unsorted_segment_max([1.0, 3.0, 2.0], [0, 1, 0], 2).numpy().tolist()
    [2.0, 3.0]
    """
    return _unsorted("max", segments.unsorted_segment_max, data, segment_ids, num_segments)


@export("math.unsorted_segment_min")
def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The smallest number of each segment, of one without rows the highest that there is; ties share the gradient."""
    return _unsorted("min", segments.unsorted_segment_min, data, segment_ids, num_segments)


@export("math.unsorted_segment_prod")
def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The product of the rows of each segment, 1 of none."""
    return _unsorted("prod", segments.unsorted_segment_prod, data, segment_ids, num_segments)


@export("math.unsorted_segment_mean")
def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The mean of the rows of each segment, 0 of none; of integers it is float64.

    >>> import tapeviz as tf
    >>> tf.math.unsorted_segment_mean([1.0, 3.0, 2.0], [0, 1, 0], 2).numpy().tolist()
    [1.5, 3.0]
    """
    total, rows = _total_and_rows("unsorted_segment_mean", data, segment_ids, num_segments)
    return total / rows


@export("math.unsorted_segment_sqrt_n")
def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The sum of the rows of each segment over the root of their number.

    Raises:
        InvalidArgumentError: integers.
    """
    total, rows = _total_and_rows("unsorted_segment_sqrt_n", data, segment_ids, num_segments)
    return total / EXPORTS["sqrt"](rows)


def _total_and_rows(op: str, data: Any, segment_ids: Any, num_segments: Any) -> tuple[Any, Any]:
    """The sum of the rows of each segment, and how many these are, at least 1, in the same dtype."""
    x, ids, count = rows_of(op, data, segment_ids, num_segments)
    total = picking.unsorted_segment_sum(x, ids, num_segments=count, axis=0)
    known = ids._value[ids._value >= 0]
    rows = np.bincount(known, minlength=count).clip(1).astype(x._value.dtype)
    return total, make(rows.reshape((-1,) + (1,) * (x.ndim - 1)))


@export("math.segment_max")
def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The largest number of each segment, 0 of one without rows; the ids must not fall, ties share the gradient."""
    return _sorted("max", segments.unsorted_segment_max, data, segment_ids, 0)


@export("math.segment_min")
def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The smallest number of each segment, 0 of one without rows; the ids must not fall, ties share the gradient."""
    return _sorted("min", segments.unsorted_segment_min, data, segment_ids, 0)


@export("math.segment_prod")
def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The product of the rows of each segment, 1 of one without; the ids must not fall."""
    return _sorted("prod", segments.unsorted_segment_prod, data, segment_ids, 1)
