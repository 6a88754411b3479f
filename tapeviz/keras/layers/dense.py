"""Layers with a kernel: what they have in common, and the one with a weight matrix."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.api import EXPORTS
from tapeviz.engine.api.arguments import tensor_of
from tapeviz.engine.dtypes import DIFFERENTIABLE
from tapeviz.engine.tensor import TensorLike
from tapeviz.keras import activations
from tapeviz.keras.layers.base import Layer
from tapeviz.keras.layers.input_specs import InputSpec
from tapeviz.keras.layers.passing import passed


class Kept:
    """A weight that is there once the layer is built, and that nothing else is put in the place of.

    The layer keeps the weight `kernel` in its attribute `_kernel`.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, layer: Any, owner: type | None = None) -> Any:
        if layer is None:
            return self
        found = vars(layer).get(f"_{self._name}")
        if found is None:
            raise AttributeError(f"You must build the layer before accessing `{self._name}`.")
        return found

    def __set__(self, layer: Any, value: Any) -> None:
        raise AttributeError(f"property {self._name!r} of {type(layer).__name__!r} object has no setter")


class Weighted(Layer):
    """A layer with kernels, a bias unless told otherwise, and a function of what comes of them."""

    def __init__(self, activation: Any, use_bias: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)
        self.use_bias = use_bias

    def add_weights(self, shape: tuple[int, ...]) -> None:
        """The kernel, and a bias for each of its last axis."""
        self._kernel = self._add("kernel", shape)
        self.add_bias(shape[-1])

    def add_bias(self, length: int) -> None:
        """The bias, if there is one."""
        self.bias = self._add("bias", (length,)) if self.use_bias else None


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

    settings = (
        *Layer.settings, "units", "activation", "use_bias", "kernel_initializer", "bias_initializer",
        "kernel_regularizer", "bias_regularizer", "kernel_constraint", "bias_constraint", "quantization_config",
    )  # fmt: skip
    input_spec = InputSpec(min_ndim=2)
    supports_masking = True
    kernel: Any = Kept()

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
        self.add_weights((input_shape[-1], self.units))
        self.input_spec = InputSpec(min_ndim=2, axes={-1: input_shape[-1]})

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        inputs = as_float(inputs, self.kernel)
        outputs = EXPORTS["tensordot"](inputs, self.kernel, 1) if inputs.ndim > 2 else inputs @ self.kernel
        return self.activation(outputs if self.bias is None else outputs + self.bias)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape[:-1], self.units)


def as_float(inputs: Any, weight: TensorLike) -> Any:
    """Integers as the floats that the weights are; a list of one tensor, which passes for its input, as a stack.

    Raises:
        ValueError: texts.
    """
    inputs = tensor_of(inputs)
    if inputs._value.dtype.kind == "O":
        raise ValueError("dtype='string' is not a valid dtype for Keras type promotion. A layer's inputs are numbers.")
    return EXPORTS["cast"](inputs, weight.dtype) if inputs._value.dtype.kind not in DIFFERENTIABLE else inputs
