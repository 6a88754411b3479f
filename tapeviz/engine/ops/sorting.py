"""The op table: sorting along an axis, the largest numbers, and picking by the indices that they have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts
from tapeviz.engine.kernels.insertion_sort import SHORT, inserted
from tapeviz.engine.kernels.top_k import largest
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.ops.array import Shape
from tapeviz.engine.ops.math import zeros_like
from tapeviz.engine.specs.dtype_sets import REALS
from tapeviz.engine.specs.dtypes import Array


def _order(x: Array, *, axis: int, descending: bool) -> Any:
    """The indices that sort; of equal numbers the lower index comes first, in both directions."""
    axis = normalize_axis_index(axis, x.ndim)
    if x.dtype.kind == "f" and x.shape[axis] <= SHORT and np.isnan(x).any():
        falling = x if descending else -x
        return np.apply_along_axis(lambda row: np.array(inserted(row.tolist()), np.int32), axis, falling)
    if not descending:
        return np.argsort(x, axis=axis, kind="stable").astype(np.int32)
    last = x.shape[axis] - 1
    backwards = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return (last - np.flip(backwards, axis)).astype(np.int32)


def _put_along(x: Array, indices: Array, *, shape: Shape, axis: int) -> Any:
    out = np.zeros(shape, x.dtype)
    np.put_along_axis(out, indices, x, axis)
    out += out.dtype.type(0)  # TensorFlow adds to zeros, and 0.0 + -0.0 is 0.0
    return out


def _as_it_falls(g: Array, descending: bool) -> Any:
    """A gradient on its way past a minus: TensorFlow knows how numbers fall, and has them rise by a minus, twice.

    So what none comes to is -0.0.
    """
    return g if descending else -g


argsort = defop(
    "argsort",
    _order,
    Facts(recast=True, dtypes=REALS),
    x=lambda g, x, axis, descending: (
        _as_it_falls(zeros_like(x), descending) if axis in (-1, len(x.shape) - 1) else None
    ),
)
take_along = defop(
    "take_along",
    lambda x, indices, *, axis: np.take_along_axis(x, indices, axis),
    x=lambda g, indices, x_shape, axis: put_along(g, indices, shape=x_shape, axis=axis),
    indices=None,
)
put_along = defop(
    "put_along",
    _put_along,
    x=lambda g, indices, axis: take_along(g, indices, axis=axis),
    indices=None,
)
sort = defop(
    "sort",
    lambda x, *, axis, descending: np.take_along_axis(x, _order(x, axis=axis, descending=descending), axis),
    Facts(dtypes=REALS),
    x=lambda g, x, x_shape, axis, descending: _as_it_falls(
        put_along(_as_it_falls(g, descending), argsort(x, axis=axis, descending=descending), shape=x_shape, axis=axis),
        descending,
    ),
)


def _top_k(x: Array, *, k: int, in_order: bool = True) -> tuple[Any, Any]:
    require(k >= 0, f"Need k >= 0, got {k}, in top_k.")
    require(
        k <= x.shape[-1],
        f"input must have at least k columns. Had {x.shape[-1]}, needed {k}, in top_k.",
    )
    unsorted = not in_order and k > 1
    if 0 < k < x.shape[-1] and (unsorted or (x.dtype.kind == "f" and np.isnan(x).any())):
        rows = x.reshape(-1, x.shape[-1])
        indices = np.array([largest(row, k, in_order) for row in rows], np.int32).reshape(*x.shape[:-1], k)
    else:
        indices = _order(x, axis=-1, descending=True)[..., :k]
    return np.take_along_axis(x, indices, -1), indices


top_k = defop(
    "top_k", _top_k, Facts(dtypes=REALS), x=lambda g, out, x_shape: put_along(g[0], out[1], shape=x_shape, axis=-1)
)
