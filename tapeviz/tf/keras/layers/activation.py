"""Activations as layers."""

from __future__ import annotations

import warnings
from typing import Any

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.errors import InvalidArgumentError
from tapeviz.tf.keras import activations
from tapeviz.tf.keras.layers.base.input_specs import InputSpec
from tapeviz.tf.keras.layers.base.layer import Unchanged
from tapeviz.tf.keras.serialization import tells_arguments


@tells_arguments
class Activation(Unchanged):
    """Applies an activation function (`tf.keras.layers.Activation`).

    Args:
        activation: a name or a function.
        kwargs: the arguments of every layer.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Activation("relu")(tf.constant([-1.0, 2.0])).numpy().tolist()
    [0.0, 2.0]
    """

    built = True

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        return self.activation(inputs)


@tells_arguments
class ReLU(Unchanged):
    """Applies `tf.keras.activations.relu` (`tf.keras.layers.ReLU`).

    Args:
        max_value: the largest output; none by default.
        negative_slope: the slope below the threshold.
        threshold: below which the slope is `negative_slope`.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: an argument is negative.

    >>> import tapeviz as tf
    >>> tf.keras.layers.ReLU(max_value=1.0)(tf.constant([-1.0, 2.0])).numpy().tolist()
    [0.0, 1.0]
    """

    built = True

    def __init__(
        self, max_value: float | None = None, negative_slope: float = 0.0, threshold: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold
        for name, value in (("max_value", max_value), ("negative_slope", negative_slope), ("threshold", threshold)):
            if (value is None and name != "max_value") or (value is not None and value < 0):
                kinds = "a negative value" if name == "max_value" else "None or a negative value"
                raise ValueError(f"{name} of a ReLU layer cannot be {kinds}. Received: {name}={value}")

    def call(self, inputs: Any) -> Any:
        return activations.relu(inputs, self.negative_slope, self.max_value, self.threshold)


@tells_arguments
class LeakyReLU(Unchanged):
    """Applies `tf.keras.activations.leaky_relu` (`tf.keras.layers.LeakyReLU`).

    Args:
        negative_slope: the slope for negative numbers; `alpha` is its old name.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: the slope is negative or None.

    >>> import tapeviz as tf
    >>> tf.keras.layers.LeakyReLU(0.5)(tf.constant([-1.0, 2.0])).numpy().tolist()
    [-0.5, 2.0]
    """

    built = True

    def __init__(self, negative_slope: float | None = 0.3, **kwargs: Any) -> None:
        if "alpha" in kwargs:
            negative_slope = kwargs.pop("alpha")
            warnings.warn("Argument `alpha` is deprecated. Use `negative_slope` instead.", stacklevel=2)
        super().__init__(**kwargs)
        if negative_slope is None or negative_slope < 0:
            raise ValueError(
                "The negative_slope value of a Leaky ReLU layer cannot be None or negative value. Expected a float. "
                f"Received: negative_slope={negative_slope}"
            )
        self.negative_slope = negative_slope

    def call(self, inputs: Any) -> Any:
        return activations.leaky_relu(inputs, self.negative_slope)


class ELU(Unchanged):
    """Applies `tf.keras.activations.elu` (`tf.keras.layers.ELU`).

    Args:
        alpha: the size of the limit for negative numbers.
        kwargs: the arguments of every layer.

    >>> import tapeviz as tf
    >>> tf.keras.layers.ELU(alpha=0.5)(tf.constant([-100.0, 2.0])).numpy().tolist()
    [-0.5, 2.0]
    """

    _settings_ = ("name", "alpha", "trainable", "dtype_policy")
    built = True

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Any) -> Any:
        return activations.elu(inputs, self.alpha)


@tells_arguments
class PReLU(Unchanged):
    """x where it is positive, else a weight times x (`tf.keras.layers.PReLU`).

    Args:
        alpha_initializer: the initializer of the weights, by its name or itself.
        alpha_regularizer: their regularizer.
        alpha_constraint: their constraint.
        shared_axes: axes, counted with the batch, along which all elements have the same weight.
        kwargs: the arguments of every layer.

    >>> import tapeviz as tf
    >>> tf.keras.layers.PReLU("ones")(tf.constant([[-1.0, 2.0]])).numpy().tolist()
    [[-1.0, 2.0]]
    """

    def __init__(
        self,
        alpha_initializer: Any = "Zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._tell_("alpha", alpha_initializer, alpha_regularizer, alpha_constraint)
        single = shared_axes is not None and not isinstance(shared_axes, list | tuple)
        self.shared_axes = [shared_axes] if single else None if shared_axes is None else list(shared_axes)

    def build(self, input_shape: Any) -> None:
        lengths = list(input_shape[1:])
        for axis in self.shared_axes or ():
            lengths[axis - 1] = 1
        self.alpha = self._add_("alpha", tuple(lengths))
        apart = [axis for axis in range(1, len(input_shape)) if self.shared_axes and axis not in self.shared_axes]
        self.input_spec = InputSpec(ndim=len(input_shape), axes={axis: input_shape[axis] for axis in apart})

    def call(self, inputs: Any) -> Any:
        return activations.relu(inputs) + -self.alpha * activations.relu(-inputs)


@tells_arguments
class Softmax(Unchanged):
    """Applies `tf.keras.activations.softmax` (`tf.keras.layers.Softmax`).

    It may be called with a `mask`, which excludes elements.

    Args:
        axis: the axis, or a list of axes.
        kwargs: the arguments of every layer.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Softmax()(tf.constant([[0.0, 0.0]])).numpy().tolist()
    [[0.5, 0.5]]
    """

    built = True

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any, mask: Any = None) -> Any:
        _require_axes(inputs, self.axis)
        if mask is None:
            return activations.softmax(inputs, axis=self.axis)
        _require_broadcastable(mask, inputs)
        shown = mask if mask.dtype.name == "bool" else EXPORTS["cast"](mask, "float32") > 0.5
        return softmax_of_shown(inputs, shown, self.axis)


def softmax_of_shown(scores: Any, shown: Any, axis: Any) -> Any:
    """The softmax of the scores that a mask includes. It is 0 for the others, also where the mask includes none."""
    return EXPORTS["where"](shown, activations.softmax(with_hidden(scores, shown), axis=axis), 0.0)


def with_hidden(scores: Any, shown: Any) -> Any:
    """The scores, with a very negative number added where a mask excludes them, so that their softmax is 0."""
    return EXPORTS["where"](shown, scores, -3e4 if scores.dtype.name == "float16" else -1e9)


def _require_axes(inputs: Any, axes: Any) -> None:
    """Refuse several axes of which the inputs lack one, as the reduction over them does in Keras.

    Raises:
        InvalidArgumentError: they do.
    """
    wrong = [axis for axis in axes if not -inputs.ndim <= axis < inputs.ndim] if isinstance(axes, list | tuple) else []
    if wrong:
        raise InvalidArgumentError(f"Invalid reduction dimension ({wrong[0]} for input with {inputs.ndim} dimension(s)")


def _require_broadcastable(mask: Any, inputs: Any) -> None:
    """Refuse a mask that does not lie over the inputs from their last axis on."""
    of_mask, of_inputs = tuple(mask.shape), tuple(inputs.shape)
    received = f"Received: inputs.shape={of_inputs}, mask.shape={of_mask}"
    if len(of_mask) > len(of_inputs):
        raise ValueError(f"The `mask` must be broadcastable to `inputs` and must not have more dimensions. {received}")
    if any(each not in (1, length) for each, length in zip(of_mask[::-1], of_inputs[::-1], strict=False)):
        raise ValueError(
            "The `mask` must be broadcastable to `inputs`. Each mask dimension must be 1 or match the corresponding "
            f"input dimension. {received}"
        )
