"""The op table: searching, counting and drawing; none of these ops has a gradient."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import Any

import numpy as np

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts
from tapeviz.engine.specs.dtype_sets import COMPLEX, DOUBLES, EVERY, HALF, NUMBERS, TEXT, TRUTH, WIDE
from tapeviz.engine.specs.dtypes import Array, as_dtype


def _one_hot(indices: object, *, depth: int, on_value: Array, off_value: Array, axis: int, dtype: str) -> Any:
    hit = np.asarray(indices)[..., None] == np.arange(depth)
    plain = on_value == 1 and off_value == 0
    out = hit.astype(dtype) if plain else np.where(hit, on_value, off_value).astype(as_dtype(dtype)._numpy)
    return out if axis == -1 else np.moveaxis(out, -1, axis)


def _places(row: Any, wanted: Any, side: Any) -> Any:
    """The places in one row. With NaN TensorFlow does a binary search like `bisect`, while NumPy sorts NaN last."""
    if row.dtype.kind != "f" or not (np.isnan(row).any() or np.isnan(wanted).any()):
        return np.searchsorted(row, wanted, side)
    find = bisect_left if side == "left" else bisect_right
    return np.array([find(row, each) for each in wanted], np.intp)


def _searchsorted(x: Array, values: Array, side: Array) -> Any:
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    wanted = values.reshape(len(rows), values.shape[-1])
    found = [_places(row, each, side) for row, each in zip(rows, wanted, strict=True)]
    return np.array(found, np.intp).reshape(values.shape)


def _unique(x: Array, *, out_idx: str) -> tuple[Any, Any]:
    values, first, place = np.unique(x, return_index=True, return_inverse=True, equal_nan=False)
    order = np.argsort(first)
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    return values[order], ranks[place].astype(out_idx)


def _bincount(x: Array, weights: Array, *, length: int, by_row: bool, binary: bool) -> Any:
    """Counts of all numbers together, or in each row; there is a weight for each number, or one for all."""
    rows = x.astype(np.int64).reshape((-1, x.shape[-1]) if by_row else (1, -1))
    found = np.zeros((len(rows), length), weights.dtype)
    within = rows < length
    places = np.nonzero(within)[0]
    np.add.at(found, (places, rows[within]), np.broadcast_to(weights, x.shape).reshape(rows.shape)[within])
    if binary:
        found = (found > 0).astype(weights.dtype)
    return found if by_row else found[0]


def _in_top_k(targets: Array, predictions: Array, *, k: int) -> Any:
    known = (targets >= 0) & (targets < predictions.shape[1])
    chosen = np.take_along_axis(predictions, np.where(known, targets, 0)[:, None], 1)
    finite = known & np.isfinite(predictions).all(1)
    return finite & ((predictions > chosen).sum(1) < k)


def _drawn_classes(logits: Array, noise: Array, *, dtype: str) -> Any:
    """For each fraction of a row, the class at which the running sum of the probabilities exceeds it.

    As in TensorFlow, no class is drawn whose number is not finite.
    """
    known = np.where(np.isfinite(logits), logits, -np.inf).astype(np.float64)
    sums = np.exp(known - known.max(axis=1, keepdims=True)).cumsum(axis=1)
    rows = [np.searchsorted(row, each * row[-1], side="right") for row, each in zip(sums, noise, strict=True)]
    return np.array(rows, dtype).reshape(noise.shape)


unique = defop("unique", _unique, Facts(recast=True, dtypes=EVERY, no_kernel=COMPLEX), x=None)
bincount = defop("bincount", _bincount, Facts(dtypes=DOUBLES | WIDE), x=None, weights=None)
in_top_k = defop("in_top_k", _in_top_k, Facts(dtypes=WIDE), targets=None, predictions=None)
one_hot = defop("one_hot", _one_hot, indices=None)
where_true = defop(
    "where_true",
    lambda condition: np.argwhere(condition),
    Facts(over="all", dtypes=NUMBERS | TRUTH, no_kernel=HALF),
    condition=None,
)
searchsorted = defop(
    "searchsorted",
    lambda x, values, *, side, out_type: _searchsorted(x, values, side).astype(out_type),
    Facts(dtypes=EVERY, no_kernel=COMPLEX | TRUTH | TEXT),
    x=None,
    values=None,
)
categorical = defop("categorical", _drawn_classes, logits=None, noise=None)
