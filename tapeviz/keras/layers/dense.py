"""Layers with a weight matrix or a filter bank."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.api import EXPORTS
from tapeviz.engine.dtypes import DIFFERENTIABLE
from tapeviz.engine.tensor import TensorLike
from tapeviz.keras import activations
from tapeviz.keras.layers import images
from tapeviz.keras.layers.base import Layer


class _Unbuilt:
    """A weight of a layer that has not been built yet."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, layer: Any, owner: type | None = None) -> Any:
        if layer is None:
            return self
        raise AttributeError(f"You must build the layer before accessing `{self._name}`.")


class _Weighted(Layer):
    """A layer with a kernel, a bias unless told otherwise, and a function of what comes of them."""

    kernel: Any = _Unbuilt()

    def __init__(
        self, activation: Any, use_bias: bool, kernel: tuple[Any, ...], bias: tuple[Any, ...], **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self._tell("kernel", *kernel)
        self._tell("bias", *bias)

    def add_weights(self, shape: tuple[int, ...]) -> None:
        """The kernel, and a bias for each of its last axis."""
        self.kernel = self._add("kernel", shape)
        self.bias = self._add("bias", shape[-1:]) if self.use_bias else None


class Dense(_Weighted):
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
    min_ndim = 2

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
        super().__init__(
            activation,
            use_bias,
            (kernel_initializer, kernel_regularizer, kernel_constraint),
            (bias_initializer, bias_regularizer, bias_constraint),
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
        self.units = units

    def build(self, input_shape: Any) -> None:
        self.add_weights((input_shape[-1], self.units))
        self.width = input_shape[-1]

    def call(self, inputs: Any) -> Any:
        inputs = as_float(inputs, self.kernel)
        outputs = EXPORTS["tensordot"](inputs, self.kernel, 1) if inputs.ndim > 2 else inputs @ self.kernel
        return self.activation(outputs if self.bias is None else outputs + self.bias)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape[:-1], self.units)


class Conv2D(_Weighted):
    """activation(conv2d(inputs, kernel) + bias), on images (batch, height, width, channels) (`tf.keras.layers.Conv2D`).

    Args:
        filters: the number of output channels.
        kernel_size: the window's height and width, or one number for both.
        strides: the step between windows.
        padding: "valid" (none) or "same".
        data_format: "channels_first" for images (batch, channels, height, width).
        dilation_rate: the step between the points of a window.
        groups: into how many the channels and the filters are parted, each with its own convolution.
        activation: a name or a function, and so on: as for `Dense`.

    Raises:
        ValueError: no positive number of filters, an unknown padding or data format, lengths below 1, strides together
            with dilation; when called, an image that no window fits into.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Conv2D(4, 3)(tf.zeros([1, 8, 8, 3])).shape
    TensorShape([1, 6, 6, 4])
    """

    settings = (
        *Layer.settings, "filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate", "groups",
        "activation", "use_bias", "kernel_initializer", "bias_initializer", "kernel_regularizer", "bias_regularizer",
        "activity_regularizer", "kernel_constraint", "bias_constraint",
    )  # fmt: skip
    min_ndim = 4

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        groups: int = 1,
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
        super().__init__(
            activation,
            use_bias,
            (kernel_initializer, kernel_regularizer, kernel_constraint),
            (bias_initializer, bias_regularizer, bias_constraint),
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
        if filters <= 0:
            raise ValueError(
                f"Invalid value for argument `filters`. Expected a strictly positive value. Received filters={filters}."
            )
        self.padding = images.padding(self.name, padding)
        self.data_format = images.data_format(data_format)
        self.wide_axis = -1 if self.data_format == "channels_last" else 1
        if groups <= 0 or filters % groups:
            raise ValueError(
                "The number of filters must be evenly divisible by the number of groups. "
                f"Received: groups={groups}, filters={filters}."
            )
        self.filters, self.groups = filters, groups
        self.kernel_size = images.lengths("kernel_size", kernel_size)
        self.strides = images.lengths("strides", strides)
        self.dilation_rate = images.lengths("dilation_rate", dilation_rate)
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
                f"Received: strides={self.strides} and dilation_rate={self.dilation_rate}"
            )

    def build(self, input_shape: Any) -> None:
        channels = input_shape[self.wide_axis]
        if channels % self.groups:
            raise ValueError(
                "The number of input channels must be evenly divisible by the number of groups. "
                f"Received groups={self.groups}, but the input has {channels} channels "
                f"(full input shape is {tuple(input_shape)})."
            )
        self.add_weights((*self.kernel_size, channels // self.groups, self.filters))
        self.width = channels
        if any(length is not None and length <= 0 for length in self.compute_output_shape(input_shape)[1:]):
            raise ValueError(
                f"Computed output size would be zero or negative. Received `inputs shape={tuple(input_shape)}`, "
                f"`kernel shape={tuple(self.kernel.shape)}`, `dilation_rate={np.array(self.dilation_rate)}`, "
                f"`strides={self.strides}`, `padding={self.padding}`."
            )

    def call(self, inputs: Any) -> Any:
        if inputs.dtype.is_integer:
            raise ValueError(f"{self.name}: integers meet a kernel of {self.dtype}: use tf.cast on the inputs.")
        last = self.data_format == "channels_last"
        outputs = EXPORTS["nn.conv2d"](
            inputs, self.kernel, self.strides, self.padding.upper(), "NHWC" if last else "NCHW", self.dilation_rate
        )
        if self.bias is not None:
            outputs = outputs + (self.bias if last else EXPORTS["reshape"](self.bias, (-1, 1, 1)))
        return self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, *lengths = input_shape
        lengths.pop(self.wide_axis if self.wide_axis < 0 else 0)
        windows = [1 + (size - 1) * step for size, step in zip(self.kernel_size, self.dilation_rate, strict=True)]
        sides = images.counts(lengths, windows, self.strides, self.padding)
        return (batch, *sides, self.filters) if self.data_format == "channels_last" else (batch, self.filters, *sides)


def as_float(inputs: TensorLike, weight: TensorLike) -> Any:
    """Integers as the floats that the weights are."""
    return EXPORTS["cast"](inputs, weight.dtype) if inputs._value.dtype.kind not in DIFFERENTIABLE else inputs
