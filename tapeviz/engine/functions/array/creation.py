"""Tensors made of nothing but a shape, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.functions.arguments import number_of, tensor_of, together
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import INT32, require_vector_in_graph, shape_of
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.op_errors.conversions import another_conversion
from tapeviz.engine.op_errors.memory import allocated
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array, math
from tapeviz.engine.specs.dtypes import as_dtype
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import make
from tapeviz.engine.values.convert import unboxed
from tapeviz.engine.values.python_values import UNKNOWN_LENGTH
from tapeviz.errors import InvalidArgumentError


@export("zeros")
def zeros(shape: object, dtype: object = "float32", name: str | None = None, layout: object = None) -> Any:
    """A tensor filled with zeros.

    Args:
        shape: the lengths of its axes.
        dtype: its dtype. Strings are empty.
        layout: ignored.

    >>> import tapeviz as tf
    >>> tf.zeros([2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 0.], dtype=float32)>
    """
    wanted = as_dtype(dtype)
    zero: Any = b"" if wanted.name == "string" else 0
    dims = _lengths_of(shape)
    return make(unboxed(allocated(lambda size, kind: np.full(size, zero, kind), dims, wanted.as_numpy_dtype)))


def _lengths_of(shape: object) -> tuple[int, ...]:
    """The lengths of zeros or ones.

    Raises:
        TypeError: a graph does not know one of them.
    """
    if in_graph.get() is not None and isinstance(shape, (list, tuple)) and any(each is None for each in shape):
        raise TypeError(f"Expected int32, but got None of type 'NoneType'. {UNKNOWN_LENGTH}")
    return shape_of(shape, attr=".index_type", strict=True)


@export("ones")
def ones(shape: object, dtype: object = "float32", name: str | None = None, layout: object = None) -> Any:
    """A tensor filled with ones.

    Args:
        shape: the lengths of its axes.
        dtype: its dtype.
        layout: ignored.

    Raises:
        TypeError: the dtype is string.

    >>> import tapeviz as tf
    >>> tf.ones([2], tf.int32).numpy().tolist()
    [1, 1]
    """
    wanted = as_dtype(dtype)
    if wanted.name == "string":
        raise TypeError("Cannot convert 1 to a tensor of dtype string: tf.fill makes a tensor of one text.")
    return make(unboxed(allocated(np.ones, _lengths_of(shape), wanted.as_numpy_dtype)))


@export("fill")
def fill(dims: object, value: object, name: str | None = None, layout: object = None) -> Any:
    """A tensor filled with one value. The gradient of the value is the sum of the upstream gradient.

    Args:
        dims: the lengths of its axes.
        value: a scalar.
        layout: ignored.

    Raises:
        InvalidArgumentError: `value` is not a scalar.

    >>> import tapeviz as tf
    >>> tf.fill([2, 2], 9).numpy().tolist()
    [[9, 9], [9, 9]]
    """
    value = tensor_of(value)
    if value.shape not in ((), (1,)):
        raise InvalidArgumentError(f"value must represent a scalar, got shape {listed(value.shape)}. In fill.")
    require_vector_in_graph(dims)
    shape = shape_of(dims, value, attr=".index_type")
    return math.broadcast_to(array.reshape(value, shape=()) if value.ndim else value, shape=shape)


@export("zeros_like")
def zeros_like(input: object, dtype: object = None, name: str | None = None, layout: object = None) -> Any:
    """A tensor filled with zeros, in the shape of another tensor. No gradient flows to that tensor.

    Args:
        input: the tensor whose shape is used.
        dtype: the dtype of the zeros; by default that of `input`.
        layout: ignored.

    >>> import tapeviz as tf
    >>> tf.zeros_like([1, 2]).numpy().tolist()
    [0, 0]
    """
    return _like(math.zeros_like, zeros, input, dtype)


@export("ones_like")
def ones_like(input: object, dtype: object = None, name: str | None = None, layout: object = None) -> Any:
    """A tensor filled with ones, in the shape of another tensor. No gradient flows to that tensor.

    Args:
        input: the tensor whose shape is used.
        dtype: the dtype of the ones; by default that of `input`.
        layout: ignored.

    >>> import tapeviz as tf
    >>> tf.ones_like([3, 4]).numpy().tolist()
    [1, 1]
    """
    x = number_of(input, "ones_like") if dtype is None else input
    return _like(math.ones_like, ones, x, dtype)


def _like(op: Any, values: Any, input: object, dtype: Any) -> Any:
    x = tensor_of(input)
    if dtype is None or as_dtype(dtype) is x._dtype:
        return op(x)
    return values(x._value.shape, dtype)


@export("eye", "linalg.eye")
def eye(
    num_rows: object,
    num_columns: object = None,
    batch_shape: object = None,
    dtype: object = "float32",
    name: str | None = None,
) -> Any:
    """An identity matrix, or a batch of them.

    Args:
        num_rows: the number of rows.
        num_columns: the number of columns; by default that of rows.
        batch_shape: the lengths of the axes before the matrix; none by default.
        dtype: the dtype of the matrix.

    Raises:
        TypeError: a number of rows or columns is not an integer, or the dtype is string.
        ValueError: `batch_shape` is a tensor of another dtype than int32.
        InvalidArgumentError: the numbers are tensors of different dtypes, or `batch_shape` is a scalar.

    >>> import tapeviz as tf
    >>> tf.eye(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    sizes = [num_rows, num_rows if num_columns is None else num_columns]
    if not all(isinstance(each, (int, np.integer, Tensor)) for each in sizes):
        raise TypeError(
            "Arguments `num_rows` and `num_columns` must be positive integer values. "
            f"Received: num_rows={sizes[0]}, num_columns={sizes[1]}"
        )
    if all(isinstance(each, Tensor) for each in sizes):
        together("minimum", *sizes)  # which TensorFlow takes for the length of the diagonal
    batch = _batch_of_matrices(batch_shape)
    side = next((each for each in sizes if isinstance(each, Tensor) and each.ndim), None)
    if side is not None:
        both = f"shape[0] = [{len(batch)}] vs. shape[1] = {listed((1, *side.shape))}"
        raise InvalidArgumentError(f"ConcatOp : Ranks of all input tensors should match: {both}. In eye: give numbers.")
    rows, columns = shape_of(sizes, strict=True)
    wanted = as_dtype(dtype)
    if wanted.name == "string":
        raise TypeError("Cannot convert 1 to a tensor of dtype string. In eye: 1 and 0 are no texts.")
    matrix = allocated(lambda sides, kind: np.eye(*sides, dtype=kind), (rows, columns), wanted.as_numpy_dtype)
    return make(np.broadcast_to(matrix, (*batch, *matrix.shape)).copy() if batch else matrix)


def _batch_of_matrices(given: Any) -> tuple[int, ...]:
    """The axes before those of a matrix."""
    if not isinstance(given, Tensor):
        return () if given is None else shape_of(list(given), strict=True)
    require(given.ndim > 0, "ConcatOp : Can't concatenate scalars (use tf.stack instead). In eye: batch_shape is one.")
    if given._dtype is not INT32:
        raise ValueError(another_conversion(INT32, given, "shape"))
    return shape_of(given)


@export("is_tensor")
def is_tensor(x: object) -> bool:
    """Whether an object is a tensor, a variable or `IndexedSlices`.

    >>> import tapeviz as tf
    >>> tf.is_tensor(tf.constant(1.0)), tf.is_tensor(1.0)
    (True, False)
    """
    return isinstance(x, (TensorLike, IndexedSlices))
