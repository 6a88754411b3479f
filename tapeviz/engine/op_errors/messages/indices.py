"""Indices outside of a tensor -> TensorFlow's message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tapeviz.engine.op_errors.messages.axes import is_axis
from tapeviz.engine.op_errors.messages.base import MessageFunction, Values
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.errors import Unforeseen


def index_out_of_range(indices: Any, length: int, called: str = "indices") -> str:
    """The message about the first of some indices that is outside an axis."""
    places = np.asarray(indices)
    wrong = np.argwhere((places < 0) | (places >= length))[0]
    return f"{called}{listed(wrong) if places.ndim else ''} = {places[tuple(wrong)]} is not in [0, {length})"


def indices_out_of_range(op: str, indices: Any, shape: Sequence[int]) -> str:
    """The message about the first row of indices that is no place in a shape."""
    rows = np.asarray(indices)
    lengths = np.array(shape[: rows.shape[-1]])
    wrong = np.argwhere(((rows < 0) | (rows >= lengths)).any(-1))[0]
    place = ", ".join(map(str, rows[tuple(wrong)].tolist()))
    into, node = ("param shape", ", node name: GatherNd") if op == "gather_nd" else ("shape", "")
    return f"indices{listed(wrong) if wrong.size else ''} = [{place}] does not index into {into} {listed(shape)}{node}"


def _no_index(index: int, length: int, dimension: int) -> str:
    return f"slice index {index if index >= 0 else index + length} of dimension {dimension} out of bounds."


def _getitem(values: Values, *, index: tuple[Any, ...]) -> str | None:
    shape = values[0].shape
    if not shape:
        return "Attempting to slice scalar input."
    if index.count("...") > 1:
        return "Multiple ellipses in slice spec not allowed"
    entries = [each for each in index if each is not None and each != "..."]
    if len(entries) > len(shape):
        return f"Index out of range using input dim {len(shape)}; input has only {len(shape)} dims"
    for axis, entry in _by_axis(index, len(shape) - len(entries)):
        if isinstance(entry, tuple) and entry[2] == 0:
            return f"strides[{axis}] must be non-zero"
        if not isinstance(entry, tuple) and not -shape[axis] <= entry < shape[axis]:
            return _no_index(entry, shape[axis], axis)
    return None


def _by_axis(index: tuple[Any, ...], spanned: int) -> Iterator[tuple[int, Any]]:
    """The entries of an index that are about an axis, with that axis; an ellipsis stands for `spanned` axes."""
    axis = 0
    for entry in index:
        if entry == "...":
            axis += spanned
        elif entry is not None:
            yield axis, entry
            axis += 1


def _gather(values: Values, *, axis: int, batch_dims: int) -> str | None:
    rank = values[0].ndim
    if not rank:
        return "params must be at least 1 dimensional"
    needed = axis + 1 if axis >= 0 else -axis
    return None if is_axis(axis, rank) else f"Shape must be at least rank {needed} but is rank {rank}"


def _gather_nd(values: Values, *, batch_dims: int) -> str:
    x, indices = values
    return (
        f"index innermost dimension length must be <= params rank; saw: {indices.shape[-1]} vs. {x.ndim - batch_dims}"
    )


def _segments(values: Values, *, num_segments: int, **_: Any) -> str | None:
    if num_segments < 0:
        return f"Input num_segments == {num_segments} must not be negative."
    ids = values[1]
    for place in np.argwhere(ids >= num_segments):
        at = listed(place) if place.size else ""
        return Unforeseen(f"segment_ids{at} = {ids[tuple(place)]} is out of range [0, {num_segments})")
    return None


def _sort(values: Values, *, axis: int, descending: bool) -> str | None:
    """TensorFlow reads the length of the axis out of the shape."""
    return None if is_axis(axis, rank := values[0].ndim) else _no_index(axis, rank, 0)


def _top_k(values: Values, *, k: int, in_order: bool = True) -> str | None:
    return None if values[0].ndim else "input must be >= 1-D, got shape []"


MESSAGES: dict[str, MessageFunction] = {
    **dict.fromkeys(("sort", "argsort"), _sort),
    **dict.fromkeys([f"unsorted_segment_{each}" for each in ("max", "min", "prod", "sum")], _segments),
    "gather": _gather,
    "gather_nd": _gather_nd,
    "getitem": _getitem,
    "top_k": _top_k,
}
