"""Functions applied row by row, with their results stacked (`tf.map_fn`, `tf.scan` and the like)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine import nest, random
from tapeviz.engine.api.arguments import tensor_of
from tapeviz.engine.api.array.creation import zeros
from tapeviz.engine.api.array.tensor_array import TensorArray
from tapeviz.engine.api.exports import export
from tapeviz.engine.api.programs.contexts import type_spec_from_value
from tapeviz.engine.api.programs.loop_of_graph import another_dtype_after_iteration
from tapeviz.engine.custom_gradient import around_rows, recorders
from tapeviz.engine.function import as_one
from tapeviz.engine.ops import joining, picking
from tapeviz.engine.setting import Setting
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tensors.known_as import called
from tapeviz.engine.tracing.building import building, in_graph
from tapeviz.engine.tracing.loops import looping
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.errors import InvalidArgumentError, OutOfRangeError


def _not_callable(op: str, fn: Any) -> AttributeError:
    """The error for a function that is none: TensorFlow asks for its name."""
    kind = called(type(fn))
    return AttributeError(f"{kind!r} object has no attribute '__name__'. In {op} the function {fn!r} cannot be called.")


@export("map_fn")
def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: Any = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` applied to each row of `elems`, a tensor or a structure of them; the results are stacked.

    Args:
        fn_output_signature: the dtypes, or specs, of what `fn` gives, in its structure; those of `elems` by default.

    Raises:
        InvalidArgumentError: a result of another dtype than announced.
        ValueError: nothing to go over, a scalar, or columns of different lengths; results of different shapes, or of
            another structure than announced (TypeError: of another type).
    """
    if not callable(fn):
        raise _not_callable("map_fn", fn)
    signature = dtype if fn_output_signature is None else fn_output_signature
    for each in nest.flatten(elems):
        type_spec_from_value(each)
    columns = [tensor_of(each) for each in nest.flatten(elems)]
    if not columns:
        raise ValueError(
            "elems must be a Tensor or (possibly nested) sequence of Tensors. "
            f"Got {elems}, which does not contain any Tensors."
        )
    if any(not each.ndim for each in columns):
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    announced, fn = elems if signature is None else signature, random.body(fn)
    results = [_results(each.dtype) for each in columns]
    if signature is not None:
        specs = [each if isinstance(each, TensorSpec) else TensorSpec(None, each) for each in nest.flatten(signature)]
        results = [_results(each.dtype, each.shape, infer_shape) for each in specs]
    with looping():
        for place, row in enumerate(_rows("map_fn", elems, columns)):
            found = fn(row)
            nest.assert_same_structure(announced, found)
            results = [to.write(place, each) for to, each in zip(results, nest.flatten(found), strict=True)]
    return nest.pack_sequence_as(announced, [each.stack() for each in results])


@export("scan")
def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """`total = fn(total, row)` over the rows of `elems`, from the initializer or the first row; all totals, stacked.

    Raises:
        TypeError: `fn` cannot be called.
        InvalidArgumentError: a total of another dtype than the one it began with.
        ValueError: columns of different lengths, or a total of another shape or structure than the one it began with.
        IndexError: a scalar, or no tensor; OutOfRangeError: no row and no initializer, or too few in one tensor.
    """
    start = None if initializer is None else nest.map_structure(tensor_of, initializer)
    fn, first, rows = _begun("scan", fn, elems, start, reverse)
    parts, like = nest.flatten(first), elems if initializer is None else initializer
    results = [_results(each.dtype, each.shape if infer_shape else None, infer_shape) for each in parts]
    found = [first] if initializer is None else []
    last = len(rows) + len(found) - 1
    total = first
    with looping():
        for place, row in enumerate([*found, *rows]):
            total = first if place < len(found) else _next(fn, total, row, like, first)
            to = last - place if reverse else place
            results = [each.write(to, part) for each, part in zip(results, nest.flatten(total), strict=True)]
    return nest.pack_sequence_as(first, [each.stack() for each in results])


@export("foldl")
def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`total = fn(total, row)` over the rows of `elems`, from the initializer or the first row; the last total.

    Raises:
        TypeError: `fn` cannot be called.
        ValueError: a total of another structure than the one it began with.
        IndexError: a scalar, or no tensor; OutOfRangeError: no row and no initializer, or too few in one tensor.

    >>> import tapeviz as tf
    >>> float(tf.foldl(lambda total, row: 2.0 * total + row, tf.constant([1.0, 2.0, 3.0])))
    11.0
    """
    return _folded("foldl", fn, elems, initializer, False)


@export("foldr")
def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`foldl`, from the last row to the first."""
    return _folded("foldr", fn, elems, initializer, True)


def _folded(op: str, fn: Callable[..., Any], elems: Any, initializer: Any, backwards: bool) -> Any:
    """The last of `total = fn(total, row)`."""
    fn, first, rows = _begun(op, fn, elems, initializer, backwards)
    total, like = first, elems if initializer is None else initializer
    with looping():
        for row in rows:
            total = _next(fn, total, row, like, first)
    return nest.map_structure(tensor_of, total)


def _begun(op: str, fn: Callable[..., Any], elems: Any, initializer: Any, backwards: bool) -> tuple[Any, Any, Any]:
    """What `total = fn(total, row)` is made of: the function, the first total, and the rows that are left for it."""
    if not callable(fn):
        raise _not_callable(op, fn)
    columns = [tensor_of(each) for each in nest.flatten(elems)]
    _check_rows(op, columns)
    rows = _rows(op, elems, columns)[:: -1 if backwards else 1]
    if initializer is not None:
        return random.body(fn), initializer, rows
    if not rows:
        raise OutOfRangeError(f"Tried to read from index 0 but array size is: 0. In {op} there is no initializer.")
    return random.body(fn), rows[0], rows[1:]


def _next(fn: Callable[..., Any], total: Any, row: Any, like: Any, first: Any) -> Any:
    """The total after a row, of the structure of `like`, and in a graph of the dtypes of the first."""
    found = fn(total, row)
    nest.assert_same_structure(like, found)
    if in_graph.get() is not None:
        _require_same_dtypes(first, found)
    return found


def _require_same_dtypes(start: Any, total: Any) -> None:
    """Raise TypeError, as the loop of a graph does, for a total of another dtype than the one it began with."""
    tensors = (map(tensor_of, nest.flatten(each)) for each in (start, total))
    for old, new in zip(*tensors, strict=True):
        if old.dtype is not new.dtype:
            raise another_dtype_after_iteration(old, new)


@export("vectorized_map")
def vectorized_map(fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """`fn` applied to each row of `elems`; the results are stacked. A column of one row serves all rows.

    A custom gradient in `fn` is lost if there are several rows, as in TensorFlow; with a single row it is kept.

    Raises:
        IndexError: a scalar, which has no rows; ValueError: no tensor.
        InvalidArgumentError: columns of different lengths.
    """
    columns = [tensor_of(each) for each in nest.flatten(elems)]
    _check_rows("vectorized_map", columns)
    columns = [convert_to_tensor(each) if each.shape[0] == 1 else each for each in columns]  # read before the graph
    count = max(int(each.shape[0]) for each in columns)
    if any(each.shape[0] not in (1, count) for each in columns):
        have = [int(each.shape[0]) for each in columns]
        raise InvalidArgumentError(f"vectorized_map: `elems` have {have} rows; all must have as many, or one.")
    if not count:
        found = fn(nest.map_structure(lambda each: zeros(each.shape[1:], each.dtype), elems))
        return nest.map_structure(
            lambda each: zeros([0, *each.shape], each.dtype), nest.map_structure(tensor_of, found)
        )
    fn = random.body(fn)
    around = recorders() if count > 1 else None
    with building(rewritten=False), Setting(around_rows, around), looping():
        rows = [_parts(each) for each in columns]
        spread = [list(each) * (count // len(each)) for each in rows]
        results = [fn(nest.pack_sequence_as(elems, list(row))) for row in zip(*spread, strict=True)]
    found = zip(*map(nest.flatten, results), strict=True)
    stacked = [None if each[0] is None else joining.stack(*map(tensor_of, each), axis=0) for each in found]
    return as_one(nest.pack_sequence_as(results[0], stacked))


def _parts(column: Any) -> Any:
    """The rows of a column; a single one is picked, as by TensorFlow: its gradient is `IndexedSlices`."""
    if int(column.shape[0]) == 1:
        return [picking.gather(column, np.int32(0), axis=0, batch_dims=0)]
    return joining.unstack(column, axis=0)


def _results(dtype: Any, shape: Any = None, infer_shape: bool = True) -> TensorArray:
    """What takes the results of one dtype, as many as come."""
    return TensorArray(dtype, 0, dynamic_size=True, infer_shape=infer_shape, element_shape=shape)


def _check_rows(op: str, columns: list[Any]) -> None:
    """Raise unless there is something to go over.

    Raises:
        IndexError: a scalar, which has no rows, or nothing; for the latter `vectorized_map` raises a ValueError.
    """
    if not columns:
        advice = f"In {op}: `elems` holds no tensor whose rows could be gone over."
        if op == "vectorized_map":
            try:
                max(columns)  # as in TensorFlow, whose words are Python's, and other ones from 3.12 on
            except ValueError as error:
                raise ValueError(f"{error}. {advice}") from None
        raise IndexError(f"list index out of range. {advice}")
    if any(not each.ndim for each in columns):
        kind = "list" if op == "vectorized_map" else "tuple"
        raise IndexError(
            f"{kind} index out of range. In {op}: a scalar has no rows to go over. Give a vector, as [1.0]."
        )


def _rows(op: str, elems: Any, columns: list[Any]) -> list[Any]:
    """The rows of columns of one length, each in the structure of `elems`.

    Raises:
        ValueError: they are not of one length; but in `scan` and folds an OutOfRangeError if another is shorter.
    """
    lengths = [int(each.shape[0]) for each in columns]
    other = next((each for each in lengths if each != lengths[0]), None)
    if other is not None:
        advice = f"In {op}: the tensors of `elems` must have the same number of rows, not {lengths}."
        if op == "map_fn":
            raise ValueError(f"Dimensions {lengths[0]} and {other} are not compatible. {advice}")
        if other < lengths[0]:
            raise OutOfRangeError(f"Tried to read from index {other} but array size is: {other}. {advice}")
        raise ValueError(f"Cannot unstack {other} tensors into a TensorArray of static size {lengths[0]}. {advice}")
    if not columns[0].shape[0]:
        return []
    rows = zip(*[joining.unstack(each, axis=0) for each in columns], strict=True)
    return [nest.pack_sequence_as(elems, list(row)) for row in rows]
