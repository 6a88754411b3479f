"""Padding, cropping and upsampling of series and images."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.engine.values.constant import constant
from tapeviz.tf.keras.layers.base.input_specs import require_count
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.windows import images
from tapeviz.tf.keras.layers.windows.sides import Sided
from tapeviz.tf.keras.serialization import tells_arguments


class _Bordered(Sided):
    """The base class of layers with a border, which has a width at both ends of each side."""

    def _borders_(self, name: str, given: Any, number: Any = int) -> Any:
        return images.lengths(name, given, 2, 0, number) if self._sides_ == 1 else images.borders(name, given, number)

    def _pairs_(self, borders: Any) -> Any:
        """A pair for each side."""
        return (borders,) if self._sides_ == 1 else borders


@tells_arguments
class _ZeroPadding(_Bordered):
    """What `ZeroPadding1D` and `ZeroPadding2D` have in common."""

    def __init__(self, padding: Any = 1, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = images.data_format(data_format)
        self.padding = self._borders_("padding", padding)

    def call(self, inputs: Any) -> Any:
        around = images.joined((0, 0), self._pairs_(self.padding), (0, 0), self.data_format)
        return EXPORTS["pad"](inputs, around)

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, lengths, channels = images.parted(input_shape, self.data_format)
        sides = zip(lengths, self._pairs_(self.padding), strict=True)
        longer = [None if length is None else length + sum(pair) for length, pair in sides]
        return images.joined(batch, longer, channels, self.data_format)


class ZeroPadding1D(_ZeroPadding, sides=1):
    """Adds zeros at both ends of a series (`tf.keras.layers.ZeroPadding1D`).

    Args:
        padding: how many: one number for both ends, or a pair.
        data_format: "channels_first" for series of shape (batch, channels, length).
        kwargs: the arguments of every layer.

    Raises:
        ValueError: a number is negative or not a number, or the data format is unknown.

    >>> import tapeviz as tf
    >>> tf.keras.layers.ZeroPadding1D((2, 0))(tf.ones([1, 1, 1])).numpy().tolist()
    [[[0.0], [0.0], [1.0]]]
    """


class ZeroPadding2D(_ZeroPadding, sides=2):
    """Adds zeros around an image (`tf.keras.layers.ZeroPadding2D`).

    Args:
        padding: how many: one number, a pair (rows, columns), or a pair of pairs ((above, below), (left, right)).
        data_format: "channels_first" for images of shape (batch, channels, height, width).
        kwargs: the arguments of every layer.

    Raises:
        ValueError: a number is negative or not a number, or the data format is unknown.

    >>> import tapeviz as tf
    >>> tf.keras.layers.ZeroPadding2D((1, (0, 2)))(tf.ones([1, 4, 4, 3])).shape
    TensorShape([1, 6, 6, 3])
    """


class _Cropping(_Bordered):
    """What `Cropping1D` and `Cropping2D` have in common."""

    _settings_ = (*Layer._settings_, "cropping")
    data_format = "channels_last"
    cropping: Any
    _too_much_ = "Values in `cropping` argument should be smaller than the corresponding spatial dimension of the input"

    def call(self, inputs: Any) -> Any:
        self.compute_output_shape(inputs.shape)
        _, lengths, _ = images.parted(inputs.shape, self.data_format)
        sides = zip(lengths, self._pairs_(self.cropping), strict=True)
        kept = [slice(+before, length - behind) for length, (before, behind) in sides]  # True is 1
        return inputs[images.joined(slice(None), kept, slice(None), self.data_format)]

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, lengths, channels = images.parted(input_shape, self.data_format)
        sides = zip(lengths, self._pairs_(self.cropping), strict=True)
        left = [None if length is None else length - sum(pair) for length, pair in sides]
        if any(length is not None and length <= 0 for length in left):
            called = "input_shape" if None in input_shape else "inputs.shape"
            raise ValueError(f"{self._too_much_}. Received: {called}={tuple(input_shape)}, cropping={self.cropping}")
        return images.joined(batch, left, channels, self.data_format)


class Cropping1D(_Cropping, sides=1):
    """Removes steps at both ends of a series (`tf.keras.layers.Cropping1D`).

    Args:
        cropping: how many: one number for both ends, or a pair.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: a number is negative or not a number; when called on a series of which nothing would be left.
        TypeError: when called, if a number has a fraction.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Cropping1D((1, 0))(tf.reshape(tf.range(3.0), [1, 3, 1])).numpy().tolist()
    [[[1.0], [2.0]]]
    """

    _too_much_ = "`cropping` parameter of `Cropping1D` layer must be smaller than the input length"

    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cropping = self._borders_("cropping", cropping, images.as_told)


@tells_arguments
class Cropping2D(_Cropping, sides=2):
    """Removes the margins of an image (`tf.keras.layers.Cropping2D`).

    Args:
        cropping: how much: one number, a pair (rows, columns), or a pair of pairs ((above, below), (left, right)).
        data_format: "channels_first" for images of shape (batch, channels, height, width).
        kwargs: the arguments of every layer.

    Raises:
        ValueError: a number is negative or not a number, or the data format is unknown; when called on an image of
            which nothing would be left.
        TypeError: when called, if a number has a fraction.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Cropping2D((1, (0, 2)))(tf.ones([1, 4, 4, 3])).shape
    TensorShape([1, 2, 2, 3])
    """

    def __init__(self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = images.data_format(data_format)
        self.cropping = self._borders_("cropping", cropping, images.as_told)


@tells_arguments
class UpSampling1D(Sided, sides=1):
    """Repeats each step of a series (`tf.keras.layers.UpSampling1D`).

    Args:
        size: how often.
        kwargs: the arguments of every layer.

    Raises:
        TypeError: `size` is not an integer.
        ValueError: `size` is not positive.

    >>> import tapeviz as tf
    >>> tf.keras.layers.UpSampling1D(2)(tf.reshape(tf.range(2.0), [1, 2, 1])).numpy().tolist()
    [[[0.0], [0.0], [1.0], [1.0]]]
    """

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        require_count("size", size)
        self.size = size

    def call(self, inputs: Any) -> Any:
        return EXPORTS["repeat"](inputs, self.size, axis=1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, length, channels = input_shape
        return (batch, None if length is None else self.size * length, channels)


@tells_arguments
class UpSampling2D(Sided, sides=2):
    """Enlarges images by integer factors (`tf.keras.layers.UpSampling2D`).

    Args:
        size: the factors of height and width, or one number for both.
        data_format: "channels_first" for images of shape (batch, channels, height, width).
        interpolation: "nearest" to repeat pixels, or "bilinear" to interpolate between them.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: a factor is not positive, or the data format or the interpolation is unknown.
        TypeError: when called, if a factor has a fraction (a ValueError for "bilinear").

    >>> import tapeviz as tf
    >>> image = tf.reshape(tf.range(2.0), [1, 1, 2, 1])
    >>> tf.keras.layers.UpSampling2D((1, 2), interpolation="bilinear")(image).numpy().ravel().tolist()
    [0.0, 0.25, 0.75, 1.0]
    """

    def __init__(
        self, size: Any = (2, 2), data_format: str | None = None, interpolation: str = "nearest", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.data_format = images.data_format(data_format)
        self.size = images.lengths("size", size, 2, number=images.as_told)
        self.interpolation = interpolation.lower()

    def call(self, inputs: Any) -> Any:
        if self.interpolation not in ("nearest", "bilinear"):
            raise ValueError(
                f"{self.name}: the interpolation is 'nearest' or 'bilinear', got {self.interpolation!r}, which is not "
                "there or not there yet."
            )
        if self.interpolation == "bilinear" and not all(isinstance(each, int) for each in self.size):
            raise ValueError(f"'size' must be a 1-D int32 Tensor: {self.name} has size={self.size}, not all integers.")
        if self.interpolation == "bilinear" and inputs.dtype.is_integer:
            between = EXPORTS["round"](self._larger_(EXPORTS["cast"](inputs, "float32")))
            return EXPORTS["cast"](between, inputs.dtype)
        return self._larger_(inputs)

    def _larger_(self, inputs: Any) -> Any:
        first = 1 if self.data_format == "channels_last" else 2
        for axis, times in enumerate(self.size, first):
            if self.interpolation == "nearest":
                inputs = EXPORTS["repeat"](inputs, +times, axis=axis)  # True is once
            else:
                shares = constant(_between(inputs.shape[axis], times), inputs.dtype.name)
                letters = "abcd".replace("abcd"[axis], "n")
                inputs = EXPORTS["einsum"](f"abcd,n{'abcd'[axis]}->{letters}", inputs, shares)
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, lengths, channels = images.parted(input_shape, self.data_format)
        sides = zip(lengths, self.size, strict=True)
        longer = [None if length is None else times * length for length, times in sides]
        return images.joined(batch, longer, channels, self.data_format)


def _between(length: int, times: int) -> Any:
    """The share of each pixel of a side in each pixel of one that is so many times longer, centre over centre.

    >>> _between(2, 2).tolist()
    [[1.0, 0.0], [0.75, 0.25], [0.25, 0.75], [0.0, 1.0]]
    """
    places = np.clip((np.arange(length * times) + 0.5) / times - 0.5, 0, length - 1)
    return np.maximum(1 - np.abs(places[:, None] - np.arange(length)), 0).astype(np.float32)
