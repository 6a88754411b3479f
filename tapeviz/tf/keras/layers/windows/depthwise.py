"""Depthwise and separable convolutions over series and images."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.base.passing import passed
from tapeviz.tf.keras.layers.windows import images
from tapeviz.tf.keras.layers.windows.convolution import Windowed


class _ByChannel(Windowed):
    """The base class of layers with separate filters for each channel."""

    def __init__(self, depth_multiplier: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.depth_multiplier = depth_multiplier
        self._require_positive_("depth_multiplier")

    def _depthwise_(self, name: str, channels: int) -> Any:
        """A new weight with the filters of each channel."""
        return self._add_(name, (*self.kernel_size, channels, self.depth_multiplier), "depthwise")

    def _over_images_(self, op: str, inputs: Any, *kernels: Any) -> Any:
        """The result of an op for images; a series is treated as an image with one row."""
        row, strides, dilations = 1 if self.data_format == "channels_last" else 2, self.strides, self.dilation_rate
        if self._sides_ == 1:
            inputs, strides, dilations = EXPORTS["expand_dims"](inputs, row), (1, *strides), (1, *dilations)
            kernels = tuple(EXPORTS["expand_dims"](each, 0) for each in kernels)
        strides, layout = images.joined(1, strides, 1, self.data_format), images.layout(self.data_format)
        outputs = EXPORTS[op](inputs, *kernels, strides, self.padding.upper(), layout, dilations)
        return self._finished_(EXPORTS["squeeze"](outputs, [row]) if self._sides_ == 1 else outputs)


class _DepthwiseConv(_ByChannel):
    """What `DepthwiseConv1D` and `DepthwiseConv2D` have in common."""

    _settings_ = (
        *Layer._settings_, "depth_multiplier", "kernel_size", "strides", "padding", "data_format", "dilation_rate",
        "activation", "use_bias", "depthwise_initializer", "bias_initializer", "depthwise_regularizer",
        "bias_regularizer", "activity_regularizer", "depthwise_constraint", "bias_constraint",
    )  # fmt: skip

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed(locals()))

    def build(self, input_shape: Any) -> None:
        channels = self._channels_(input_shape)
        self._require_room_(input_shape, (*self.kernel_size, channels, self.depth_multiplier))
        self.kernel = self._depthwise_("kernel", channels)
        self._add_bias_(self._filters_(channels))

    def call(self, inputs: Any) -> Any:
        self._require_floats_(inputs)
        return self._over_images_("nn.depthwise_conv2d", inputs, self.kernel)

    def _filters_(self, channels: int) -> int:
        return self.depth_multiplier * channels


class DepthwiseConv1D(_DepthwiseConv, sides=1):
    """The convolution of each channel of a series with filters of its own (`tf.keras.layers.DepthwiseConv1D`).

    Its arguments and errors are those of `DepthwiseConv2D`, with one length instead of height and width.

    >>> import tapeviz as tf
    >>> tf.keras.layers.DepthwiseConv1D(3, depth_multiplier=2)(tf.zeros([1, 8, 3])).shape
    TensorShape([1, 6, 6])
    """


class DepthwiseConv2D(_DepthwiseConv, sides=2):
    """The convolution of each channel of an image with filters of its own (`tf.keras.layers.DepthwiseConv2D`).

    Args:
        kernel_size: the height and width of the window, or one number for both.
        strides: the step of the window.
        padding: "valid" for none, or "same".
        depth_multiplier: the number of filters for each channel.
        data_format: "channels_first" for images of shape (batch, channels, height, width).
        dilation_rate: the distance between the elements of the window.
        activation: a name or a function. This and the remaining arguments are those of `Conv2D`, except that those of
            the kernel begin with `depthwise_`.

    Raises:
        ValueError: a number is not positive, or the padding or the data format is unknown; when called on an image that
            is smaller than the window.

    >>> import tapeviz as tf
    >>> tf.keras.layers.DepthwiseConv2D(3, depth_multiplier=2)(tf.zeros([1, 8, 8, 3])).shape
    TensorShape([1, 6, 6, 6])
    """


class _SeparableConv(_ByChannel):
    """What `SeparableConv1D` and `SeparableConv2D` have in common."""

    _settings_ = (
        *Layer._settings_, "depth_multiplier", "filters", "kernel_size", "strides", "padding", "data_format",
        "dilation_rate", "activation", "use_bias", "depthwise_initializer", "pointwise_initializer",
        "bias_initializer", "depthwise_regularizer", "pointwise_regularizer", "bias_regularizer",
        "activity_regularizer", "depthwise_constraint", "pointwise_constraint", "bias_constraint",
    )  # fmt: skip

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed(locals(), "filters"))
        self.filters = filters
        self._require_positive_("filters")

    def build(self, input_shape: Any) -> None:
        channels = self._channels_(input_shape)
        self._require_room_(input_shape, (*self.kernel_size, channels, self.filters))
        self.depthwise_kernel = self._depthwise_("depthwise_kernel", channels)
        mixing = (*[1] * self._sides_, self.depth_multiplier * channels, self.filters)
        self.pointwise_kernel = self._add_("pointwise_kernel", mixing, "pointwise")
        self._add_bias_(self.filters)

    def call(self, inputs: Any) -> Any:
        self._require_floats_(inputs)
        return self._over_images_("nn.separable_conv2d", inputs, self.depthwise_kernel, self.pointwise_kernel)

    def _filters_(self, channels: int) -> int:
        return self.filters


class SeparableConv1D(_SeparableConv, sides=1):
    """A depthwise convolution of a series, followed by a combination of its channels.

    It is `tf.keras.layers.SeparableConv1D`. Its arguments and errors are those of `SeparableConv2D`, with one length
    instead of height and width.

    >>> import tapeviz as tf
    >>> tf.keras.layers.SeparableConv1D(4, 3)(tf.zeros([1, 8, 3])).shape
    TensorShape([1, 6, 4])
    """


class SeparableConv2D(_SeparableConv, sides=2):
    """A depthwise convolution of an image, followed by a combination of its channels.

    It is `tf.keras.layers.SeparableConv2D`.

    Args:
        filters: the number of output channels. Each is a combination of the channels after the first step.
        kernel_size: the height and width of the window, or one number for both.
        strides: the step of the window.
        padding: "valid" for none, or "same".
        data_format: "channels_first" for images of shape (batch, channels, height, width).
        dilation_rate: the distance between the elements of the window.
        depth_multiplier: the number of filters for each channel in the first step.
        activation: a name or a function. This and the remaining arguments are those of `Conv2D`, except that those of
            the two kernels begin with `depthwise_` and `pointwise_`.

    Raises:
        ValueError: a number is not positive, or the padding or the data format is unknown; when called on an image that
            is smaller than the window.

    >>> import tapeviz as tf
    >>> tf.keras.layers.SeparableConv2D(4, 3)(tf.zeros([1, 8, 8, 3])).shape
    TensorShape([1, 6, 6, 4])
    """
