"""The layer that scales numbers to a mean square of 1."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.scale_and_offset import listed, of_these_axes, typed, wide
from tapeviz.tf.keras.serialization import tells_arguments


@tells_arguments
class RMSNormalization(Layer):
    """Divides every example by the root of its mean square (`tf.keras.layers.RMSNormalization`).

    Zhang and Sennrich, 2019, Root Mean Square Layer Normalization.

    Args:
        axis: the axis or axes, the last one by default.
        epsilon: added to the mean square.
        kwargs: the arguments of every layer.

    >>> import tapeviz as tf
    >>> [round(float(v), 3) for v in tf.keras.layers.RMSNormalization()(tf.constant([[1.0, 7.0]]))[0]]
    [0.2, 1.4]
    """

    def __init__(self, axis: Any = -1, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis, self.epsilon = axis, epsilon

    def build(self, input_shape: Any) -> None:
        self.axis = sorted(listed(self.axis))
        self.scale = self.add_weight(tuple(input_shape[axis] for axis in self.axis), "ones", name="scale")

    def call(self, x: Any) -> Any:
        values = wide(x)
        mean = tf["reduce_mean"](tf["square"](values), axis=self.axis, keepdims=True)
        outputs = values * tf["math.rsqrt"](mean + self.epsilon)
        return typed(outputs * typed(self.scale, values.dtype), x.dtype)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return of_these_axes(self.axis, input_shape)
