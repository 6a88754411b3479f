"""Transposed convolutions over series and images."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.base.passing import passed
from tapeviz.tf.keras.layers.windows import images
from tapeviz.tf.keras.layers.windows.convolution import Convolution


class _ConvTranspose(Convolution):
    """What `Conv1DTranspose` and `Conv2DTranspose` have in common."""

    _settings_ = (
        *Layer._settings_, "filters", "kernel_size", "strides", "padding", "output_padding", "data_format",
        "dilation_rate", "activation", "use_bias", "kernel_initializer", "bias_initializer", "kernel_regularizer",
        "bias_regularizer", "activity_regularizer", "kernel_constraint", "bias_constraint",
    )  # fmt: skip

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = 1,
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
        super().__init__(**passed(locals(), "output_padding"))
        self.output_padding = None
        if output_padding is not None:
            self.output_padding = images.lengths("output_padding", output_padding, self._sides_, 0, images.as_told)
        for place, (more, step) in enumerate(zip(self.output_padding or (), self.strides, strict=False)):
            if more >= step:
                raise ValueError(
                    f"output_padding={self.output_padding} must be less than strides={self.strides}, at {place}, too."
                )

    def build(self, input_shape: Any) -> None:
        channels = self._channels_(input_shape)
        shape = (*self.kernel_size, self.filters, channels)
        self._require_axes_(input_shape, shape)
        self.kernel = self._add_("kernel", shape)
        self._add_bias_(self.filters)

    def call(self, inputs: Any) -> Any:
        self._require_floats_(inputs)
        shape = self.compute_output_shape(inputs.shape)
        if not all(hasattr(each, "__index__") for each in shape):
            raise TypeError(
                f"Cannot convert {list(shape)} to a tensor of dtype int32: the `output_padding` of {self.name!r} is "
                f"{self.output_padding}, which should be integers."
            )
        outputs = EXPORTS[f"nn.conv{self._sides_}d_transpose"](
            inputs,
            self.kernel,
            shape,
            self.strides,
            self.padding.upper(),
            images.layout(self.data_format, self._sides_),
            self.dilation_rate,
        )
        return self._finished_(outputs)

    def _output_sides_(self, lengths: list[int | None], windows: list[int]) -> list[int | None]:
        more = self.output_padding or [None] * self._sides_
        return [
            None if length is None else self._side_(length, window, step, further)
            for length, window, step, further in zip(lengths, windows, self.strides, more, strict=True)
        ]

    def _side_(self, length: int, window: int, step: int, more: int | None) -> int:
        if self.padding == "valid":
            return (length - 1) * step + (max(window, step) if more is None else window + more)
        return length * step if more is None else (length - 1) * step + window % 2 + more


class Conv1DTranspose(_ConvTranspose, sides=1):
    """The transpose of `Conv1D`, which makes series longer (`tf.keras.layers.Conv1DTranspose`).

    Its arguments and errors are those of `Conv2DTranspose`, with one length instead of height and width.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Conv1DTranspose(3, 5, strides=2, padding="same")(tf.zeros([1, 7, 4])).shape
    TensorShape([1, 14, 3])
    """


class Conv2DTranspose(_ConvTranspose, sides=2):
    """The transpose of `Conv2D`, which makes images larger (`tf.keras.layers.Conv2DTranspose`).

    Args:
        filters: the number of output channels.
        kernel_size: the height and width of the window, or one number for both.
        strides: the factor by which images become larger.
        padding: "same" for exactly this factor, or "valid" for the whole windows at the edges in addition.
        output_padding: how many rows and columns are added; less than `strides`.
        activation: a name or a function. This and the remaining arguments are those of `Conv2D`.

    Raises:
        ValueError: as for `Conv2D`, or `output_padding` is not less than `strides`.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Conv2DTranspose(3, 5, strides=2, padding="same")(tf.zeros([1, 7, 7, 4])).shape
    TensorShape([1, 14, 14, 3])
    """
