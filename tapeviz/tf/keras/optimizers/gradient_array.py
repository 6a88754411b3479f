"""A gradient as the user passes it -> arrays for the rule of an optimizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.engine.op_errors.conversions import require_castable
from tapeviz.engine.specs.dtypes import of_numpy
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import make
from tapeviz.engine.values.convert import array_of, unboxed


class GradientArray(NamedTuple):
    """A gradient as an array; for `IndexedSlices`, also their rows and indices."""

    value: Any
    rows: Any = None
    places: Any = None

    @staticmethod
    def of(gradient: Any, variable: TensorLike) -> GradientArray:
        """The arrays of a tensor, or of `IndexedSlices`, to which the variable gives the shape.

        Raises:
            UnimplementedError: the gradient is a string.
        """
        if not isinstance(gradient, IndexedSlices):
            found = array_of(gradient)
            if found.dtype.kind == "O":
                require_castable(of_numpy(found.dtype), variable.dtype)
            return GradientArray(found)
        values = gradient.values
        rows = array_of(values, None if isinstance(values, TensorLike) else variable.dtype)
        return GradientArray.of_rows(np.zeros(variable._value.shape, rows.dtype), rows, array_of(gradient.indices))

    @staticmethod
    def of_rows(zeros: Any, rows: Any, places: Any) -> GradientArray:
        """Rows added to an array of zeros at their indices; the array is changed."""
        np.add.at(zeros, places, rows)
        return GradientArray(zeros, rows, places)

    def over(self, factor: float) -> GradientArray:
        """The gradient divided by the factor of a scaled loss.

        Raises:
            TypeError: it was given as `IndexedSlices`, which Keras does not divide.
        """
        if self.rows is not None:
            raise TypeError(
                "unsupported operand type(s) for /: 'IndexedSlices' and 'float'. With `loss_scale_factor`, make a "
                "tensor of the gradient of looked-up rows: tf.convert_to_tensor(gradient)."
            )
        return GradientArray(self.value / factor)

    def fits(self, shape: tuple[int, ...], spreads: bool) -> bool:
        """Whether it is of this shape, or, if it `spreads`, of one that broadcasts to it."""
        found = self.value.shape
        if found == shape or not spreads or len(found) > len(shape):
            return bool(found == shape)
        return all(mine in (1, length) for mine, length in zip(found[::-1], shape[::-1], strict=False))

    def as_given(self, source: Any) -> Any:
        """The tensor or `IndexedSlices` that the arrays come from, or new ones if the arrays have changed since."""
        if self.rows is None:
            return source if self.value is getattr(source, "_value", None) else make(unboxed(self.value))
        if isinstance(source, IndexedSlices) and self.rows is getattr(source.values, "_value", None):
            return source
        return IndexedSlices(make(unboxed(self.rows)), make(unboxed(self.places)), tf["shape"](self.value))

    def through(self, function: Callable[..., Any], *arrays: Any) -> GradientArray:
        """The gradient with an elementwise function of it and further arrays applied; for slices, to their rows."""
        if self.rows is None:
            return GradientArray(function(self.value, *arrays))
        rows = function(self.rows, *(each[self.places] for each in arrays))
        return GradientArray.of_rows(np.zeros_like(self.value, dtype=rows.dtype), rows, self.places)

    @property
    def square(self) -> Any:
        """Its square; if a row was looked up twice, the sum of the two squares."""
        return self.through(np.square).value

    def cast(self, dtype: np.dtype[Any]) -> GradientArray:
        """The gradient in the dtype of its variable."""
        return self if self.value.dtype == dtype else self.through(lambda g: g.astype(dtype))
