"""A value that cannot become a tensor of a dtype -> TensorFlow's error."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.op_errors.definitions import definition_of
from tapeviz.engine.op_errors.spelling import spelled
from tapeviz.engine.specs.dtypes import DType, of_numpy
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.errors import UnimplementedError


def require_castable(have: DType, wanted: DType) -> None:
    """Raise UnimplementedError for a cast of strings to numbers, or of numbers to strings."""
    if (have.name == "string") is not (wanted.name == "string"):
        names = [spelled(np.dtype(each.as_numpy_dtype)) for each in (have, wanted)]
        raise UnimplementedError(f"Cast {names[0]} to {names[1]} is not supported: tf.cast is for numbers.")


def another_conversion(wanted: DType, tensor: Any, name: str | None = None) -> str:
    """The message about a conversion of a tensor, a variable or slices to another dtype.

    Args:
        wanted: the dtype to convert to.
        tensor: the tensor.
        name: the name of the result, if it has one.
    """
    if hasattr(tensor, "_dense"):
        return (
            f"Incompatible tensor conversion requested to `dtype` {wanted.name} for IndexedSlices ({tensor}) with "
            f"dtype {tensor.dtype.name}"
        )
    if tensor._role == "variable":
        return (
            f"Incompatible type conversion requested to type {wanted.name} for `tf.Variable of type "
            f"{tensor.dtype.name}. (Variable: {tensor!r})"
        )
    called = f"{name}: " if name else ""
    graph = in_graph.get()
    known = graph and graph.name_of(tensor._id)
    shown = f"<tf.Tensor {known!r} shape={tensor.shape} dtype={tensor.dtype.name}>" if known else repr(tensor)
    return f"{called}Tensor conversion requested dtype {wanted.name} for Tensor with dtype {tensor.dtype.name}: {shown}"


def not_convertible(
    value: Any, dtype: np.dtype[Any], advice: str = "Use tf.cast", operand_of: str | None = None
) -> TypeError:
    """The error for a value that cannot become a tensor of a dtype, perhaps as the second operand of an op."""
    if isinstance(value, TensorShape):
        allowed = "Allowed dtypes are tf.int32 and tf.int64."
        return TypeError(f"Cannot convert TensorShape {value} to dtype {of_numpy(dtype)}. {allowed} {advice}.")
    if isinstance(value, range):
        value = next(iter(value), value)
    said = f"Cannot convert {value!r} to a tensor of dtype {spelled(dtype)}. {advice}."
    if in_graph.get() is None:
        return TypeError(said)
    wanted, part = of_numpy(dtype).name, next(iter(nest.flatten(value)), value)
    said = f"Expected {wanted}, but got {part} of type {type(part).__name__!r}. {said}"
    if operand_of is not None:
        place = f"parameter '{second_argument(operand_of)}' of op '{definition_of(operand_of).name}'"
        got = f"got {value!r} of type {type(value).__name__!r} instead"
        said = f"Expected {wanted} passed to {place}, {got}. Error: {said}"
    return TypeError(said)


def second_argument(op: str) -> str:
    """TensorFlow's name of the second argument of an op of two."""
    definition = definition_of(op)
    return definition.input(definition.slot(1)).name
