"""Pooling over windows of series and images, or over the whole of them."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.windows import images
from tapeviz.tf.keras.layers.windows.sides import Sided
from tapeviz.tf.keras.serialization import tells_arguments


class _Pooling(Sided):
    """The base class of pooling layers with windows."""

    built = True
    _op_ = ""

    _settings_ = (*Layer._settings_, "pool_size", "padding", "strides", "data_format")

    def __init__(
        self,
        pool_size: Any,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.padding = padding
        self.data_format = images.data_format(data_format)
        self.pool_size = images.lengths("pool_size", pool_size, self._sides_)
        self.strides = images.lengths("strides", pool_size if strides is None else strides, self._sides_)

    def call(self, inputs: Any) -> Any:
        windows = list(self.pool_size), list(self.strides), self.padding.upper()
        return EXPORTS[f"nn.{self._op_}{self._sides_}d"](
            inputs, *windows, images.layout(self.data_format, self._sides_)
        )

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, lengths, channels = images.parted(input_shape, self.data_format)
        sides = images.counts(lengths, self.pool_size, self.strides, images.padding(self.name, self.padding))
        if any(side is not None and side < 1 for side in sides):
            shape, size = (f"[{' '.join(map(str, each))}]" for each in (input_shape, self.pool_size))
            raise ValueError(
                f"Computed output size would be zero or negative. Received: `inputs.shape={shape}`, "
                f"`pool_size={size}`, `strides={self.strides}`, `padding={self.padding}`."
            )
        return images.joined(batch, sides, channels, self.data_format)


class _MaxPooling(_Pooling):
    """What `MaxPooling1D` and `MaxPooling2D` have in common."""

    _op_ = "max_pool"

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


class MaxPooling1D(_MaxPooling, sides=1):
    """The largest number of each window of a series of shape (batch, length, channels).

    It is `tf.keras.layers.MaxPooling1D`. Its arguments and errors are those of `MaxPooling2D`, with one length instead
    of height and width.

    >>> import tapeviz as tf
    >>> tf.keras.layers.MaxPooling1D()(tf.zeros([1, 8, 3])).shape
    TensorShape([1, 4, 3])
    """


class MaxPooling2D(_MaxPooling, sides=2):
    """The largest number of each window of an image of shape (batch, height, width, channels).

    It is `tf.keras.layers.MaxPooling2D`.

    Args:
        pool_size: the height and width of the window, or one number for both.
        strides: the step of the window, `pool_size` by default.
        padding: "valid" for none, or "same".
        data_format: "channels_first" for images of shape (batch, channels, height, width).
        name: the name of the layer.
        kwargs: the other arguments of every layer.

    Raises:
        ValueError: the padding or the data format is unknown; when called on another number of axes than 4.

    >>> import tapeviz as tf
    >>> tf.keras.layers.MaxPooling2D()(tf.zeros([1, 8, 6, 3])).shape
    TensorShape([1, 4, 3, 3])
    """


class AveragePooling1D(_Pooling, sides=1):
    """The mean of each window of a series, without the padding (`tf.keras.layers.AveragePooling1D`).

    Its arguments and errors are those of `MaxPooling2D`, with one length instead of height and width.

    >>> import tapeviz as tf
    >>> tf.keras.layers.AveragePooling1D(2)(tf.reshape(tf.range(4.0), [1, 4, 1])).numpy().tolist()
    [[[0.5], [2.5]]]
    """

    _op_ = "avg_pool"


class AveragePooling2D(_Pooling, sides=2):
    """The mean of each window of an image, without the padding (`tf.keras.layers.AveragePooling2D`).

    Its arguments and errors are those of `MaxPooling2D`.

    >>> import tapeviz as tf
    >>> tf.keras.layers.AveragePooling2D(2)(tf.reshape(tf.range(4.0), [1, 2, 2, 1])).numpy().tolist()
    [[[[1.5]]]]
    """

    _op_ = "avg_pool"


@tells_arguments
class _GlobalPooling(Sided):
    """The base class of layers that reduce each channel to one number."""

    built = True
    _op_ = ""

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = images.data_format(data_format)
        self.keepdims = keepdims

    def call(self, inputs: Any) -> Any:
        first = 1 if self.data_format == "channels_last" else 2
        return EXPORTS[self._op_](inputs, axis=list(range(first, first + self._sides_)), keepdims=self.keepdims)

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, _, channels = images.parted(input_shape, self.data_format)
        return images.joined(batch, (1,) * self._sides_ if self.keepdims else (), channels, self.data_format)


class GlobalAveragePooling1D(_GlobalPooling, sides=1):
    """The mean of each channel of a series (`tf.keras.layers.GlobalAveragePooling1D`).

    Steps that a mask excludes do not count. Without any steps, the mean is NaN.

    Args:
        data_format: "channels_first" for series of shape (batch, channels, length).
        keepdims: whether the axis of the steps is kept with length 1.
        kwargs: the arguments of every layer.

    >>> import tapeviz as tf
    >>> tf.keras.layers.GlobalAveragePooling1D()(tf.zeros([2, 5, 3])).shape
    TensorShape([2, 3])
    """

    _op_ = "reduce_mean"

    def call(self, inputs: Any, mask: Any = None) -> Any:
        if mask is None:
            return super().call(inputs)
        axis = 1 if self.data_format == "channels_last" else 2
        counts = EXPORTS["expand_dims"](EXPORTS["cast"](mask, "bool"), 3 - axis)
        number = EXPORTS["reduce_sum"](EXPORTS["cast"](counts, inputs.dtype), axis, self.keepdims)
        return EXPORTS["reduce_sum"](EXPORTS["where"](counts, inputs, 0), axis, self.keepdims) / number

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None


class GlobalAveragePooling2D(_GlobalPooling, sides=2):
    """The mean of each channel of an image (`tf.keras.layers.GlobalAveragePooling2D`).

    Args:
        data_format: "channels_first" for images of shape (batch, channels, height, width).
        keepdims: whether height and width are kept with length 1.
        kwargs: the arguments of every layer.

    >>> import tapeviz as tf
    >>> tf.keras.layers.GlobalAveragePooling2D()(tf.zeros([2, 5, 5, 3])).shape
    TensorShape([2, 3])
    """

    _op_ = "reduce_mean"


class GlobalMaxPooling1D(_GlobalPooling, sides=1):
    """The largest number of each channel of a series (`tf.keras.layers.GlobalMaxPooling1D`).

    Args:
        data_format: "channels_first" for series of shape (batch, channels, length).
        keepdims: whether the axis of the steps is kept with length 1.
        kwargs: the arguments of every layer.

    >>> import tapeviz as tf
    >>> tf.keras.layers.GlobalMaxPooling1D()(tf.zeros([2, 5, 3])).shape
    TensorShape([2, 3])
    """

    _op_ = "reduce_max"


class GlobalMaxPooling2D(_GlobalPooling, sides=2):
    """The largest number of each channel of an image (`tf.keras.layers.GlobalMaxPooling2D`).

    Args:
        data_format: "channels_first" for images of shape (batch, channels, height, width).
        keepdims: whether height and width are kept with length 1.
        kwargs: the arguments of every layer.

    >>> import tapeviz as tf
    >>> tf.keras.layers.GlobalMaxPooling2D()(tf.zeros([2, 5, 5, 3])).shape
    TensorShape([2, 3])
    """

    _op_ = "reduce_max"
