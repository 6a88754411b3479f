"""Layers with a bank of filters that goes over images (batch, height, width, channels)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.api import EXPORTS
from tapeviz.keras.layers import images
from tapeviz.keras.layers.base import Layer
from tapeviz.keras.layers.dense import Kept, Weighted


class _Convolution(Weighted):
    """What the layers with filters have in common."""

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
        strides: Any,
        padding: str,
        data_format: str | None,
        dilation_rate: Any,
        groups: int,
        *weighted: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(*weighted, **kwargs)
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

    def _finished(self, outputs: Any) -> Any:
        """With the bias, under the activation."""
        if self.bias is not None:
            last = self.data_format == "channels_last"
            outputs = outputs + (self.bias if last else EXPORTS["reshape"](self.bias, (-1, 1, 1)))
        return self.activation(outputs)

    def _require_floats(self, inputs: Any) -> None:
        if inputs.dtype.is_integer:
            raise ValueError(f"{self.name}: integers meet a kernel of {self.dtype}: use tf.cast on the inputs.")

    def _sides(self, lengths: list[int | None], windows: list[int]) -> list[int | None]:
        """Height and width of what comes out."""
        raise NotImplementedError

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, lengths, _ = images.parted(input_shape, self.data_format)
        windows = [1 + (size - 1) * step for size, step in zip(self.kernel_size, self.dilation_rate, strict=True)]
        return images.joined(batch, self._sides(lengths, windows), self.filters, self.data_format)


class Conv2D(_Convolution):
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

    kernel: Any = Kept()

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
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            groups,
            activation,
            use_bias,
            (kernel_initializer, kernel_regularizer, kernel_constraint),
            (bias_initializer, bias_regularizer, bias_constraint),
            activity_regularizer=activity_regularizer,
            **kwargs,
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
        self._require_floats(inputs)
        layout = images.layout(self.data_format)
        outputs = EXPORTS["nn.conv2d"](
            inputs, self.kernel, self.strides, self.padding.upper(), layout, self.dilation_rate
        )
        return self._finished(outputs)

    def _sides(self, lengths: list[int | None], windows: list[int]) -> list[int | None]:
        return images.counts(lengths, windows, self.strides, self.padding)


class Conv2DTranspose(_Convolution):
    """What `Conv2D` does to gradients: images that are larger by the strides (`tf.keras.layers.Conv2DTranspose`).

    Args:
        filters: the number of output channels.
        kernel_size: the window's height and width, or one number for both.
        strides: how many times larger the images become.
        padding: "valid" (the windows' ends stick out) or "same" (exactly `strides` times larger).
        output_padding: how much larger than the smallest that `strides` allow, less than they are.
        activation: a name or a function, and so on: as for `Conv2D`.

    Raises:
        ValueError: as for `Conv2D`, or `output_padding` that is no less than `strides`.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Conv2DTranspose(3, 5, strides=2, padding="same")(tf.zeros([1, 7, 7, 4])).shape
    TensorShape([1, 14, 14, 3])
    """

    settings = (*(name for name in _Convolution.settings if name != "groups"), "output_padding")

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
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
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            1,
            activation,
            use_bias,
            (kernel_initializer, kernel_regularizer, kernel_constraint),
            (bias_initializer, bias_regularizer, bias_constraint),
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
        self.output_padding = None if output_padding is None else images.pair(output_padding)
        for place, (more, step) in enumerate(zip(self.output_padding or (), self.strides, strict=False)):
            if more >= step:
                raise ValueError(
                    "`output_padding` must be strictly less than `strides` for all dimensions. At dimension "
                    f"{place}, `output_padding` is {more} but `strides` is {step}. "
                    f"Received: output_padding={self.output_padding}, strides={self.strides}"
                )

    def build(self, input_shape: Any) -> None:
        self.width = input_shape[self.wide_axis]
        self.kernel = self._add("kernel", (*self.kernel_size, self.filters, self.width))
        self.bias = self._add("bias", (self.filters,)) if self.use_bias else None

    def call(self, inputs: Any) -> Any:
        self._require_floats(inputs)
        outputs = EXPORTS["nn.conv2d_transpose"](
            inputs,
            self.kernel,
            self.compute_output_shape(inputs.shape),
            self.strides,
            self.padding.upper(),
            images.layout(self.data_format),
            self.dilation_rate,
        )
        return self._finished(outputs)

    def _sides(self, lengths: list[int | None], windows: list[int]) -> list[int | None]:
        more = self.output_padding or (None, None)
        return [
            None if length is None else self._side(length, *others)
            for length, *others in zip(lengths, windows, self.strides, more, strict=True)
        ]

    def _side(self, length: int, window: int, step: int, more: int | None) -> int:
        if self.padding == "valid":
            return (length - 1) * step + (max(window, step) if more is None else window + more)
        return length * step if more is None else (length - 1) * step + window % 2 + more
