"""A layer for examples of any number of sides -> one for series, and one for images."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeviz.tf.keras.layers.base.input_specs import InputSpec
from tapeviz.tf.keras.layers.base.layer import Layer


class Sided(Layer):
    """The base class of layers for series, which have one spatial axis, and for images, which have two.

    A subclass states their number, as `class Conv1D(_Conv, sides=1)`.
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
