"""Initializers without chance: constants, and the identity."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from tapeviz.engine.op_errors.messages.shapes import incompatible_shapes
from tapeviz.engine.specs.dtypes import DType
from tapeviz.engine.values.convert import array_of
from tapeviz.errors import InvalidArgumentError
from tapeviz.keras.dtype_policy import standard_dtype
from tapeviz.keras.initializers.base import Initializer, Shape


class Constant(Initializer):
    """One value everywhere.

    >>> Constant(3.0)([2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([3., 3.], dtype=float32)>
    """

    _settings_: ClassVar[tuple[str, ...]] = ("value",)

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A new object from a config.

        Raises:
            KeyError: there is no value, as where a layer is given the name alone.
        """
        if not dict(**config).keys() >= set(cls._settings_):
            raise KeyError("value. In Constant: by its name alone it has none. Use initializers.Constant(value).")
        return super().from_config(config)

    def _dtype_(self, dtype: Any) -> DType:
        return standard_dtype(dtype)

    def _draw_(self, shape: Shape, dtype: DType) -> Any:
        value = array_of(self.value)
        try:  # a longer value stretches the shape, as where Keras multiplies it with ones
            return np.broadcast_to(value, np.broadcast_shapes(value.shape, shape))
        except ValueError:
            said = incompatible_shapes(value.shape, shape)
            raise InvalidArgumentError(f"{said}. In Constant the value does not fill the shape.") from None


class Zeros(Constant):
    """Zeros.

    >>> Zeros()([2]).numpy().tolist()
    [0.0, 0.0]
    """

    _settings_ = ()

    def __init__(self) -> None:
        super().__init__(0.0)


class Ones(Constant):
    """Ones.

    >>> Ones()([2]).numpy().tolist()
    [1.0, 1.0]
    """

    _settings_ = ()

    def __init__(self) -> None:
        super().__init__(1.0)


class Identity(Initializer):
    """Ones on the diagonal of a matrix, times `gain`.

    Raises:
        ValueError: when called, another number of axes than two.

    >>> Identity()([2, 3]).numpy().tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def _dtype_(self, dtype: Any) -> DType:
        return standard_dtype(dtype)

    def _draw_(self, shape: Shape, dtype: DType) -> Any:
        if len(shape) != 2:
            raise ValueError(
                "Identity matrix initializer can only be used for 2D matrices. "
                f"Received: shape={shape} of rank {len(shape)}."
            )
        return self.gain * np.eye(*shape)
