"""Indices outside of a tensor -> TensorFlow's sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from tapeviz.engine.refusals.sentences.axes import is_axis
from tapeviz.engine.refusals.sentences.terms import Sentence, Shape, Values, listed
from tapeviz.errors import Unforeseen


def outside(indices: Any, length: int, called: str = "indices") -> str:
    """The sentence about the first of some indices that is outside an axis."""
    places = np.asarray(indices)
    wrong = np.argwhere((places < 0) | (places >= length))[0]
    return f"{called}{listed(wrong) if places.ndim else ''} = {places[tuple(wrong)]} is not in [0, {length})"


def unindexed(op: str, indices: Any, shape: Sequence[int]) -> str:
    """The sentence about the first row of indices that is no place in a shape."""
    rows = np.asarray(indices)
    lengths = np.array(shape[: rows.shape[-1]])
    wrong = np.argwhere(((rows < 0) | (rows >= lengths)).any(-1))[0]
    place = ", ".join(map(str, rows[tuple(wrong)].tolist()))
    into, node = ("param shape", ", node name: GatherNd") if op == "gather_nd" else ("shape", "")
    return f"indices{listed(wrong) if wrong.size else ''} = [{place}] does not index into {into} {listed(shape)}{node}"


def unscattered(op: str, indices: Shape, updates: Shape, shape: Shape) -> str:
    """The sentence about the shapes of updates that are not one for each row of indices into a shape."""
    for called, each in (("Indices", indices), ("Updates", updates)):
        if not each:
            return f"{called} shape must have rank at least one. Found:[]"
    *outer, depth = indices
    rank, news, into = len(outer), f"updates[shape={listed(updates)}]", f"input[shape={listed(shape)}]"
    alike = list(updates[:rank]) == outer
    if (op == "scatter_nd" and not shape) or (not depth and 0 not in updates):
        return "Indices and updates specified for empty output shape"
    if not depth:
        return "Only indices.shape[-1] values between 1 and 5 are currently supported.  Requested rank: 0"
    if op != "scatter_nd" and not alike:
        both = f"Indices shape: {listed(indices)}, updates shape:{listed(updates)}"
        return f"Outer dimensions of indices and update must match. {both}"
    if op != "scatter_nd":
        inner = "Inner dimensions of output shape must match inner dimensions of updates shape"
        return f"{inner}. Output: {listed(shape)} updates: {listed(updates)}"
    if alike and (outer or updates != shape[depth:]):
        return f"Dimensions [{depth},{len(shape)}) of {into} must match dimensions [{rank},{len(updates)}) of {news}"
    span = f"dimensions [0,{max(rank, 1)})"
    return f"{span.capitalize()} of indices[shape={listed(indices)}] must match {span} of {news}"


def unscattered_rows(indices: Shape, updates: Shape, shape: Shape) -> str | None:
    """The sentence about the shapes of updates that are not a row, or one number, for each index into a variable."""
    if shape and updates in ((*indices, *shape[1:]), ()):
        return None
    if shape and len(updates) == len(indices) + len(shape) - 1 and updates[: len(indices)] != indices:
        return f"The shape of indices ({listed(indices)}) must be a prefix of the shape of updates ({listed(updates)})"
    rule = "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = []"
    got = f"updates.shape {listed(updates)}, indices.shape {listed(indices)}, params.shape {listed(shape)}"
    return f"{rule}, got {got}"


def unscattered_in_place(indices: Shape, updates: Shape, shape: Shape) -> str | None:
    """The sentence about the shapes of updates that are not one for each row of indices into a variable.

    A vector of indices is taken for a column of them.
    """
    if not shape:
        return "Output must be at least 1-D, got shape: []"
    outer, depth = (indices[:-1], indices[-1]) if len(indices) > 1 else (indices, 1)
    held, named, new = (prod(each) for each in (shape, indices, updates))
    if not (held and named and new) and (named or new):
        return f"Indices and updates specified for empty output.  indices shape: {listed(indices)}"
    called = f"indices[shape={listed(indices)}]", f"updates[shape={listed(updates)}]"
    if not (indices and updates) or indices[0] != updates[0]:
        first, news = (f"{each} = {of[0]}" if of else each for each, of in zip(called, (indices, updates), strict=True))
        return f"Dimensions [0,1) of {first} must match dimensions [0,1) of {news}"
    of_rank = len(updates) - len(outer) == len(shape) - depth
    if len(updates) < len(outer) or (of_rank and updates[: len(outer)] != outer):
        span = f"imensions [0,{len(outer)}) of"
        return f"D{span} {called[0]} must match d{span} {called[1]}"
    if not of_rank or updates[len(outer) :] != shape[depth:]:
        inner = f"Dimensions [{depth},{len(shape)}) of input[shape={listed(shape)}]"
        return f"{inner} must match dimensions [{depth},{len(updates)}) of {called[1]}"
    return None


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


SENTENCES: dict[str, Sentence] = {
    **dict.fromkeys(("sort", "argsort"), _sort),
    **dict.fromkeys([f"unsorted_segment_{each}" for each in ("max", "min", "prod", "sum")], _segments),
    "gather": _gather,
    "gather_nd": _gather_nd,
    "getitem": _getitem,
    "top_k": _top_k,
}
