"""The base of layers that normalize: a scale and an offset, the dtype of the computation, axes."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.engine.specs.dtypes import float32
from tapeviz.tf.keras.layers.base.layer import Layer


class Normalizing(Layer):
    """A layer with a scale `gamma` and an offset `beta`."""

    supports_masking = True
    gamma: Any = None
    beta: Any = None

    def __init__(
        self,
        axis: Any,
        epsilon: float,
        center: bool,
        scale: bool,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.axis, self.epsilon = axis, epsilon
        self.center, self.scale = center, scale

    def _add_scale_and_offset_(self, shape: Any) -> None:
        if self.scale:
            self.gamma = self._add_("gamma", shape)
        if self.center:
            self.beta = self._add_("beta", shape)

    def _normalized_(self, inputs: Any, mean: Any, variance: Any, axes: list[int]) -> Any:
        """The inputs, normalized by this mean and variance; the weights are those of `axes`."""
        weights = (None if each is None else typed(each, inputs.dtype) for each in (self.beta, self.gamma))
        beta, gamma = (None if each is None else along(each, inputs, axes) for each in weights)
        return EXPORTS["nn.batch_normalization"](inputs, mean, variance, beta, gamma, self.epsilon)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return of_these_axes(self.axis, input_shape)


def of_these_axes(axis: Any, input_shape: Any) -> Any:
    """The shape itself; ValueError if it does not have these axes."""
    for each in listed(axis):
        if not -len(input_shape) <= each < len(input_shape):
            raise ValueError(f"Axis {each} is out of bounds for input shape {input_shape}.")
    return input_shape


def listed(axis: Any) -> list[int]:
    """One axis, or several, as a list."""
    return [axis] if isinstance(axis, int) else list(axis)


def wide(inputs: Any) -> Any:
    """Inputs in float32 at least: squares of half-precision numbers would overflow."""
    return inputs if inputs.dtype.name == "float64" else typed(inputs, float32)


def typed(value: Any, dtype: Any) -> Any:
    """A tensor, cast to a dtype if it has another."""
    return value if value.dtype.name == dtype.name else EXPORTS["cast"](value, dtype)


def along(weight: Any, inputs: Any, axes: list[int]) -> Any:
    """A weight, reshaped to broadcast along these axes of the inputs."""
    if axes == [inputs.ndim - 1] or weight.ndim == inputs.ndim:
        return weight
    return EXPORTS["reshape"](weight, [n if axis in axes else 1 for axis, n in enumerate(inputs.shape)])
