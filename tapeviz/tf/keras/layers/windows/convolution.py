"""Convolutions over series (batch, length, channels) and images."""

from __future__ import annotations

import operator
from typing import Any, ClassVar

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.tf.keras.layers.base.input_specs import InputSpec
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.base.passing import passed
from tapeviz.tf.keras.layers.base.weighted import BuiltWeight, Weighted
from tapeviz.tf.keras.layers.windows import images
from tapeviz.tf.keras.layers.windows.sides import Sided


class Windowed(Weighted, Sided):
    """The base class of layers that move a window with weights over their inputs."""

    _no_more_ = False
    _borders_: ClassVar[tuple[str, ...]] = ()
    """The kinds of padding that are allowed besides "valid" and "same"."""

    def __init__(
        self,
        kernel_size: Any,
        strides: Any,
        padding: str,
        data_format: str | None,
        dilation_rate: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.padding = images.padding(self.name, padding, *self._borders_)
        self.data_format = images.data_format(data_format)
        self.kernel_size = images.lengths("kernel_size", kernel_size, self._sides_, number=operator.index)
        self.strides = images.lengths("strides", strides, self._sides_)
        self.dilation_rate = images.lengths("dilation_rate", dilation_rate, self._sides_)

    def _require_positive_(self, name: str) -> None:
        if getattr(self, name) <= 0:
            raise ValueError(
                f"Invalid value for argument `{name}`. Expected a strictly positive value. "
                f"Received {name}={getattr(self, name)}."
            )

    def _channels_(self, input_shape: Any) -> int:
        """The number of channels of the inputs, which all further inputs must have."""
        axis = -1 if self.data_format == "channels_last" else 1
        self.input_spec = InputSpec(min_ndim=self._sides_ + 2, axes={axis: input_shape[axis]})
        channels: int = input_shape[axis]
        return channels

    def _require_axes_(self, input_shape: Any, kernel_shape: Any) -> None:
        if len(input_shape) != len(kernel_shape):
            raise ValueError(
                "Kernel shape must have the same length as input, but received kernel of shape "
                f"{tuple(kernel_shape)} and input of shape {tuple(input_shape)}."
            )

    def _require_room_(self, input_shape: Any, kernel_shape: Any) -> None:
        self._require_axes_(input_shape, kernel_shape)
        self.compute_output_shape(input_shape)

    def _require_floats_(self, inputs: Any) -> None:
        if not inputs.dtype.is_floating:
            raise ValueError(
                f"Incompatible type conversion requested to type {inputs.dtype.name} for `tf.Variable of type "
                f"{self.dtype}. It is the kernel of {self.name}: use tf.cast on the inputs."
            )

    def _with_(self, bias: TensorLike, outputs: Any) -> Any:
        length = bias.shape[0]
        # Keras 3, whose numbers these are, takes a last axis of just this length for that of the channels
        last = self.data_format == "channels_last" or outputs.shape[-1] == length > 1
        return outputs + (bias if last else EXPORTS["reshape"](bias, (-1, *[1] * self._sides_)))

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, lengths, channels = images.parted(input_shape, self.data_format)
        windows = [1 + (size - 1) * step for size, step in zip(self.kernel_size, self.dilation_rate, strict=True)]
        filters = self._filters_(channels)
        found = images.joined(batch, self._output_sides_(lengths, windows), filters, self.data_format)
        if self.padding == "valid" and any(length is not None and length <= 0 for length in found[1:]):
            raise ValueError(
                f"Nothing is left of {tuple(input_shape)} by kernels of {self.kernel_size}: give padding='same'."
            )
        return found

    def _output_sides_(self, lengths: list[int | None], windows: list[int]) -> list[int | None]:
        """The lengths of the sides of the output."""
        return images.counts(lengths, windows, self.strides, self.padding)

    def _filters_(self, channels: int) -> int:
        """The number of channels of the output."""
        raise NotImplementedError


class Convolution(Windowed):
    """The base class of layers whose filters extend over all channels."""

    _settings_ = (
        *Layer._settings_, "filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate", "groups",
        "activation", "use_bias", "kernel_initializer", "bias_initializer", "kernel_regularizer", "bias_regularizer",
        "activity_regularizer", "kernel_constraint", "bias_constraint",
    )  # fmt: skip

    def __init__(self, filters: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.filters = filters
        self._require_positive_("filters")
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
                f"Received: strides={self.strides} and dilation_rate={self.dilation_rate}"
            )

    def _filters_(self, channels: int) -> int:
        return self.filters


class _Conv(Convolution):
    """What `Conv1D` and `Conv2D` have in common."""

    kernel: Any = BuiltWeight()

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
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
        super().__init__(**passed(locals(), "groups"))
        if groups <= 0:
            raise ValueError(f"The number of groups must be a positive integer. Received: groups={groups}.")
        if filters % groups:
            raise ValueError(
                "The number of filters must be evenly divisible by the number of groups. "
                f"Received: groups={groups}, filters={filters}."
            )
        self.groups = groups

    def build(self, input_shape: Any) -> None:
        channels = self._channels_(input_shape)
        if channels % self.groups:
            raise ValueError(f"groups={self.groups} do not divide {channels} channels, of shape {tuple(input_shape)}.")
        shape = (*self.kernel_size, channels // self.groups, self.filters)
        self._require_room_(input_shape, shape)
        self._add_weights_(shape)

    def call(self, inputs: Any) -> Any:
        self._require_floats_(inputs)
        padding = self.padding
        if padding == "causal":
            before = [(self.kernel_size[0] - 1) * self.dilation_rate[0], 0]
            inputs = EXPORTS["pad"](inputs, images.joined([0, 0], [before], [0, 0], self.data_format))
            padding = "valid"
        layout = images.layout(self.data_format, self._sides_)
        op = EXPORTS[f"nn.conv{self._sides_}d"]
        return self._finished_(op(inputs, self.kernel, self.strides, padding.upper(), layout, self.dilation_rate))


class Conv1D(_Conv, sides=1):
    """The convolution of series of shape (batch, length, channels) (`tf.keras.layers.Conv1D`).

    Args:
        filters: the number of output channels.
        kernel_size: the length of the window.
        strides: the step of the window.
        padding: "valid" for none, "same", or "causal" for padding in front only, so that no window looks ahead.
        data_format: "channels_first" for series of shape (batch, channels, length).
        dilation_rate: the distance between the elements of the window.
        groups: into how many groups the channels and the filters are divided. Each group has its own convolution.
        activation: a name or a function. This and the remaining arguments are those of `Dense`.

    Raises:
        ValueError: a number is not positive, the padding or the data format is unknown, or both `strides` and
            `dilation_rate` are greater than 1; when called on a series that is shorter than the window.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Conv1D(4, 3)(tf.zeros([1, 8, 3])).shape
    TensorShape([1, 6, 4])
    """

    _borders_ = ("causal",)


class Conv2D(_Conv, sides=2):
    """The convolution of images of shape (batch, height, width, channels) (`tf.keras.layers.Conv2D`).

    Args:
        filters: the number of output channels.
        kernel_size: the height and width of the window, or one number for both.
        strides: the step of the window.
        padding: "valid" for none, or "same".
        data_format: "channels_first" for images of shape (batch, channels, height, width).
        dilation_rate: the distance between the elements of the window.
        groups: into how many groups the channels and the filters are divided. Each group has its own convolution.
        activation: a name or a function. This and the remaining arguments are those of `Dense`.

    Raises:
        ValueError: a number is not positive, the padding or the data format is unknown, or both `strides` and
            `dilation_rate` are greater than 1; when called on an image that is smaller than the window.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Conv2D(4, 3)(tf.zeros([1, 8, 8, 3])).shape
    TensorShape([1, 6, 6, 4])
    """
