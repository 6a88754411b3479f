"""Layers that act only during training: dropout, noise, and penalties."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.tf.keras import regularizers
from tapeviz.tf.keras.layers.base.layer import Layer, Unchanged
from tapeviz.tf.keras.layers.windows import images
from tapeviz.tf.keras.layers.windows.sides import Sided
from tapeviz.tf.keras.seed_generator import SeedGenerator
from tapeviz.tf.keras.serialization import tells_arguments


class Dropout(Unchanged):
    """Sets random elements to 0 during training, and scales up the others (`tf.keras.layers.Dropout`).

    Args:
        rate: the fraction of elements that are set to 0.
        noise_shape: the shape of the random numbers, which broadcasts to the input; None in it stands for the length of
            the input. Elements along an axis of length 1 are set to 0 together.
        seed: the seed of the random numbers.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: `rate` is not in [0, 1], or `noise_shape` is not a sequence of positive integers.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Dropout(0.5)(tf.constant([1.0, 2.0])).numpy().tolist()
    [1.0, 2.0]
    """

    _settings_ = (*Layer._settings_, "rate", "seed", "noise_shape")
    built = True

    def __init__(self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        _require_share("rate", rate)
        self.rate, self.noise_shape, self.seed = rate, _shape_of_noise(noise_shape), seed
        if rate > 0:
            self.seed_generator = SeedGenerator(seed)

    def call(self, inputs: Any, training: bool = False) -> Any:
        if not training or self.rate == 0:
            return inputs
        if self.rate == 1:
            return EXPORTS["zeros_like"](inputs)
        return EXPORTS["nn.experimental.stateless_dropout"](
            inputs, self.rate, self.seed_generator.next(), noise_shape=self._drawn_for_(inputs)
        )

    def _drawn_for_(self, inputs: Any) -> Any:
        """The shape of what is drawn; along lengths of 1 all share one fate."""
        return self.noise_shape


class _SpatialDropout(Dropout, Sided):
    """What `SpatialDropout1D` and `SpatialDropout2D` have in common."""

    _settings_: ClassVar[tuple[str, ...]] = ("rate", "seed", "name", "dtype")
    data_format = "channels_last"

    def _drawn_for_(self, inputs: Any) -> Any:
        batch, _, channels = images.parted(inputs.shape, self.data_format)
        return images.joined(batch, [1] * self._sides_, channels, self.data_format)


class SpatialDropout1D(_SpatialDropout, sides=1):
    """Sets whole channels of a series to 0 during training (`tf.keras.layers.SpatialDropout1D`).

    Args:
        rate: the fraction of channels that are set to 0.
        seed: the seed of the random numbers.
        name: the name of the layer.
        dtype: its dtype.

    Raises:
        ValueError: `rate` is not in [0, 1]; when called on another number of axes than 3.

    >>> import tapeviz as tf
    >>> tf.keras.layers.SpatialDropout1D(1.0)(tf.ones([1, 1, 2]), training=True).numpy().tolist()
    [[[0.0, 0.0]]]
    """

    def __init__(self, rate: float, seed: int | None = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(rate, seed=seed, name=name, dtype=dtype)


@tells_arguments
class SpatialDropout2D(_SpatialDropout, sides=2):
    """Sets whole channels of an image to 0 during training (`tf.keras.layers.SpatialDropout2D`).

    Args:
        rate: the fraction of channels that are set to 0.
        data_format: "channels_first" for images of shape (batch, channels, height, width).
        seed: the seed of the random numbers.
        name: the name of the layer.
        dtype: its dtype.

    Raises:
        ValueError: `rate` is not in [0, 1], or an unknown data format; when called on another number of axes than 4.

    >>> import tapeviz as tf
    >>> tf.keras.layers.SpatialDropout2D(1.0)(tf.ones([1, 1, 1, 2]), training=True).numpy().tolist()
    [[[[0.0, 0.0]]]]
    """

    def __init__(
        self,
        rate: float,
        data_format: str | None = None,
        seed: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(rate, seed=seed, name=name, dtype=dtype)
        self.data_format = images.data_format(data_format)


@tells_arguments
class GaussianNoise(Unchanged):
    """Adds normally distributed numbers during training (`tf.keras.layers.GaussianNoise`).

    Args:
        stddev: their standard deviation.
        seed: the seed of the random numbers.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: `stddev` is not in [0, 1].

    >>> import tapeviz as tf
    >>> tf.keras.layers.GaussianNoise(0.5)(tf.constant([1.0, 2.0])).numpy().tolist()
    [1.0, 2.0]
    """

    built = True

    def __init__(self, stddev: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        _require_share("stddev", stddev)
        self.stddev, self.seed = stddev, seed
        if stddev > 0:
            self.seed_generator = SeedGenerator(seed)

    def call(self, inputs: Any, training: bool = False) -> Any:
        if not training or self.stddev == 0:
            return inputs
        pair = self.seed_generator.next()
        return inputs + EXPORTS["random.stateless_normal"](inputs.shape, pair, 0.0, self.stddev, self.compute_dtype)


@tells_arguments
class GaussianDropout(Unchanged):
    """Multiplies by normally distributed numbers of mean 1 during training (`tf.keras.layers.GaussianDropout`).

    Args:
        rate: their variance is that of a `Dropout` with this rate.
        seed: the seed of the random numbers.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: `rate` is not in [0, 1].

    >>> import tapeviz as tf
    >>> tf.keras.layers.GaussianDropout(0.5)(tf.constant([1.0, 2.0])).numpy().tolist()
    [1.0, 2.0]
    """

    built = True

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        _require_share("rate", rate)
        self.rate, self.seed = rate, seed
        if rate > 0:
            self.seed_generator = SeedGenerator(seed)

    def call(self, inputs: Any, training: bool = False) -> Any:
        if not training or self.rate == 0:
            return inputs
        deviation = math.sqrt(self.rate / (1.0 - self.rate))
        pair = self.seed_generator.next()
        return inputs * EXPORTS["random.stateless_normal"](inputs.shape, pair, 1.0, deviation, self.compute_dtype)


class AlphaDropout(Unchanged):
    """Sets random elements to the lower limit of `selu` during training, and keeps the mean and the variance.

    It is `tf.keras.layers.AlphaDropout`.

    Args:
        rate: the fraction of these elements.
        noise_shape: the shape of the random numbers, as for `Dropout`.
        seed: the seed of the random numbers.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: `noise_shape` is not a sequence of positive integers.

    >>> import tapeviz as tf
    >>> tf.keras.layers.AlphaDropout(0.5)(tf.constant([1.0, 2.0])).numpy().tolist()
    [1.0, 2.0]
    """

    _settings_ = (*Layer._settings_, "rate", "seed")
    built = True

    def __init__(self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed
        if rate > 0:
            self.seed_generator = SeedGenerator(seed)

    def call(self, inputs: Any, training: bool = False) -> Any:
        if not training or self.rate <= 0:
            return inputs
        shape = inputs.shape if self.noise_shape is None else self.noise_shape
        drawn = EXPORTS["random.stateless_uniform"](shape, self.seed_generator.next(), dtype=self.compute_dtype)
        kept = EXPORTS["cast"](drawn >= self.rate, self.compute_dtype)
        scale = ((1 - self.rate) * (1 + self.rate * _FAR_BELOW**2)) ** -0.5
        return scale * (inputs * kept + _FAR_BELOW * (1 - kept) - _FAR_BELOW * self.rate)


_FAR_BELOW = -1.7580993408473766
"""What `selu` tends to for numbers far below 0."""


@tells_arguments
class ActivityRegularization(Unchanged):
    """Returns its input, and adds a penalty on it to the loss (`tf.keras.layers.ActivityRegularization`).

    Args:
        l1: the factor of the sum of the absolute values.
        l2: the factor of the sum of the squares.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: a factor is negative, infinite or not a number.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.ActivityRegularization(l1=0.5)
    >>> layer(tf.constant([[2.0, -2.0]])).numpy().tolist(), float(layer.losses[0])
    ([[2.0, -2.0]], 2.0)
    """

    built = True

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=regularizers.L1L2(l1=l1, l2=l2), **kwargs)
        self.l1, self.l2 = l1, l2

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor, without the regularizer that is made of them."""
        config = super().get_config()
        del config["activity_regularizer"]
        return config

    def call(self, inputs: Any) -> Any:
        return inputs


def _shape_of_noise(given: Any) -> tuple[int | None, ...] | None:
    """A shape as a tuple, None as it is."""
    if given is None:
        return None
    wrong = "Invalid value received for argument `noise_shape`. Expected"
    if isinstance(given, str):
        raise ValueError(f"{wrong} a tuple or list of integers. Received: noise_shape={given}")
    if not hasattr(given, "__iter__"):
        raise ValueError(f"{wrong} an iterable of integers (e.g., a tuple or list). Received: noise_shape={given}")
    for index, each in enumerate(given):
        received = f"at index {index}: {each}"
        if not isinstance(each, int | None):
            raise ValueError(
                f"{wrong} all elements to be integers or None. Received element {received} "
                f"(type: {type(each).__name__})"
            )
        if each is not None and each <= 0:
            raise ValueError(
                f"{wrong} all dimensions to be positive integers or None. Received negative or zero value {received}"
            )
    return tuple(given)


def _require_share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(
            f"Invalid value received for argument `{name}`. Expected a float value between 0 and 1. "
            f"Received: {name}={value}"
        )
