"""The op table: sums, extrema and products of the rows of each segment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts
from tapeviz.engine.ops.array import cast_like
from tapeviz.engine.ops.math import equal, greater, mask, ones_like, where, zeros_like
from tapeviz.engine.ops.picking import gather
from tapeviz.engine.specs.dtype_sets import NUMBERS, REALS
from tapeviz.engine.specs.dtypes import Array, limits_of
from tapeviz.engine.values.convert import bare


def _segment_sum(x: Any, segments: Any, *, num_segments: int, axis: int) -> Any:
    """The sums of the rows of each segment; rows with a negative id are left out."""
    if segments.size and segments.min() < 0:
        kept = segments >= 0
        x, segments = np.compress(kept, x, axis), segments[kept]
    shape = (*x.shape[:axis], num_segments, *x.shape[axis + 1 :])
    out = np.zeros(shape, x.dtype)
    np.add.at(out, (slice(None),) * axis + (segments,), x)
    return out


def _row_of_each(g: Array, segments: Array, axis: int) -> Any:
    """For each row of data, the row of `g` for its segment; 0 for a negative id. It is the VJP of a sum."""
    known: Any = np.asarray(bare(segments))
    rows = gather(g, np.maximum(known, 0), axis=axis, batch_dims=0)
    if not known.size or known.min() >= 0:
        return rows
    return mask(rows, (known >= 0).reshape((-1,) + (1,) * (len(rows.shape) - axis - 1)))


unsorted_segment_sum = defop(
    "unsorted_segment_sum",
    _segment_sum,
    Facts(tangents="transposed", dtypes=NUMBERS),  # by the gradient of `gather`: slices, as TensorFlow's
    x=_row_of_each,
    segments=None,
)


def _over_segments(ufunc: Any, of_no_rows: Callable[[Any], Any]) -> Callable[..., Any]:
    """The primal of a ufunc over the rows of each segment, of which negative ones are none.

    A segment without rows is `empty`, or, if that is None, what the dtype says.
    """

    def primal(x: Any, segments: Any, *, num_segments: int, empty: float | None) -> Any:
        kept = segments >= 0
        x, segments = x[kept], segments[kept]
        out = np.full((num_segments, *x.shape[1:]), of_no_rows(x.dtype), x.dtype)
        ufunc.at(out, segments, x)
        if empty is not None:
            out[np.bincount(segments.astype(np.intp), minlength=num_segments) == 0] = empty
        return out

    return primal


def _extremum_rule(g: Array, x: Array, segments: Array, out: Array, num_segments: int) -> Any:
    """The VJP of an extremum: equal numbers in a segment share its gradient."""
    chosen = cast_like(equal(_row_of_each(out, segments, 0), x), g)
    ties = unsorted_segment_sum(chosen, segments, num_segments=num_segments, axis=0)
    return chosen * _row_of_each(g / ties, segments, 0)


def _product_rule(g: Array, x: Array, segments: Array, out: Array, num_segments: int) -> Any:
    """The VJP of a product: for each number, the product of all others in its segment."""
    absent = equal(x, zeros_like(x))
    present = where(absent, ones_like(x), x)
    zeros = unsorted_segment_sum(cast_like(absent, x), segments, num_segments=num_segments, axis=0)
    others = unsorted_segment_prod(present, segments, num_segments=num_segments, empty=None)
    rest = where(absent, _row_of_each(others, segments, 0), _row_of_each(out, segments, 0) / present)
    share = where(greater(zeros, ones_like(zeros)), zeros_like(g), g)
    return _row_of_each(share, segments, 0) * rest


unsorted_segment_max = defop(
    "unsorted_segment_max",
    _over_segments(np.maximum, lambda dtype: limits_of(dtype).min),
    Facts(seed_shape="broadcast", dtypes=REALS),
    x=_extremum_rule,
    segments=None,
)
unsorted_segment_min = defop(
    "unsorted_segment_min",
    _over_segments(np.minimum, lambda dtype: limits_of(dtype).max),
    Facts(seed_shape="broadcast", dtypes=REALS),
    x=_extremum_rule,
    segments=None,
)
unsorted_segment_prod = defop(
    "unsorted_segment_prod",
    _over_segments(np.multiply, lambda _: 1),
    Facts(seed_shape="broadcast", holomorphic=False, dtypes=NUMBERS),
    x=_product_rule,
    segments=None,
)
