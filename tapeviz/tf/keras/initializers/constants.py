"""Initializers without chance: constants, and the identity."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from tapeviz.engine.op_errors.reasons import incompatible_shapes
from tapeviz.engine.specs.dtypes import DType
from tapeviz.engine.values.convert import array_of
from tapeviz.errors import InvalidArgumentError
from tapeviz.tf.keras.dtype_policy import standard_dtype
from tapeviz.tf.keras.initializers.base import Initializer, Shape


class Constant(Initializer):
    """An initializer that fills weights with one value.

    Args:
        value: the value.

    >>> Constant(3.0)([2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([3., 3.], dtype=float32)>
    """

    _settings_: ClassVar[tuple[str, ...]] = ("value",)

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A new initializer from a config.

        Raises:
            KeyError: the config has no value, as if a layer is given only the name.
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
    """An initializer that fills weights with zeros.

    >>> Zeros()([2]).numpy().tolist()
    [0.0, 0.0]
    """

    _settings_ = ()

    def __init__(self) -> None:
        super().__init__(0.0)


class Ones(Constant):
    """An initializer that fills weights with ones.

    >>> Ones()([2]).numpy().tolist()
    [1.0, 1.0]
    """

    _settings_ = ()

    def __init__(self) -> None:
        super().__init__(1.0)


class Identity(Initializer):
    """An initializer that makes weights identity matrices.

    Args:
        gain: what the matrix is multiplied by.

    Raises:
        ValueError: when called with a shape of another number of axes than two.

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
