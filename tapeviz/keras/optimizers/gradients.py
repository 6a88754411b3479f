"""Gradients and variables as they are given to an optimizer -> gradients as arrays, clipped."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from tapeviz.engine.convert import array_of
from tapeviz.engine.rounding import is_narrow
from tapeviz.engine.slices import IndexedSlices


class Gradient(NamedTuple):
    """A gradient and its square as arrays; of a row that was looked up twice, the two squares are summed."""

    value: Any
    square: Any

    @staticmethod
    def of(gradient: Any) -> Gradient:
        """The arrays of a tensor, or of the slices of one."""
        if not isinstance(gradient, IndexedSlices):
            return Gradient.of_array(array_of(gradient))
        rows, places = gradient.values._value, gradient.indices._value
        value = np.zeros(gradient.shape, rows.dtype)
        square = np.zeros_like(value)
        np.add.at(value, places, rows)
        np.add.at(square, places, np.square(rows))
        return Gradient(value, square)

    @staticmethod
    def of_array(value: Any) -> Gradient:
        """A gradient whose square is that of the array."""
        return Gradient(value, np.square(value))

    def cast(self, dtype: np.dtype[Any]) -> Gradient:
        """The gradient in the dtype of its variable."""
        return self if self.value.dtype == dtype else Gradient.of_array(self.value.astype(dtype))

    def scaled(self, factor: float) -> Gradient:
        """The gradient times a factor."""
        return Gradient(self.value * factor, self.square * factor**2)


def present(pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The pairs with a gradient; the others are named in a warning."""
    missing = [getattr(variable, "path", variable.name) for gradient, variable in pairs if gradient is None]
    if len(missing) == len(pairs):
        raise ValueError("No gradients provided for any variable.")
    if missing:
        warnings.warn(
            f"Gradients do not exist for variables {missing} when minimizing the loss. If using `model.compile()`, did "
            "you forget to provide a `loss` argument?",
            stacklevel=5,
        )
    return [pair for pair in pairs if pair[0] is not None]


def clipped(gradients: list[Gradient], norm: float | None, whole: float | None, size: float | None) -> list[Gradient]:
    """The gradients cut to a length each, to one of them all together, or number by number to a size."""
    if norm is not None:
        return [each.scaled(norm / max(_length([each]), norm)) for each in gradients]
    if whole is not None:
        scale = whole * min(1.0 / _length(gradients), 1.0 / whole)
        return [each.scaled(scale) for each in gradients]
    if size is not None:
        return [Gradient.of_array(np.clip(each.value, -size, size)) for each in gradients]
    return gradients


def _length(gradients: list[Gradient]) -> float:
    squares = [each.square.astype(np.float32) if is_narrow(each.square) else each.square for each in gradients]
    return float(np.sqrt(sum(map(np.sum, squares))))
