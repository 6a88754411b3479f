"""The base of layers with a kernel."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.engine.specs.dtypes import DIFFERENTIABLE
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.tf.keras import activations
from tapeviz.tf.keras.layers.base.layer import Layer


class BuiltWeight:
    """A descriptor of a weight that exists once the layer is built, and cannot be replaced.

    The layer keeps the weight `kernel` in its attribute `_kernel`.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, layer: Any, owner: type | None = None) -> Any:
        if layer is None:
            return self
        found = vars(layer).get(f"_{self._name}")
        if found is None:
            raise AttributeError(f"The layer has no {self._name} yet: call it, or build(input_shape), first.")
        return found

    def __set__(self, layer: Any, value: Any) -> None:
        raise AttributeError(f"property {self._name!r} of {type(layer).__name__!r} object has no setter")


class Weighted(Layer):
    """The base class of layers with kernels, perhaps a bias, and an activation."""

    def __init__(self, activation: Any, use_bias: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)
        self.use_bias = use_bias

    def _finished_(self, outputs: Any) -> Any:
        """The activation of outputs plus the bias; both may be None."""
        outputs = outputs if self.bias is None else self._with_(self.bias, outputs)
        return outputs if self.activation is None else self.activation(outputs)

    def _with_(self, bias: TensorLike, outputs: Any) -> Any:
        return outputs + bias

    def _add_weights_(self, shape: tuple[int, ...]) -> None:
        """Make the kernel, and a bias as long as its last axis."""
        self._kernel = self._add_("kernel", shape)
        self._add_bias_(shape[-1])

    def _add_bias_(self, length: int) -> None:
        """Make the bias, if there is to be one."""
        self.bias = self._add_("bias", (length,)) if self.use_bias else None


def as_float(inputs: Any, weight: TensorLike) -> Any:
    """Inputs as floats of the dtype of a weight. A list of tensors is stacked.

    Raises:
        ValueError: strings.
    """
    inputs = tensor_of(inputs)
    if inputs._value.dtype.kind == "O":
        raise ValueError("dtype='string' is not a valid dtype for Keras type promotion. A layer's inputs are numbers.")
    return EXPORTS["cast"](inputs, weight.dtype) if inputs._value.dtype.kind not in DIFFERENTIABLE else inputs
