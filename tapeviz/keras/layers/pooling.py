"""Layers that make one number of a window of an image, or of the whole image."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tapeviz.engine.api import EXPORTS
from tapeviz.keras.layers import images
from tapeviz.keras.layers.base import Layer


class _Pooling(Layer):
    """What the layers with windows have in common."""

    built = True
    ndim_exactly = 4
    op = ""

    settings = (*Layer.settings, "pool_size", "padding", "strides", "data_format")
    data_format = "channels_last"

    def __init__(
        self,
        pool_size: Any = (2, 2),
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.padding = images.padding(self.name, padding)
        _check_format(self, data_format)
        self.pool_size = images.pair(pool_size)
        self.strides = images.pair(pool_size if strides is None else strides)
        if min(*self.pool_size, *self.strides) < 1:
            raise ValueError(f"{self.name}: windows and strides are positive, got {pool_size} and {strides}.")

    def call(self, inputs: Any) -> Any:
        return EXPORTS[self.op](inputs, list(self.pool_size), list(self.strides), self.padding.upper())

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, *lengths, channels = input_shape
        sides = images.counts(lengths, self.pool_size, self.strides, self.padding)
        if any(side is not None and side < 1 for side in sides):
            raise ValueError(f"{self.name}: windows {self.pool_size} are larger than the input, {tuple(input_shape)}.")
        return (batch, *sides, channels)


class MaxPooling2D(_Pooling):
    """The largest number of each window of an image (batch, height, width, channels) (`tf.keras.layers.MaxPooling2D`).

    Args:
        pool_size: the window's height and width, or one number for both.
        strides: the step between windows; `pool_size` unless told.
        padding: "valid" (none) or "same".

    Raises:
        ValueError: an unknown padding or data format; when called, an input of another number of axes than 4.

    >>> import tapeviz as tf
    >>> tf.keras.layers.MaxPooling2D()(tf.zeros([1, 8, 6, 3])).shape
    TensorShape([1, 4, 3, 3])
    """

    op = "nn.max_pool2d"


class AveragePooling2D(_Pooling):
    """The mean of each window of an image, to which padding does not count (`tf.keras.layers.AveragePooling2D`).

    Its arguments and errors are those of `MaxPooling2D`.

    >>> import tapeviz as tf
    >>> tf.keras.layers.AveragePooling2D(2)(tf.reshape(tf.range(4.0), [1, 2, 2, 1])).numpy().tolist()
    [[[[1.5]]]]
    """

    op = "nn.avg_pool2d"

    def __init__(
        self,
        pool_size: Any,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, name, **kwargs)


class _GlobalPooling(Layer):
    """What the layers over whole images or series have in common."""

    settings = (*Layer.settings, "data_format", "keepdims")
    data_format = "channels_last"
    built = True
    op = ""
    axes: ClassVar[list[int]] = []

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        _check_format(self, data_format)
        self.keepdims = keepdims

    def call(self, inputs: Any) -> Any:
        return EXPORTS[self.op](inputs, axis=self.axes, keepdims=self.keepdims)

    def compute_output_shape(self, input_shape: Any) -> Any:
        ones = (1,) * len(self.axes) if self.keepdims else ()
        return (input_shape[0], *ones, input_shape[-1])


def _check_format(layer: Layer, data_format: str | None) -> None:
    if data_format not in (None, "channels_last"):
        raise ValueError(f"{layer.name}: only data_format='channels_last', got {data_format!r}.")


def _global(name: str, op: str, what: str, axes: list[int]) -> Callable[..., Layer]:
    shape = [2, *[5] * len(axes), 3]
    about = (
        f"The {what} of each channel of {'an image' if len(axes) == 2 else 'a series'} (`tf.keras.layers.{name}`).\n\n"
        f"    >>> import tapeviz as tf\n    >>> tf.keras.layers.{name}()(tf.zeros({shape})).shape\n"
        "    TensorShape([2, 3])\n    "
    )
    parts = {"op": op, "axes": axes, "ndim_exactly": len(axes) + 2, "__doc__": about, "__module__": __name__}
    return type(name, (_GlobalPooling,), parts)


GlobalAveragePooling1D = _global("GlobalAveragePooling1D", "reduce_mean", "mean", [1])
GlobalAveragePooling2D = _global("GlobalAveragePooling2D", "reduce_mean", "mean", [1, 2])
GlobalMaxPooling1D = _global("GlobalMaxPooling1D", "reduce_max", "largest number", [1])
GlobalMaxPooling2D = _global("GlobalMaxPooling2D", "reduce_max", "largest number", [1, 2])
