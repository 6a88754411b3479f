"""What flows through a dataset: what the user gives, or a function of the user's returns -> structures of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapeviz.engine import random
from tapeviz.engine.constant import constant, convert_to_tensor, make
from tapeviz.engine.convert import unboxed
from tapeviz.engine.tensor import Tensor, TensorLike
from tapeviz.errors import InvalidArgumentError


def called(function: Any) -> Callable[..., Any]:
    """A function that a dataset is to apply.

    Raises:
        ValueError: it is none.
    """
    if not callable(function):
        raise ValueError(f"Argument `func` must be a callable. Received func={function!r} (of type {type(function)})")
    return function


def applied(function: Callable[..., Any], element: Any) -> Any:
    return called(function)(*element) if isinstance(element, tuple) else called(function)(element)


def structured(value: Any) -> Any:
    """A list stands for one tensor, unless there are tensors in it; tuples and dicts are structures."""
    if isinstance(value, dict):
        return type(value)((key, structured(each)) for key, each in value.items())
    if isinstance(value, list):
        return tuple(value) if any(isinstance(each, TensorLike) for each in value) else np.asarray(array(value))
    if isinstance(value, tuple):
        parts = [structured(each) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def array(value: Any) -> Any:
    return constant(value)._value if not isinstance(value, TensorLike) else value._value


def tensor(value: Any) -> Tensor:
    return make(unboxed(value if type(value) is bytes else np.asarray(value)))


def returned(value: Any) -> Any:
    return value if isinstance(value, Tensor) else convert_to_tensor(value)


def stacked(*parts: Tensor) -> Tensor:
    shapes = [part.shape for part in parts]
    for shape in shapes:
        if shape != shapes[0]:
            raise InvalidArgumentError(
                "Cannot add tensor to the batch: number of elements does not match. "
                f"Shapes are: [tensor]: {list(shape)}, [batch]: {list(shapes[0])}"
            )
    return make(np.stack([part._value for part in parts]))


def shuffler(seed: int | None) -> np.random.Generator:
    """The numbers that a dataset is shuffled by: equal datasets with equal seeds come in equal orders."""
    if seed is None:
        return random.generator()
    return np.random.default_rng([abs(random.Seeds.chosen or 0), abs(seed)])


class Elements:
    """An iteration over a dataset."""

    def __init__(self, elements: Iterator[Any]) -> None:
        self._elements = elements

    def __iter__(self) -> Elements:
        return self

    def __next__(self) -> Any:
        return next(self._elements)

    get_next = __next__
