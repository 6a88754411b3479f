"""The operands and attributes of an op that failed in NumPy -> the reason, and the error of TensorFlow's class.

Nothing here runs unless an op has failed. If no function knows the reason, it is what NumPy says. Public functions are
for code that finds a mistake by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np

from tapeviz.engine.graph_mode.batch_length import batch_length
from tapeviz.engine.op_errors.dtypes import dtype_and_shape, wrong_dtype
from tapeviz.engine.op_errors.memory import exhausted
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.errors import InvalidArgumentError, Unforeseen
from tapeviz.events import catalog

Values: TypeAlias = Sequence[Any]
Reason: TypeAlias = Callable[..., str | None]
"""A function of the operands, as arrays, and of the attributes -> the reason, or None if these are right."""


def reason(op: str, values: Values, attributes: dict[str, Any]) -> str | None:
    """Why an op failed on these values, or None if that is not known."""
    if op in _REASONS:
        return _REASONS[op](values, **attributes)
    row = catalog.ROWS.get(op)
    return _elementwise(values) if row is not None and row.broadcasts and len(values) == 2 else None


# ----- shapes -----


def incompatible_shapes(x: Iterable[int], y: Iterable[int]) -> str:
    """The message about two shapes that do not broadcast."""
    return f"Incompatible shapes: {listed(x)} vs. {listed(y)}"


def different_update_shape(variable: Iterable[int], update: Iterable[int]) -> str:
    """The message about an update of another shape than the variable's, where updates are not broadcast."""
    return f"A variable of shape {listed(variable)} takes an update of its shape, not of {listed(update)}"


def different_shapes(values: Values) -> str:
    """The message about tensors that must have one shape."""
    at, other = next((at, each.shape) for at, each in enumerate(values) if each.shape != values[0].shape)
    return f"All shapes must be the same, but the first is {listed(values[0].shape)}, and that at {at} {listed(other)}"


def _elementwise(values: Values) -> str | None:
    x, y = (each.shape for each in values)
    try:
        np.broadcast_shapes(x, y)
    except ValueError:
        said = incompatible_shapes(x, y)
        return Unforeseen(said) if _are_open(x, y) else said
    return None


def _are_open(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
    """Whether all mismatches are with the length of a batch, which a graph does not know."""
    axes = range(-1, -min(len(x), len(y)) - 1, -1)
    unlike = [axis for axis in axes if x[axis] != y[axis] and 1 not in (x[axis], y[axis])]
    return all(any(-axis == len(each) and each[0] == batch_length.get() for each in (x, y)) for axis in unlike)


def _broadcast_to(values: Values, *, shape: object) -> str | None:
    return _elementwise((values[0], np.empty(shape, np.bool_)))


def _chosen(values: Values) -> str:
    return f"Incompatible shapes: {', '.join(listed(each.shape) for each in values)}"


def _reshape(values: Values, *, shape: Any) -> str:
    if list(shape).count(-1) > 1:
        return Unforeseen(f"Only one length may be -1, not several as in {listed(shape)}")
    multiple = "a multiple of " if -1 in shape else ""
    return f"{listed(shape)} holds {multiple}{prod(n for n in shape if n != -1)} values, not {values[0].size}"


def _transpose(values: Values, *, perm: Any) -> str | None:
    rank = values[0].ndim
    said = f"perm={listed(perm)} is no order of {rank} axes"
    return said if len(perm) != rank or not all(0 <= each < rank for each in perm) else Unforeseen(said)


def _squeeze(values: Values, *, axis: Any) -> str | None:
    wide = [i for i in axis if is_axis(i, values[0].ndim) and values[0].shape[i] != 1]
    return f"Axis {wide[0]} has length {values[0].shape[wide[0]]}, only one of length 1 goes away" if wide else None


def _stack(values: Values, *, axis: int) -> str | None:
    return different_shapes(values) if any(each.shape != values[0].shape for each in values) else None


def _tile(values: Values, *, multiples: Any) -> str | None:
    return Unforeseen(f"No negative number of copies: {listed(multiples)}") if min(multiples, default=0) < 0 else None


def _repeat(values: Values, *, repeats: object, axis: int) -> str | None:
    return _tile(values, multiples=repeats)


# ----- axes -----


def is_axis(axis: int, rank: int) -> bool:
    """Whether an array of this rank has this axis, which may be negative."""
    return -rank <= axis < rank


def _far(axes: object, rank: int) -> str | None:
    """The reason if one of some axes is none of an array of this rank."""
    axes = axes if isinstance(axes, tuple) else (axes,)
    return next((f"There is no axis {each} of {rank}" for each in axes if not is_axis(each, rank)), None)


def _reduction(values: Values, *, axis: object, keepdims: bool) -> str | None:
    return _far(axis, values[0].ndim) or Unforeseen(f"An axis is there twice: {axis}")


def _axis(values: Values, *, axis: object, **rest: object) -> str | None:
    return _far(axis, values[0].ndim)


def _axis_at_run(values: Values, *, axis: object, **rest: object) -> str | None:
    far = _far(axis, values[0].ndim)
    return far and Unforeseen(far)


def _argument(values: Values, *, axis: int, **rest: object) -> str | None:
    """A graph finds the mistake only if the input is not a vector."""
    return (_axis if values[0].ndim > 1 else _axis_at_run)(values, axis=axis)


def _one_hot(values: Values, *, axis: int, **rest: object) -> str:
    return Unforeseen(f"axis={axis} is not -1, nor in [0, {values[0].ndim + 1})")


def _reverse(values: Values, *, axis: object) -> str | None:
    return _far(axis, values[0].ndim) or f"An axis is there twice: {axis}"


# ----- places -----


def index_out_of_range(indices: object, length: int, called: str = "indices") -> str:
    """The message about the first of some indices that is outside an axis."""
    places = np.asarray(indices)
    wrong = np.argwhere((places < 0) | (places >= length))[0]
    return f"{called}{listed(wrong) if places.ndim else ''} = {places[tuple(wrong)]} is not in [0, {length})"


def indices_out_of_range(indices: object, shape: Sequence[int]) -> str:
    """The message about the first row of indices that is no place in a shape."""
    rows = np.asarray(indices)
    lengths = np.array(shape[: rows.shape[-1]])
    wrong = np.argwhere(((rows < 0) | (rows >= lengths)).any(-1))[0]
    at = listed(wrong) if wrong.size else ""
    return f"indices{at} = {listed(rows[tuple(wrong)].tolist())} is no place in shape {listed(shape)}"


def _getitem(values: Values, *, index: tuple[Any, ...]) -> str | None:
    if index.count("...") > 1:
        return "Only one ... is allowed in an index"
    if any(isinstance(each, tuple) and each[2] == 0 for each in index):
        return "The step of a slice must not be 0"
    return None


def _segments(values: Values, *, num_segments: int, **_: object) -> str | None:
    if num_segments < 0:
        return f"num_segments={num_segments} must not be negative"
    ids = values[1]
    return Unforeseen(index_out_of_range(ids, num_segments, "segment_ids")) if (ids >= num_segments).any() else None


# ----- matrices -----


def not_square(x: Any) -> str:
    """The message about an array that is no square matrix."""
    return "A matrix has two axes at least" if x.ndim < 2 else "The matrix must be square"


def _decomposition(values: Values, **rest: object) -> str | None:
    x = values[0]
    return not_square(x) if x.ndim < 2 or x.shape[-1] != x.shape[-2] else None


def _einsum(values: Values, *, equation: str) -> str | None:
    lengths: dict[str, int] = {}
    for labels, each in zip(equation.partition("->")[0].split(","), values, strict=True):
        if len(labels) != each.ndim:
            return f"'{labels}' in {equation!r} names {len(labels)} axes, not {each.ndim}"
        for label, n in zip(labels, each.shape, strict=True):
            if n != lengths.setdefault(label, n):
                return f"'{label}' in {equation!r} is of length {lengths[label]} and of length {n}"
    return None


_REDUCTIONS = ("sum", "mean", "max", "min", "prod", "any", "all", "logsumexp", "variance", "euclidean_norm")

_REASONS: dict[str, Reason] = {
    **{f"reduce_{each}": _reduction for each in _REDUCTIONS},
    **dict.fromkeys(("cumsum", "cumprod", "cumulative_logsumexp", "roll"), _axis_at_run),
    **dict.fromkeys(("argmax", "argmin"), _argument),
    **dict.fromkeys(("sort", "argsort", "gather"), _axis),
    **dict.fromkeys([f"unsorted_segment_{each}" for each in ("max", "min", "prod", "sum")], _segments),
    **dict.fromkeys(("qr", "svd", "eigh", "slogdet", "expm"), _decomposition),
    **dict.fromkeys(("where", "mask"), _chosen),
    "broadcast_to": _broadcast_to,
    "einsum": _einsum,
    "getitem": _getitem,
    "one_hot": _one_hot,
    "repeat": _repeat,
    "reshape": _reshape,
    "reverse": _reverse,
    "squeeze": _squeeze,
    "stack": _stack,
    "tile": _tile,
    "transpose": _transpose,
}


_NO_LOOP = ("ufunc", "unsupported operand", "bad operand")
"""What is in the text of a TypeError of NumPy's or Python's if it is about a dtype."""
_TOO_LARGE = "iterator is too large"
"""NumPy's ValueError for a result with more elements than it can count: in a browser, 2**31."""


def failed(op: str, error: Exception, values: Any, attributes: dict[str, Any] | None = None) -> Exception:
    """The error for an op whose primal raised `error`: the reason, or NumPy's message, and the dtypes and shapes."""
    if isinstance(error, MemoryError) or str(error) == _TOO_LARGE:
        return exhausted(error)
    given = ", ".join(dtype_and_shape(each) for each in values)
    if isinstance(error, TypeError) and any(each in str(error) for each in _NO_LOOP):
        return wrong_dtype(op, values[0].dtype, given)
    known = reason(op, values, attributes or {})
    by_values = isinstance(error, np.linalg.LinAlgError) if known is None else isinstance(known, Unforeseen)
    kind = TypeError if isinstance(error, TypeError) else ValueError
    return InvalidArgumentError(f"{known or error}. In {op} of {given}.", at_run=by_values, in_graph=kind)
