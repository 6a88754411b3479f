"""Layers that shift and scale numbers to mean 0 and variance 1."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.tf.keras import initializers
from tapeviz.tf.keras.floats import EPSILON
from tapeviz.tf.keras.layers.base.input_specs import InputSpec
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.base.output_specs import placing
from tapeviz.tf.keras.layers.base.passing import passed
from tapeviz.tf.keras.layers.base.weighted import as_float
from tapeviz.tf.keras.layers.scale_and_offset import Normalizing, along, listed, of_these_axes, typed, wide
from tapeviz.tf.keras.serialization import tells_arguments


class BatchNormalization(Normalizing):
    """Shifts and scales each channel to mean 0 and variance 1 over the batch (`tf.keras.layers.BatchNormalization`).

    During training the mean and the variance are those of the batch, and `moving_mean` and `moving_variance` move
    towards them. Otherwise, and if `trainable` is False, they are the moving ones.

    Args:
        axis: the axis of the channels.
        momentum: how much of the moving mean and variance is kept at each step.
        epsilon: a small number that is added to the variance.
        center: whether an offset, `beta`, is added at the end.
        scale: whether the result is multiplied by a factor, `gamma`.
        beta_initializer: a name or an initializer, as are the initializers of `gamma`, `moving_mean` and
            `moving_variance`.
        beta_regularizer: a name or a regularizer, as is `gamma_regularizer`.
        beta_constraint: a name or a constraint, as is `gamma_constraint`.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.BatchNormalization()
    >>> [round(float(v), 3) for v in layer(tf.constant([[1.0], [3.0]]), training=True)[:, 0]]
    [-1.0, 1.0]
    >>> float(layer.moving_mean[0])
    0.019999999552965164
    """

    _settings_ = (
        *Layer._settings_, "axis", "momentum", "epsilon", "center", "scale", "beta_initializer", "gamma_initializer",
        "moving_mean_initializer", "moving_variance_initializer", "beta_regularizer", "gamma_regularizer",
        "beta_constraint", "gamma_constraint", "synchronized", "renorm", "renorm_clipping", "renorm_momentum",
    )  # fmt: skip
    synchronized = renorm = False
    renorm_clipping = None

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        axis, epsilon = int(axis), float(epsilon)
        self.renorm_momentum = kwargs.pop("renorm_momentum", 0.99)  # of no effect without `renorm`
        super().__init__(**passed(locals(), "momentum", "moving_mean_initializer", "moving_variance_initializer"))
        self.momentum = float(momentum)
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)

    def build(self, input_shape: Any) -> None:
        shape = (input_shape[self.axis],)
        self._add_scale_and_offset_(shape)
        self.moving_mean = self.add_weight(shape, self.moving_mean_initializer, trainable=False, name="moving_mean")
        self.moving_variance = self.add_weight(
            shape, self.moving_variance_initializer, trainable=False, name="moving_variance"
        )
        self.input_spec = InputSpec(ndim=len(input_shape), axes={self.axis: shape[0]})

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        inputs = wide(as_float(inputs, self.moving_mean))
        if mask is not None and mask.ndim != inputs.ndim - 1:
            raise ValueError(
                "The mask provided should be one dimension less than the inputs. "
                f"Received: mask.shape={tuple(mask.shape)}, inputs.shape={tuple(inputs.shape)}"
            )
        axes = [self.axis % inputs.ndim]
        if not (training and self.trainable):
            mean, variance = (typed(each, inputs.dtype) for each in (self.moving_mean, self.moving_variance))
        else:
            mean, variance = _moments(inputs, [each for each in range(inputs.ndim) if each not in axes], mask)
            if not placing.get():
                for moving, now in ((self.moving_mean, mean), (self.moving_variance, variance)):
                    moving.assign(typed(moving, now.dtype) * self.momentum + now * (1.0 - self.momentum))
        outputs = self._normalized_(inputs, along(mean, inputs, axes), along(variance, inputs, axes), axes)
        return typed(outputs, self._dtype_)


class LayerNormalization(Normalizing):
    """Shifts and scales each example to mean 0 and variance 1 over some axes (`tf.keras.layers.LayerNormalization`).

    Args:
        axis: the axis, or a list of axes; the last one by default.
        epsilon: a small number that is added to the variance.
        center: whether an offset, `beta`, is added at the end.
        scale: whether the result is multiplied by a factor, `gamma`.
        beta_initializer: a name or an initializer. The remaining arguments are those of `BatchNormalization`.

    Raises:
        TypeError: `axis` is neither an integer nor a list of integers.

    >>> import tapeviz as tf
    >>> [round(float(v), 3) for v in tf.keras.layers.LayerNormalization()(tf.constant([[1.0, 3.0]]))[0]]
    [-1.0, 1.0]
    """

    _settings_ = (
        *Layer._settings_, "axis", "epsilon", "center", "scale", "rms_scaling", "beta_initializer", "gamma_initializer",
        "beta_regularizer", "gamma_regularizer", "beta_constraint", "gamma_constraint",
    )  # fmt: skip
    rms_scaling = False

    def __init__(
        self,
        axis: Any = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(f"Expected an int or a list/tuple of ints for the argument 'axis', but received: {axis!r}")
        super().__init__(**passed(locals()))
        self.autocast = False

    def build(self, input_shape: Any) -> None:
        self.axis = sorted(listed(self.axis))
        self._add_scale_and_offset_(tuple(input_shape[axis] for axis in self.axis))

    def call(self, inputs: Any) -> Any:
        x, axes = wide(inputs), [axis % inputs.ndim for axis in self.axis]
        mean, variance = EXPORTS["nn.moments"](x, axes, keepdims=True)
        outputs = self._normalized_(x, mean, variance, axes)
        return typed(typed(outputs, inputs.dtype), self._dtype_)  # by way of the dtype it came in, as Keras


@tells_arguments
class GroupNormalization(Normalizing):
    """Shifts and scales each group of channels of each example to mean 0 and variance 1 (Wu and He, 2018).

    It is `tf.keras.layers.GroupNormalization`.

    Args:
        groups: the number of groups, which divides that of the channels; -1 for one group for each channel.
        axis: the axis of the channels.
        epsilon: a small number that is added to the variance.
        center: whether an offset, `beta`, is added at the end.
        scale: whether the result is multiplied by a factor, `gamma`.
        beta_initializer: a name or an initializer. The remaining arguments are those of `BatchNormalization`.

    Raises:
        ValueError: the channels cannot be divided into this number of groups.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.GroupNormalization(2)
    >>> [round(float(v), 2) for v in layer(tf.constant([[1.0, 3.0, 10.0, 30.0]]))[0]]
    [-1.0, 1.0, -1.0, 1.0]
    """

    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(groups, int) or (groups <= 0 and groups != -1):
            raise ValueError(
                "Received an invalid value for argument `groups`, expected a positive integer (or `-1` for instance "
                f"normalization). Received: groups={groups}"
            )
        super().__init__(**passed(locals(), "groups"))
        self.groups = groups
        self.autocast = False

    def build(self, input_shape: Any) -> None:
        channels = input_shape[self.axis]
        if channels is None:
            raise ValueError(
                f"Axis {self.axis} of input tensor should have a defined dimension but the layer received an input "
                f"with shape {input_shape}."
            )
        self.groups = channels if self.groups == -1 else self.groups
        if channels < self.groups:
            raise ValueError(
                f"Number of groups ({self.groups}) cannot be more than the number of channels ({channels})."
            )
        if channels % self.groups:
            raise ValueError(
                f"Number of groups ({self.groups}) must be a multiple of the number of channels ({channels})."
            )
        self.input_spec = InputSpec(ndim=len(input_shape), axes={self.axis: channels})
        self._add_scale_and_offset_((channels,))

    def call(self, inputs: Any) -> Any:
        axis, shape = self.axis % inputs.ndim, tuple(inputs.shape)
        groups = (*shape[:axis], self.groups, shape[axis] // self.groups, *shape[axis + 1 :])
        x = wide(EXPORTS["reshape"](inputs, groups))
        others = [each for each in range(1, x.ndim) if each != axis]
        mean, variance = EXPORTS["nn.moments"](x, others, keepdims=True)
        outputs = EXPORTS["reshape"](self._normalized_(x, mean, variance, [axis, axis + 1]), shape)
        return typed(typed(outputs, inputs.dtype), self._dtype_)


@tells_arguments
class UnitNormalization(Layer):
    """Divides each example by its norm over some axes (`tf.keras.layers.UnitNormalization`).

    Args:
        axis: the axis, or a list of axes; the last one by default.
        kwargs: the arguments of every layer.

    Raises:
        TypeError: `axis` is neither an integer nor a list of integers.

    >>> import tapeviz as tf
    >>> [round(float(v), 2) for v in tf.keras.layers.UnitNormalization()(tf.constant([[3.0, 4.0]]))[0]]
    [0.6, 0.8]
    """

    supports_masking = built = True

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(
                f"Invalid value for `axis` argument: expected an int or a list/tuple of ints. Received: axis={axis}"
            )
        super().__init__(**kwargs)
        self.axis = axis if isinstance(axis, int) else list(axis)

    def call(self, inputs: Any) -> Any:
        length = EXPORTS["reduce_sum"](EXPORTS["square"](inputs), self.axis, keepdims=True)
        return inputs * EXPORTS["minimum"](EXPORTS["math.rsqrt"](length), 1e12)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return of_these_axes(self.axis, input_shape)


def _moments(inputs: Any, axes: list[int], mask: Any) -> tuple[Any, Any]:
    """Mean and variance over some axes, of what a mask counts if there is one."""
    if mask is None:
        mean, variance = EXPORTS["nn.moments"](inputs, axes)
        return mean, variance
    counts = EXPORTS["expand_dims"](EXPORTS["cast"](mask, "bool"), -1)
    counts = EXPORTS["broadcast_to"](counts, tuple(inputs.shape))
    number = EXPORTS["reduce_sum"](EXPORTS["cast"](counts, inputs.dtype), axes, keepdims=True) + EPSILON

    def mean_of(values: Any) -> Any:
        return EXPORTS["reduce_sum"](EXPORTS["where"](counts, values, 0), axes, keepdims=True) / number

    mean = mean_of(inputs)
    variance = mean_of(EXPORTS["square"](EXPORTS["where"](counts, inputs - mean, 0)))
    return EXPORTS["squeeze"](mean, axes), EXPORTS["squeeze"](variance, axes)
