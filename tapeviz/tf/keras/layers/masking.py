"""Padded series -> a mask that leaves the padding out."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.masks import with_mask
from tapeviz.tf.keras.serialization import tells_arguments
from tapeviz.tf.keras.symbolic import is_symbolic
from tapeviz.tf.keras.symbolic.operations import OPERATIONS, on_placeholders


@on_placeholders("Any", "ops.numpy")
def _any(x: Any, axis: int) -> Any:
    return tf["reduce_any"](x, axis=axis)


@tells_arguments
class Masking(Layer):
    """Adds a mask that excludes the steps of a series whose numbers are all one value (`tf.keras.layers.Masking`).

    The layers behind it, losses and metrics skip these steps.

    Args:
        mask_value: the value.
        kwargs: the arguments of every layer.

    >>> import tapeviz as tf
    >>> series = tf.keras.layers.Masking()(tf.constant([[[1.0, 2.0], [0.0, 0.0]]]))
    >>> series._keras_mask.numpy().tolist()
    [[True, False]]
    """

    built = True

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value

    def call(self, inputs: Any) -> Any:
        counts = self._counts_(inputs, keepdims=True)
        return with_mask(tf["where"](counts, inputs, 0), tf["squeeze"](counts, -1))

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return _any(inputs != self.mask_value, axis=-1) if is_symbolic(inputs) else self._counts_(inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def _counts_(self, inputs: Any, **told: Any) -> Any:
        return tf["reduce_any"](OPERATIONS["NotEqual"].function(inputs, self.mask_value), axis=-1, **told)
