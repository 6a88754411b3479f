"""The op table: extrema and products of the rows of each segment; the sums are with what picks rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.dtypes import finfo
from tapeviz.engine.op import defop
from tapeviz.engine.ops.array import cast_like
from tapeviz.engine.ops.math import equal, greater, ones_like, where, zeros_like
from tapeviz.engine.ops.picking import row_of_each, unsorted_segment_sum


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
            out[np.bincount(segments, minlength=num_segments) == 0] = empty
        return out

    return primal


def _lowest(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else finfo(dtype.name).min


def _highest(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).max if dtype.kind in "iu" else finfo(dtype.name).max


def _extremum_rule(g: Any, x: Any, segments: Any, out: Any, num_segments: int) -> Any:
    """Ties within a segment share its gradient equally."""
    chosen = cast_like(equal(row_of_each(out, segments, 0), x), g)
    ties = unsorted_segment_sum(chosen, segments, num_segments=num_segments, axis=0)
    return chosen * row_of_each(g / ties, segments, 0)


def _product_rule(g: Any, x: Any, segments: Any, out: Any, num_segments: int) -> Any:
    """The product of all others in its segment: of one 0 that of what is not 0, beside two of them 0."""
    absent = equal(x, zeros_like(x))
    present = where(absent, ones_like(x), x)
    zeros = unsorted_segment_sum(cast_like(absent, x), segments, num_segments=num_segments, axis=0)
    others = unsorted_segment_prod(present, segments, num_segments=num_segments, empty=None)
    rest = where(absent, row_of_each(others, segments, 0), row_of_each(out, segments, 0) / present)
    share = where(greater(zeros, ones_like(zeros)), zeros_like(g), g)
    return row_of_each(share, segments, 0) * rest


unsorted_segment_max = defop(
    "unsorted_segment_max", _over_segments(np.maximum, _lowest), x=_extremum_rule, segments=None
)
unsorted_segment_min = defop(
    "unsorted_segment_min", _over_segments(np.minimum, _highest), x=_extremum_rule, segments=None
)
unsorted_segment_prod = defop(
    "unsorted_segment_prod", _over_segments(np.multiply, lambda _: 1), holomorphic=False, x=_product_rule, segments=None
)
