"""Functions that go over rows with a running total (`tf.scan`, `tf.foldl`, `tf.foldr`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.graph_mode.loops import looping
from tapeviz.errors import OutOfRangeError
from tapeviz.tf import random_state
from tapeviz.tf.api.programs.loop_of_graph import another_dtype_after_iteration
from tapeviz.tf.api.programs.rows import array_of_results, check_rows, not_callable, rows_of


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
    """All values of `total = fn(total, row)` while it goes over rows, stacked.

    Args:
        fn: a function of the total before and a row that returns the total after.
        elems: a tensor, or a structure of tensors with the same number of rows.
        initializer: the first total; by default the first row.
        parallel_iterations: ignored, as are `back_prop` and `swap_memory`.
        infer_shape: whether all totals must have the same shape.
        reverse: whether it starts with the last row.

    Raises:
        TypeError: `fn` is not a function.
        InvalidArgumentError: a total has another dtype than the first one.
        ValueError: tensors have different numbers of rows, or a total has another shape or structure than the first
            one.
        IndexError: `elems` has a scalar or no tensor.
        OutOfRangeError: there are neither rows nor an initializer, or the first tensor has more rows than another one.

    >>> import tapeviz as tf
    >>> tf.scan(lambda total, row: total + row, tf.constant([1.0, 2.0, 3.0])).numpy().tolist()
    [1.0, 3.0, 6.0]
    """
    start = None if initializer is None else nest.map_structure(tensor_of, initializer)
    fn, first, rows = _begun("scan", fn, elems, start, reverse)
    parts, like = nest.flatten(first), elems if initializer is None else initializer
    results = [array_of_results(each.dtype, each.shape if infer_shape else None, infer_shape) for each in parts]
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
    """The last value of `total = fn(total, row)` after it has gone over all rows.

    Args:
        fn: a function of the total before and a row that returns the total after.
        elems: a tensor, or a structure of tensors with the same number of rows.
        initializer: the first total; by default the first row.
        parallel_iterations: ignored, as are `back_prop` and `swap_memory`.

    Raises:
        TypeError: `fn` is not a function.
        ValueError: a total has another structure than the first one.
        IndexError: `elems` has a scalar or no tensor.
        OutOfRangeError: there are neither rows nor an initializer, or the first tensor has more rows than another one.

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
    """The result of `tf.foldl` for the rows in reverse order.

    Args:
        fn: a function of the total before and a row that returns the total after.
        elems: a tensor, or a structure of tensors with the same number of rows.
        initializer: the first total; by default the last row.
        parallel_iterations: ignored, as are `back_prop` and `swap_memory`.

    >>> import tapeviz as tf
    >>> float(tf.foldr(lambda total, row: 2.0 * total + row, tf.constant([1.0, 2.0, 3.0])))
    17.0
    """
    return _folded("foldr", fn, elems, initializer, True)


def _folded(op: str, fn: Callable[..., Any], elems: Any, initializer: Any, backwards: bool) -> Any:
    """The last value of `total = fn(total, row)`."""
    fn, first, rows = _begun(op, fn, elems, initializer, backwards)
    total, like = first, elems if initializer is None else initializer
    with looping():
        for row in rows:
            total = _next(fn, total, row, like, first)
    return nest.map_structure(tensor_of, total)


def _begun(op: str, fn: Callable[..., Any], elems: Any, initializer: Any, backwards: bool) -> tuple[Any, Any, Any]:
    """What `total = fn(total, row)` starts with: the function, the first total, and the rows that are left for it."""
    if not callable(fn):
        raise not_callable(op, fn)
    columns = [tensor_of(each) for each in nest.flatten(elems)]
    check_rows(op, columns)
    rows = rows_of(op, elems, columns)[:: -1 if backwards else 1]
    if initializer is not None:
        return random_state.body(fn), initializer, rows
    if not rows:
        raise OutOfRangeError(f"Tried to read from index 0 but array size is: 0. In {op} there is no initializer.")
    return random_state.body(fn), rows[0], rows[1:]


def _next(fn: Callable[..., Any], total: Any, row: Any, like: Any, first: Any) -> Any:
    """The total after a row. It has the structure of `like` and, in a graph, the dtypes of the first total."""
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
