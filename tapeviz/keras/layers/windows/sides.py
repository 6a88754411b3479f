"""A layer for examples of any number of sides -> one for series, and one for images."""

from __future__ import annotations

from types import FunctionType
from typing import Any, ClassVar

from tapeviz.keras.layers.base.input_specs import InputSpec
from tapeviz.keras.layers.base.layer import Layer


class Sided(Layer):
    """A layer over series (batch, length, channels), of 1 side, or over images (batch, height, width, channels), of 2.

    A class that says of how many, as `class Conv1D(_Conv, sides=1)`, has an `__init__` of its own name: Python's
    errors about arguments tell it.
    """

    _sides_: ClassVar[int]
    """The number of sides of an example: 1 for a series, 2 for an image."""
    _no_more_: ClassVar[bool] = True
    """Whether that is all: no input has more axes."""

    def __init_subclass__(cls, sides: int | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if sides is None:
            return
        cls._sides_ = sides
        cls.input_spec = InputSpec(ndim=sides + 2) if cls._no_more_ else InputSpec(min_ndim=sides + 2)
        cls.__init__ = _named(f"{cls.__qualname__}.__init__", cls.__init__)  # type: ignore[method-assign]


def _named(name: str, function: Any) -> Any:
    """The same function by another name."""
    other = FunctionType(function.__code__, function.__globals__, "__init__", None, function.__closure__)
    other.__defaults__, other.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    other.__qualname__, other.__annotations__ = name, function.__annotations__
    return other
