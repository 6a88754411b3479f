"""Layers that bring data into the range that a model learns from."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import constant
from tapeviz.tf.data import Dataset
from tapeviz.tf.keras.layers.base.layer import Layer, Unchanged
from tapeviz.tf.keras.serialization import tells_arguments


@tells_arguments
class Rescaling(Unchanged):
    """inputs * scale + offset (`tf.keras.layers.Rescaling`).

    Args:
        scale: the factor, a number or a list.
        offset: what is added.
        kwargs: the arguments of every layer.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Rescaling(0.5, -1.0)(tf.constant([[0, 4]])).numpy().tolist()
    [[-1.0, 1.0]]
    """

    built = True

    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def call(self, inputs: Any) -> Any:
        scale, offset = (tf["cast"](each, self._dtype_) for each in (self.scale, self.offset))
        return tf["cast"](inputs, self._dtype_) * scale + offset


class Normalization(Unchanged):
    """Shifts and scales features to mean 0 and variance 1 (`tf.keras.layers.Normalization`).

    The mean and the variance are those of the data given to `adapt`, or arguments.

    Args:
        axis: the axes that have a mean for each place, by default the last one; None for one mean of all numbers.
        mean: the mean, if `adapt` is not used.
        variance: the variance, if `adapt` is not used.
        invert: whether the layer does the opposite.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: only one of `mean` and `variance` is given, they have the wrong shape, or the inputs do not have the
            axes or have them with unknown lengths.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.Normalization()
    >>> layer.adapt(tf.constant([[1.0, 10.0], [3.0, 30.0]]))
    >>> layer(tf.constant([[3.0, 10.0]])).numpy().tolist()
    [[1.0, -1.0]]
    """

    _settings_ = (*Layer._settings_, "axis", "invert", "mean", "variance")
    adapt_mean: Any
    """A variable, or what the layer was given, as `adapt_variance` is."""
    adapt_variance: Any

    def __init__(
        self, axis: Any = -1, mean: Any = None, variance: Any = None, invert: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.axis = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        if (mean is None) != (variance is None):
            raise ValueError(
                "When setting values directly, both `mean` and `variance` must be set. "
                f"Received: mean={mean} and variance={variance}"
            )
        if np.shape(mean) != np.shape(variance):
            raise ValueError(
                "When setting values directly, `mean` and `variance` must have the same shape. "
                f"Received: mean shape {np.shape(mean)} and variance shape {np.shape(variance)}"
            )
        if np.ndim(mean) > len(self.axis):
            raise ValueError(
                f"The rank of `mean` must be less than or equal to the number of axes ({len(self.axis)}). "
                f"Received: mean shape {np.shape(mean)} for axis {self.axis}"
            )
        self.given = None if mean is None else (mean, variance)
        self.invert, self.mean, self.variance = invert, None, None

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        mean, variance = (None, None) if self.given is None else (np.asarray(each).tolist() for each in self.given)
        return super().get_config() | {"mean": mean, "variance": variance}

    def build(self, input_shape: Any) -> None:
        rank = len(input_shape)
        if any(not -rank <= axis < rank for axis in self.axis):
            raise ValueError(
                f"All `axis` values must be in the range [-ndim, ndim). Received inputs with ndim={rank}, while "
                f"axis={self.axis}"
            )
        self._kept = sorted(axis % rank for axis in self.axis)
        if any(input_shape[axis] is None for axis in self._kept):
            raise ValueError(
                f"All `axis` values to be kept must have a known shape. Received axis={self.axis}, "
                f"inputs.shape={tuple(input_shape)}"
            )
        self._along = [input_shape[axis] if axis in self._kept else 1 for axis in range(rank)]
        if self.given is None:
            shape = tuple([input_shape[axis] for axis in self._kept])
            self.adapt_mean = self.add_weight(shape, "zeros", trainable=False, name="mean")
            self.adapt_variance = self.add_weight(shape, "ones", trainable=False, name="variance")
            self.count = self.add_weight((), "zeros", "int64", trainable=False, name="count")
        else:
            self.adapt_mean, self.adapt_variance = (constant(each, self._dtype_) for each in self.given)
        self._finish_()

    def adapt(self, data: Any) -> None:
        """Use the mean and the variance of some data.

        Args:
            data: an array, a tensor, or batches of them, such as a dataset.

        Raises:
            TypeError: another kind of data.
            ValueError: there are no examples.
            AttributeError: the layer was made with a `mean`.
        """
        if self.given is not None:
            raise AttributeError(f"{self.name!r} was made with a mean and a variance: there is nothing to adapt.")
        if not isinstance(data, (np.ndarray, TensorLike, Iterable)):
            raise TypeError(
                f"Unsupported data type: {type(data)}. `adapt` supports `np.ndarray`, backend tensors, "
                "`tf.data.Dataset`, and iterables of batches (e.g. list, generator)."
            )
        whole = isinstance(data, (np.ndarray, TensorLike))
        wide = "float64" if self._dtype_.name == "float64" else "float32"
        count, mean, variance, first = 0, 0.0, 0.0, True
        for batch in [data] if whole else _batched(data):
            values = batch[0] if isinstance(batch, tuple) else batch
            self._fit_(values, first, isinstance(data, Dataset))
            values, first = np.asarray(values, wide), False
            axes = tuple(axis for axis in range(values.ndim) if axis not in self._kept)
            more = math.prod(values.shape[axis] for axis in axes)
            if more:  # Chan, Golub and LeVeque, 1979: two samples' variances as one
                share = more / (count + more)
                apart = values.mean(axes) - mean
                variance = variance * (1 - share) + values.var(axes) * share + np.square(apart) * share * (1 - share)
                mean, count = mean + apart * share, count + more
        if not count:
            raise ValueError(
                f"adapt() received an empty iterable (no batches). {self.name!r} cannot adapt to no data: there is no "
                f"example in {data!r}."
            )
        self.adapt_mean.assign(mean)
        self.adapt_variance.assign(variance)
        self._finish_()

    def _fit_(self, values: Any, first: bool, open_batch: bool) -> None:
        """Build it for data, of any number of examples if `open_batch`, or refuse data of another shape.

        Raises:
            TypeError: they are no array.
            ValueError: a length of an axis of the features differs.
        """
        if not hasattr(values, "shape"):
            raise TypeError(
                "adapt() expects an iterable that yields arrays or tensors with a `.shape` attribute (e.g. numpy "
                f"arrays or backend tensors). Got an element of type {type(values).__name__}."
            )
        shape = tuple(values.shape)
        if not self.built:
            self.build((None, *shape[1:]) if open_batch else shape)
        known = tuple(self._built_for_["input_shape"])
        if len(shape) != len(known) or any(shape[axis] != known[axis] for axis in self._kept):
            raise ValueError(
                f"The layer was built with input_shape={known}, but adapt() is being called with data with an "
                f"incompatible shape, data.shape={shape}"
                if first
                else f"adapt() yielded a batch with incompatible shape. Expected {known}, got {shape}."
            )

    def _finish_(self) -> None:
        """Lay the mean and the variance along the axes of the inputs."""
        told = (tf["cast"](self.adapt_mean, self._dtype_), tf["cast"](self.adapt_variance, self._dtype_))
        laid = [1] * len(self._along)
        for axis, length in zip(reversed(self._kept), reversed(told[0].shape), strict=False):
            laid[axis] = length
        self.mean, self.variance = (tf["broadcast_to"](tf["reshape"](each, laid), self._along) for each in told)

    def call(self, inputs: Any) -> Any:
        inputs = tf["cast"](inputs, self._dtype_)
        deviation = tf["maximum"](tf["sqrt"](self.variance), tf["cast"](1e-7, self._dtype_))
        return self.mean + inputs * deviation if self.invert else (inputs - self.mean) / deviation


def _batched(data: Any) -> Any:
    """The batches of data; of a dataset of vectors, these are its examples."""
    lone = isinstance(data, Dataset) and len(nest.flatten(data.element_spec)[0].shape) == 1
    return data.batch(128) if lone else data
