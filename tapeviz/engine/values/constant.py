"""Values given by the user -> tensors that are not results of ops."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.nest import flatten, map_structure
from tapeviz.engine.notes import note_leaf
from tapeviz.engine.op_errors.conversions import another_conversion, require_castable
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.specs.dtypes import Array, DType, as_dtype
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.convert import array_of, dtype_or_none, expected, in_range, require_one_dtype, unboxed
from tapeviz.engine.values.python_values import no_tensor
from tapeviz.events.program.frames import calls_of, users_frame

_NO_TENSOR = "Expected any non-tensor type, but got a tensor instead"


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor of a number, list or array (`tf.constant`); shape and dtype from the value, unless given.

    A tensor comes back as it is, unless it gets another shape; a variable is read like an array, and no gradient
    flows to it.

    Raises:
        TypeError: the value does not fit `dtype` or `shape`, or it is a tensor, or a list of them, in a graph.
        ValueError: a ragged list, a list of tensors, None, a number that float32 cannot hold, no number at all, or a
            negative length.

    >>> import tapeviz as tf
    >>> tf.constant([1.0, 2.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
    """
    if isinstance(value, TensorLike):
        value._require_value(TypeError, _NO_TENSOR)
    elif parents_of(value):
        said = "tf.constant takes numbers, not tensors: tf.stack([...]) joins tensors, and keeps their history."
        raise TypeError(f"{_NO_TENSOR}. {said}") if in_graph.get() else ValueError(said)
    value = list(value) if isinstance(value, TensorShape) else value
    if isinstance(value, Tensor) and dtype is not None and value._dtype != dtype:
        raise expected(dtype, value)
    is_variable = isinstance(value, TensorLike) and not isinstance(value, Tensor)
    if is_variable:
        value._read()
    array = array_of(value._value if is_variable else value, dtype_or_none(dtype))
    array = in_range(value, array) if dtype is None else array
    if shape is not None:
        array = _shaped(array, TensorShape(shape), value)
    if isinstance(value, Tensor) and array.shape == value._value.shape:
        return value
    return make(array, parents_of(value))


def _shaped(array: Any, shape: TensorShape, value: Any) -> Any:
    size = shape.num_elements()
    if size is None and array.size == 1 and shape.rank is not None:
        raise ValueError(f"{no_tensor(None)} It is a length in the shape {shape} of a tf.constant.")
    if size is None or array.size not in (1, size):
        raise TypeError(
            f"Eager execution of tf.constant with unsupported shape. Tensor {array} (converted from {value}) has "
            f"{array.size} elements, but got `shape` {shape} with {size} elements)."
        )
    if array.size != 1 or size == 1:
        return unboxed(array.reshape(tuple(shape)))
    require(array.ndim < 2, f"value must represent a scalar, got shape {listed(array.shape)}. In constant.")
    return unboxed(np.full(tuple(shape), array))


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """A tensor of anything tensor-like (`tf.convert_to_tensor`): tensors come back as they are, variables are read.

    Raises:
        ValueError: a tensor of another dtype than `dtype`, or no tensor can be made of the value.
    """
    wanted = dtype_or_none(dtype)
    if hasattr(value, "_dense"):
        if wanted is not None and value.dtype is not wanted:
            raise ValueError(another_conversion(wanted, value, name))
        return convert_to_tensor(value._dense())
    if not isinstance(value, TensorLike):
        if isinstance(value, (list, tuple)) and parents_of(value):
            if wanted is None and dtype_hint is not None:
                with suppress(TypeError, ValueError):
                    return _packed(value, as_dtype(dtype_hint))
            return _packed(value, wanted)
        if isinstance(value, TensorShape):  # which is a list for tf.constant
            return constant(array_of(value, wanted))
        return constant(value, wanted if dtype_hint is None else _hinted(value, wanted, as_dtype(dtype_hint)))
    if wanted is not None and value._dtype is not wanted:
        raise ValueError(another_conversion(wanted, value, name))
    return value if isinstance(value, Tensor) else OPS["identity"](value)


def _packed(values: Any, wanted: DType | None) -> Tensor:
    """A list with tensors in it, stacked, in the dtype of the first tensor, or cast to the `wanted` one.

    Raises:
        InvalidArgumentError: another tensor has another dtype.
        TypeError: a number does not fit it.
    """
    tensors = [each for each in flatten(values) if isinstance(each, TensorLike)]
    if wanted is None:
        wanted = tensors[0]._dtype
    elif wanted is not tensors[0]._dtype:
        tensors = []
        values = map_structure(lambda each: _as(wanted, each) if isinstance(each, TensorLike) else each, values)
    require_one_dtype(tensors)
    return OPS["stack"](*[convert_to_tensor(each, wanted) for each in values], axis=0)


def _as(wanted: DType, tensor: TensorLike) -> TensorLike:
    have = tensor._dtype
    require_castable(have, wanted)
    return tensor if have is wanted else OPS["cast"](tensor, dtype=wanted.name, source=have.name)


def _hinted(value: Array, wanted: DType | None, hint: DType) -> DType | None:
    """The dtype to convert to: the `wanted` one, or else the hint if the value fits it."""
    try:
        array_of(value, wanted or hint)
    except (TypeError, ValueError):
        return wanted
    return wanted or hint


def make(array: object, parents: tuple[int, ...] = ()) -> Tensor:
    """A constant that holds an array, which must not be changed afterwards; `parents` are tensors it was made from."""
    tensor = Tensor._new(array)
    leaf(tensor, "constant")
    note_leaf(tensor, parents)
    return tensor


def leaf(tensor: TensorLike, role: str) -> None:
    """Remember what a leaf is, a constant or a variable, and the user's line; for a variable also the calls to it."""
    frame = users_frame(2)
    scope = calls_of(frame) if role == "variable" else None
    tensor._origin = (role, tensor._self_watched, tensor._label), scope, frame.f_code, frame.f_lasti


def parents_of(value: object) -> tuple[int, ...]:
    """The ids of the tensors inside of a value."""
    if isinstance(value, TensorLike):
        return (value._id,)
    if isinstance(value, (list, tuple)):
        return tuple(raw_id for each in value for raw_id in parents_of(each))
    return ()
