"""An op that NumPy refused to compute -> what TensorFlow says of it: one function of the values for each way to fail.

Nothing here runs unless an op has failed. Where no function knows why, NumPy's own words are left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np

from tapeviz.errors import Unforeseen

Shape: TypeAlias = tuple[int, ...]
Values: TypeAlias = Sequence[Any]
Sentence: TypeAlias = Callable[..., str | None]
"""The arrays that an op was given, and its attributes by name -> the sentence, or None where all of that is right."""


def sentence(op: str, values: Values, attributes: dict[str, Any]) -> str | None:
    """TensorFlow's sentence about an op that failed on these values."""
    return SENTENCES[op](values, **attributes) if op in SENTENCES else None


def while_building(op: str, values: Values, attributes: dict[str, Any]) -> str | None:
    """What TensorFlow says instead while it builds a graph, in which there are shapes alone."""
    if op in _ELEMENTWISE:
        x, y = (each.shape[::-1] for each in values)
        unlike = [(a, b) for a, b in zip(x, y, strict=False) if a != b and 1 not in (a, b)]
        return f"Dimensions must be equal, but are {unlike[-1][0]} and {unlike[-1][1]}" if unlike else None
    if op == "concat":
        return _unlike_pieces(values, **attributes)
    if op == "reshape" and -1 not in attributes["shape"]:
        shape = attributes["shape"]
        elements = f"to shape {listed(shape)} ({prod(shape)} elements)"
        return f"Cannot reshape a tensor with {values[0].size} elements {elements}"
    return None


def listed(shape: Iterable[Any]) -> str:
    """A shape as TensorFlow's kernels write it: `[2,3]`."""
    return f"[{','.join('?' if n is None else str(n) for n in shape)}]"


def outside(indices: Any, length: int, called: str = "indices") -> str:
    """What is said of the first of some indices that is outside an axis."""
    places = np.asarray(indices)
    wrong = np.argwhere((places < 0) | (places >= length))[0]
    return f"{called}{listed(wrong) if places.ndim else ''} = {places[tuple(wrong)]} is not in [0, {length})"


def unindexed(op: str, indices: Any, shape: Sequence[int]) -> str:
    """What is said of the first row of indices that is no place in a shape."""
    rows = np.asarray(indices)
    lengths = np.array(shape[: rows.shape[-1]])
    wrong = np.argwhere(((rows < 0) | (rows >= lengths)).any(-1))[0]
    place = ", ".join(map(str, rows[tuple(wrong)].tolist()))
    into, node = ("param shape", ", node name: GatherNd") if op == "gather_nd" else ("shape", "")
    return f"indices{listed(wrong) if wrong.size else ''} = [{place}] does not index into {into} {listed(shape)}{node}"


def unscattered(op: str, indices: Shape, updates: Shape, shape: Shape) -> str:
    """What is said, by their shapes, of updates that are not one for each row of indices into a shape."""
    for called, each in (("Indices", indices), ("Updates", updates)):
        if not each:
            return f"{called} shape must have rank at least one. Found:[]"
    *outer, depth = indices
    rank, news, into = len(outer), f"updates[shape={listed(updates)}]", f"input[shape={listed(shape)}]"
    alike = list(updates[:rank]) == outer
    if not depth and 0 not in updates:
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


def _unbroadcastable(values: Values) -> str | None:
    x, y = (each.shape for each in values)
    try:
        np.broadcast_shapes(x, y)
    except ValueError:
        return f"Incompatible shapes: {listed(x)} vs. {listed(y)}"
    return None


def _broadcast_to(values: Values, *, shape: Any) -> str:
    unlike = _unbroadcastable((values[0], np.empty(shape, np.bool_)))
    return unlike or f"Unable to broadcast tensor of shape {listed(values[0].shape)} to tensor of shape {listed(shape)}"


def _where(values: Values) -> str:
    condition, x, y = (listed(each.shape) for each in values)
    return f"condition {condition}, then {x}, and else {y} must be broadcastable"


# ----- axes -----


def _is_axis(axis: int, rank: int) -> bool:
    return -rank <= axis < rank


def _reduction(values: Values, *, axis: Any, keepdims: bool) -> str | None:
    rank, met = values[0].ndim, set()
    for each in axis if isinstance(axis, tuple) else (axis,):
        if not _is_axis(each, rank):
            return f"Invalid reduction dimension ({each} for input with {rank} dimension(s)"
        if each % rank in met:
            return Unforeseen(f"Invalid reduction arguments: Axes contains duplicate dimension: {each % rank}")
        met.add(each % rank)
    return None


def _no_such_axis(what: str) -> Sentence:
    def found(values: Values, *, axis: int, **rest: Any) -> str | None:
        rank = values[0].ndim
        return None if _is_axis(axis, rank) else Unforeseen(f"{what} in the range [{-rank}, {rank}), but got {axis}")

    return found


def _sort(values: Values, *, axis: int, descending: bool) -> str | None:
    """TensorFlow reads the length of the axis out of the shape."""
    return None if _is_axis(axis, rank := values[0].ndim) else _no_index(axis, rank, 0)


def _one_hot(values: Values, *, axis: int, **rest: Any) -> str:
    return Unforeseen(f"Expected axis to be -1 or between [0, {values[0].ndim + 1}).  But received: {axis}")


def _roll(values: Values, *, shift: Any, axis: Any) -> str | None:
    return next((Unforeseen(f"axis {i} is out of range") for i in axis if not _is_axis(i, values[0].ndim)), None)


def _reverse(values: Values, *, axis: Any) -> str | None:
    rank = values[0].ndim
    for place, i in enumerate(axis):
        if not _is_axis(i, rank):
            return f"'axis'[{place}] = {i} is out of valid range [0, {rank - 1}"
        if i % rank in {each % rank for each in axis[:place]}:
            return f"axis {i % rank} specified more than once."
    return None


# ----- shapes -----


def _reshape(values: Values, *, shape: Any) -> str:
    unknown = [i for i, n in enumerate(shape) if n == -1]
    if len(unknown) > 1:
        return Unforeseen(f"Only one input size may be -1, not both {unknown[0]} and {unknown[1]}")
    wanted = prod(n for n in shape if n != -1)
    needs = f"shape requires a multiple of {wanted}" if unknown else f"shape has {wanted}"
    return f"Input to reshape is a tensor with {values[0].size} values, but the requested {needs}"


def _transpose(values: Values, *, perm: Any) -> str | None:
    rank = values[0].ndim
    if len(perm) != rank:
        return f"transpose expects a vector of size {rank}. But input(1) is a vector of size {len(perm)}"
    far = next((f"{i} is out of range [0 .. {rank})" for i in perm if not 0 <= i < rank), None)
    order = ",".join(map(str, perm))
    return far or next((Unforeseen(f"{i} is missing from {{{order}}}.") for i in range(rank) if i not in perm), None)


def _expand_dims(values: Values, *, axis: int) -> str:
    return f"Tried to expand dim index {axis} for tensor with {values[0].ndim} dimensions."


def _squeeze(values: Values, *, axis: Any) -> str | None:
    shape = values[0].shape
    for i in axis:
        if not _is_axis(i, len(shape)):
            return f"Tried to squeeze dim index {i} for tensor with {len(shape)} dimensions."
    wide = next((i % len(shape) for i in axis if shape[i] != 1), None)
    return None if wide is None else f"Can not squeeze dim[{wide}], expected a dimension of 1, got {shape[wide]}"


def _concat(values: Values, *, axis: int) -> str | None:
    first = values[0].shape
    if not _is_axis(axis, len(first)):
        return f"ConcatOp : {_no_such_axis('Expected concatenating dimensions')(values, axis=axis)}"
    for i, each in enumerate(values):
        both = f"shape[0] = {listed(first)} vs. shape[{i}] = {listed(each.shape)}"
        if each.ndim != len(first):
            return f"ConcatOp : Ranks of all input tensors should match: {both}"
        differ = [at for at, n in enumerate(each.shape) if n != first[at] and at != axis % len(first)]
        if differ:
            return f"ConcatOp : Dimension {differ[0]} in both shapes must be equal: {both}"
    return None


def _unlike_pieces(values: Values, *, axis: int) -> str | None:
    """The same while a graph is built: the shapes without the axis along which they are joined."""
    first = values[0]
    if any(each.ndim != first.ndim for each in values) or not _is_axis(axis, first.ndim):
        return None
    pieces = [np.delete(each.shape, axis).tolist() for each in values]
    other = next(each for each in pieces if each != pieces[0])
    at = next(i for i, n in enumerate(other) if n != pieces[0][i])
    lengths = f"{pieces[0][at]} and {other[at]}"
    shapes = f"{listed(pieces[0])} and {listed(other)}"
    return f"Dimension {at} in both shapes must be equal, but are {lengths}. Shapes are {shapes}."


def _stack(values: Values, *, axis: int) -> str | None:
    first = values[0].shape
    for i, each in enumerate(values):
        if each.shape != first:
            return (
                f"Shapes of all inputs must match: values[0].shape = {listed(first)} != "
                f"values[{i}].shape = {listed(each.shape)}"
            )
    return None


def unequal(values: Values) -> str:
    """What is said of tensors that are to be added as they are, and differ in their shapes."""
    first = values[0].shape
    i, other = next((i, each.shape) for i, each in enumerate(values) if each.shape != first)
    same = "Inputs to operation AddN of type AddN must have the same size and shape."
    return f"{same}  Input 0: {listed(first)} != input {i}: {listed(other)}"


def _tile(values: Values, *, multiples: Any) -> str | None:
    wrong = ((i, n) for i, n in enumerate(multiples) if n < 0)
    return next((Unforeseen(f"Expected multiples[{i}] >= 0, but got {n}") for i, n in wrong), None)


def _repeat(values: Values, *, repeats: Any, axis: int) -> str | None:
    """TensorFlow tiles along a new axis behind the one that is repeated."""
    return _tile(values, multiples=(*[1] * (axis + 1), min(repeats)))


# ----- indices -----


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
    """The entries that are about an axis, and which one; an ellipsis spans so many."""
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
    return None if _is_axis(axis, rank) else f"Shape must be at least rank {needed} but is rank {rank}"


def _gather_nd(values: Values, *, batch_dims: int) -> str:
    x, indices = values
    return (
        f"index innermost dimension length must be <= params rank; saw: {indices.shape[-1]} vs. {x.ndim - batch_dims}"
    )


def _segments(values: Values, *, num_segments: int, **_: Any) -> str | None:
    if num_segments < 0:
        return f"Input num_segments == {num_segments} must not be negative."
    ids = values[1]
    wrong = np.flatnonzero(ids >= num_segments)
    return next((Unforeseen(f"segment_ids[{i}] = {ids[i]} is out of range [0, {num_segments})") for i in wrong), None)


def _top_k(values: Values, *, k: int, in_order: bool = True) -> str | None:
    return None if values[0].ndim else "input must be >= 1-D, got shape []"


# ----- matrices -----


def _batches(values: Values) -> str:
    x, y = (listed(each.shape) for each in values)
    return f"In[0] and In[1] must have compatible batch dimensions: {x} vs. {y}"


def not_square(x: Any) -> str:
    """What is said of an array that is no square matrix."""
    return f"Input tensor 0 must have rank >= 2, got {x.ndim}" if x.ndim < 2 else "Input matrix must be square."


def _decomposition(values: Values, **rest: Any) -> str | None:
    x = values[0]
    return not_square(x) if x.ndim < 2 or x.shape[-1] != x.shape[-2] else None


def _diagonal(values: Values) -> str | None:
    shape = values[0].shape
    return f"input must be at least 2-dim, received shape: {listed(shape)}" if len(shape) < 2 else None


def _expm(values: Values, **rest: Any) -> str:
    """TensorFlow squares a list of matrices."""
    shape = values[0].shape
    squared = listed((prod(shape[:-2]), *shape[-2:]))
    return f"Matrix size-incompatible: In[0]: {squared}, In[1]: {squared} 0 0"


def _solve(values: Values) -> str:
    return "Input matrix and rhs are incompatible."


def _einsum(values: Values, *, equation: str) -> str | None:
    lengths: dict[str, int] = {}
    for slot, (labels, each) in enumerate(zip(equation.partition("->")[0].split(","), values, strict=True)):
        if len(labels) != each.ndim:
            return f"Expected input {slot} to have rank {len(labels)} but got: {each.ndim}"
        for axis, (label, n) in enumerate(zip(labels, each.shape, strict=True)):
            known = lengths.setdefault(label, n)
            if n != known:
                return (
                    f"Expected dimension {known} at axis {axis} of the input shaped {listed(each.shape)} "
                    f"but got dimension {n}"
                )
    return None


_REDUCTIONS = ("sum", "mean", "max", "min", "prod", "any", "all", "logsumexp", "variance", "euclidean_norm")
_ELEMENTWISE = (
    *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or"),
    *("logical_xor", "add", "sub", "mul", "div", "floordiv", "mod", "truncatediv", "truncatemod", "pow", "maximum"),
    *("minimum", "squared_difference", "divide_no_nan", "multiply_no_nan", "xdivy", "xlogy", "xlog1py", "atan2"),
    "complex",
)
_SCANNED = _no_such_axis("ScanOp: Expected scan axis")
_PLACED = _no_such_axis("Expected dimension")

SENTENCES: dict[str, Sentence] = {
    **{f"reduce_{each}": _reduction for each in _REDUCTIONS},
    **dict.fromkeys(("cumsum", "cumprod", "cumulative_logsumexp"), _SCANNED),
    **dict.fromkeys(("argmax", "argmin"), _PLACED),
    **dict.fromkeys(("sort", "argsort"), _sort),
    **dict.fromkeys(_ELEMENTWISE, _unbroadcastable),
    **dict.fromkeys(("qr", "svd", "eigh", "slogdet"), _decomposition),
    "broadcast_to": _broadcast_to,
    "concat": _concat,
    "diag_part": _diagonal,
    "einsum": _einsum,
    "expand_dims": _expand_dims,
    "expm": _expm,
    "gather": _gather,
    "gather_nd": _gather_nd,
    "getitem": _getitem,
    "matmul": _batches,
    "one_hot": _one_hot,
    "repeat": _repeat,
    "reshape": _reshape,
    "reverse": _reverse,
    "roll": _roll,
    "solve": _solve,
    "squeeze": _squeeze,
    "stack": _stack,
    "tile": _tile,
    "top_k": _top_k,
    "transpose": _transpose,
    "unsorted_segment_max": _segments,
    "unsorted_segment_min": _segments,
    "unsorted_segment_prod": _segments,
    "unsorted_segment_sum": _segments,
    "where": _where,
}
