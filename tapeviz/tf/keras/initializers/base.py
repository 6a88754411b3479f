"""The base class of initializers: a shape and a dtype -> the initial values of a weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from tapeviz.engine.functions.integers import shape_of
from tapeviz.engine.specs.dtypes import DType, as_dtype
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.values.constant import make
from tapeviz.engine.values.convert import unboxed
from tapeviz.tf.keras.floats import floatx
from tapeviz.tf.keras.serialization import Configured

Shape = tuple[int, ...]
Axes = Sequence[int]


class Initializer(Configured):
    """The base class of initializers (`tf.keras.initializers.Initializer`).

    An initializer is called with a shape and a dtype, and returns the first value of a weight.

    >>> class Countdown(Initializer):
    ...     def __call__(self, shape, dtype=None):
    ...         return np.arange(np.prod(shape), 0, -1, dtype).reshape(shape)
    >>> Countdown()([3], "float32").tolist()
    [3.0, 2.0, 1.0]
    """

    _module_ = "keras.initializers"

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        return make(self._fill_(self._shape_(shape), self._dtype_(dtype or floatx())))

    def clone(self) -> Self:
        """A new initializer with the same arguments."""
        return self.from_config(self.get_config())

    def _dtype_(self, dtype: Any) -> DType:
        """The dtype of what is to be filled."""
        return as_dtype(dtype)

    def _shape_(self, given: Any) -> Shape:
        """The lengths of what is to be filled; a number is one."""
        return shape_of(given)

    def _fill_(self, shape: Shape, dtype: DType) -> Any:
        """The values as an array."""
        return unboxed(np.asarray(self._draw_(shape, dtype)).astype(dtype.as_numpy_dtype))

    def _draw_(self, shape: Shape, dtype: DType) -> Any:
        """The values, which are cast if they come in another dtype."""
        raise NotImplementedError(
            f"Initializer subclasses must implement the `__call__()` method, {type(self).__name__} does not."
        )
