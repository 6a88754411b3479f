"""The dense layer: inputs -> their product with a weight matrix, and a bias added."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.tf.keras.layers.base.input_specs import InputSpec
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.base.passing import passed
from tapeviz.tf.keras.layers.base.weighted import BuiltWeight, Weighted, as_float


class Dense(Weighted):
    """activation(inputs @ kernel + bias), over the last axis (`tf.keras.layers.Dense`).

    Args:
        units: the length of the output's last axis.
        activation: a name or a function; none by default.
        use_bias: whether there is a bias.
        kernel_initializer: a name or an initializer; `bias_initializer` likewise.
        kernel_regularizer: a name or a regularizer; `bias_regularizer` and `activity_regularizer` likewise.
        kernel_constraint: a name or a constraint; `bias_constraint` likewise.

    Raises:
        ValueError: no positive number of units; when called, an input of fewer than 2 axes or of another width.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Dense(1, kernel_initializer="ones")(tf.constant([[1.0, 2.0]]))
    <tf.Tensor: shape=(1, 1), dtype=float32, numpy=array([[3.]], dtype=float32)>
    """

    _settings_ = (
        *Layer._settings_, "units", "activation", "use_bias", "kernel_initializer", "bias_initializer",
        "kernel_regularizer", "bias_regularizer", "kernel_constraint", "bias_constraint", "quantization_config",
    )  # fmt: skip
    input_spec = InputSpec(min_ndim=2)
    supports_masking = True
    kernel: Any = BuiltWeight()

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(units, int) or units <= 0:
            raise ValueError(
                f"Received an invalid value for `units`, expected a positive integer. Received: units={units}"
            )
        super().__init__(**passed(locals(), "units"))
        self.units = units

    def build(self, input_shape: Any) -> None:
        self._add_weights_((input_shape[-1], self.units))
        self.input_spec = InputSpec(min_ndim=2, axes={-1: input_shape[-1]})

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        inputs = as_float(inputs, self.kernel)
        outputs = EXPORTS["tensordot"](inputs, self.kernel, 1) if inputs.ndim > 2 else inputs @ self.kernel
        return self._finished_(outputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape[:-1], self.units)
