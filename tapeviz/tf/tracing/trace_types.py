"""A value -> the type of the values that a traced function takes in its place (TensorFlow's trace types)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tensors.tensor_like import TensorLike

ARRAYS = (TensorLike, np.ndarray, np.generic)


NUMBERS = (bool, int, float, complex)
_NUMBERS_AND_TEXTS = (*NUMBERS, str, bytes)
"""The classes whose values are compared by equality; other values, which may be large, are compared by identity."""


class Literal:
    """The type of a parameter that accepts one Python value: its default, or that of the first call."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def is_met_by(self, value: Any) -> bool:
        """Whether a value is equal to this one. NaN is equal to NaN here, and an array to nothing."""
        if value is self.value:
            return True
        if isinstance(value, ARRAYS):
            return False
        return bool(value == self.value or (value != value and self.value != self.value))

    def __repr__(self) -> str:
        return f"Literal[{self.value!r}]"


class VariableSpec:
    """The type of a parameter that accepts variables like that of the first call."""

    name = None

    def __init__(self, variable: MutableTensor) -> None:
        self.shape = variable.shape
        self.dtype = variable.dtype
        self.trainable = variable.trainable

    def is_compatible_with(self, value: Any) -> bool:
        """Whether a value is a variable of this type."""
        return isinstance(value, MutableTensor) and VariableSpec(value) == self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VariableSpec) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, trainable={self.trainable}, alias_id=0)"


def require_typed(value: Any) -> None:
    """Raise TypeError for an argument that has no trace type because it is mutable, such as a set."""
    if type(value).__hash__ is None and not isinstance(value, ARRAYS) and not hasattr(value, "__tf_tracing_type__"):
        raise TypeError(
            f"A tf.function takes no mutable argument such as {value!r}. Give a tuple or a frozenset, or what is in it "
            "one by one."
        )


def trace_key(value: Any) -> Any:
    """A key that is equal for arguments with which TensorFlow traces a function only once."""
    if isinstance(value, MutableTensor):
        return MutableTensor, value._value.dtype, value._value.shape, value.trainable
    if isinstance(value, TensorLike):
        return value._value.dtype, value._value.shape
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype, value.shape
    if type(value) in NUMBERS:
        return NUMBERS, value
    return type(value), value if isinstance(value, _NUMBERS_AND_TEXTS) else id(value)


def like(value: Any) -> Any:
    """The trace type of a value, or a structure of them."""
    return nest.map_structure(_like_part, value) if isinstance(value, (list, tuple, Mapping)) else _like_part(value)


def _like_part(value: Any) -> Any:
    if isinstance(value, TensorSpec):
        return value
    if isinstance(value, MutableTensor):
        return VariableSpec(value)
    return TensorSpec.of(value) if isinstance(value, ARRAYS) else Literal(value)
