"""The user's values, or what a user's function returns -> the elements of a dataset: structures of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.tracing import trial
from tapeviz.engine.tracing.building import building
from tapeviz.engine.values.constant import constant, convert_to_tensor, make
from tapeviz.engine.values.convert import unboxed
from tapeviz.errors import InvalidArgumentError


def called(function: object) -> Callable[..., Any]:
    """A function that a dataset is to apply; TensorFlow builds a graph of it, here when it is tried.

    Raises:
        ValueError: it is none.
    """
    if not callable(function):
        raise ValueError(f"Argument `func` must be a callable. Received func={function} (of type {type(function)})")

    def call(*args: Any) -> Any:
        with building(*args, built=not trial.under_way.get()):
            return function(*args)

    return call


def applied(function: Callable[..., Any], element: Any) -> Any:
    """What a function makes of an element; it takes the parts of a tuple one by one."""
    return called(function)(*element) if isinstance(element, tuple) else called(function)(element)


def structured(value: Any) -> Any:
    """A list, or another sequence, stands for one tensor, made of those in it too; tuples and dicts are structures."""
    if isinstance(value, dict):
        return type(value)((key, structured(each)) for key, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, (tuple, str, bytes)):
        return np.asarray(convert_to_tensor(value)._value)
    if isinstance(value, tuple):
        parts = [structured(each) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def array(value: Any) -> Any:
    """The array of what may be a tensor."""
    return constant(value)._value if not isinstance(value, TensorLike) else value._value


def tensor(value: Any) -> Tensor:
    """The tensor of what was an array, or a number in one."""
    return make(unboxed(value if type(value) is bytes else np.asarray(value)))


def returned(value: Any) -> Any:
    """What a function of the user's returned, as a tensor."""
    return value if isinstance(value, Tensor) else convert_to_tensor(value)


def stacked(*parts: Tensor) -> Tensor:
    """Tensors of one shape along a new first axis.

    Raises:
        InvalidArgumentError: their shapes differ.
    """
    shapes = [part.shape for part in parts]
    for shape in shapes:
        if shape != shapes[0]:
            raise InvalidArgumentError(
                "Cannot add tensor to the batch: number of elements does not match. "
                f"Shapes are: [tensor]: {list(shape)}, [batch]: {list(shapes[0])}"
            )
    return make(np.stack([part._value for part in parts]))
