"""Functions applied to each row, with their results stacked (`tf.map_fn`, `tf.vectorized_map`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.custom_gradient import around_rows, recorders
from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.array.creation import zeros
from tapeviz.engine.functions.exports import export
from tapeviz.engine.graph_mode.building import building
from tapeviz.engine.graph_mode.loops import looping
from tapeviz.engine.ops import joining, picking
from tapeviz.engine.setting import Setting
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.errors import InvalidArgumentError
from tapeviz.tf import random_state
from tapeviz.tf.api.programs.contexts import type_spec_from_value
from tapeviz.tf.api.programs.rows import array_of_results, check_rows, not_callable, rows_of
from tapeviz.tf.tracing.graph_outputs import as_one


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
    """The results of a function for each row, stacked.

    Args:
        fn: a function of one row.
        elems: a tensor, or a structure of tensors with the same number of rows.
        dtype: the old name of `fn_output_signature`.
        parallel_iterations: ignored, as are `back_prop` and `swap_memory`.
        infer_shape: whether all results must have the same shape.
        fn_output_signature: the dtypes or specs of the results, in their structure; by default those of `elems`.

    Raises:
        InvalidArgumentError: a result has another dtype than announced.
        ValueError: `elems` has no tensor, a scalar or tensors with different numbers of rows; or results have different
            shapes or another structure than announced.
        TypeError: results have a structure of another type than announced.

    >>> import tapeviz as tf
    >>> tf.map_fn(lambda row: row * row, tf.constant([1.0, 2.0])).numpy().tolist()
    [1.0, 4.0]
    """
    if not callable(fn):
        raise not_callable("map_fn", fn)
    signature = dtype if fn_output_signature is None else fn_output_signature
    for each in nest.flatten(elems):
        type_spec_from_value(each)
    columns = [tensor_of(each) for each in nest.flatten(elems)]
    if not columns:
        raise ValueError(
            f"elems must be a Tensor or (possibly nested) sequence of Tensors. map_fn got {elems}: no tensor is in it."
        )
    if any(not each.ndim for each in columns):
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    announced, fn = elems if signature is None else signature, random_state.body(fn)
    results = [array_of_results(each.dtype) for each in columns]
    if signature is not None:
        specs = [each if isinstance(each, TensorSpec) else TensorSpec(None, each) for each in nest.flatten(signature)]
        results = [array_of_results(each.dtype, each.shape, infer_shape) for each in specs]
    with looping():
        for place, row in enumerate(rows_of("map_fn", elems, columns)):
            found = fn(row)
            nest.assert_same_structure(announced, found)
            results = [to.write(place, each) for to, each in zip(results, nest.flatten(found), strict=True)]
    return nest.pack_sequence_as(announced, [each.stack() for each in results])


@export("vectorized_map")
def vectorized_map(fn: Callable[..., Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """The results of a function for each row, stacked.

    As in TensorFlow, a custom gradient in `fn` is lost if there are several rows.

    Args:
        fn: a function of one row.
        elems: a tensor, or a structure of tensors with the same number of rows. A tensor with one row is repeated.
        fallback_to_while_loop: ignored, as is `warn`.

    Raises:
        IndexError: `elems` has a scalar.
        ValueError: `elems` has no tensor.
        InvalidArgumentError: tensors have different numbers of rows.

    >>> import tapeviz as tf
    >>> tf.vectorized_map(lambda row: row * row, tf.constant([1.0, 2.0])).numpy().tolist()
    [1.0, 4.0]
    """
    columns = [tensor_of(each) for each in nest.flatten(elems)]
    check_rows("vectorized_map", columns)
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
    fn = random_state.body(fn)
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
