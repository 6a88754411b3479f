"""Layers without weights."""

from __future__ import annotations

import inspect
import math
import warnings
from typing import Any

from tapeviz.engine.api import EXPORTS
from tapeviz.engine.shape import TensorShape
from tapeviz.keras import activations
from tapeviz.keras.layers import images
from tapeviz.keras.layers.base import Layer
from tapeviz.keras.symbolic import Call, KerasTensor


class InputLayer(Layer):
    """Where a model's input comes in; made by `Input`.

    >>> InputLayer((3,)).batch_shape
    (None, 3)
    """

    settings = ("batch_shape", "dtype", "sparse", "ragged", "name", "optional")
    built = True
    sparse = ragged = optional = False

    def __init__(
        self,
        shape: Any = None,
        batch_size: int | None = None,
        dtype: Any = None,
        sparse: None = None,
        ragged: None = None,
        batch_shape: Any = None,
        input_tensor: None = None,
        optional: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        shape = kwargs.get("input_shape", shape)  # the names of earlier versions; Keras heeds no others either
        batch_shape = kwargs.get("batch_input_shape", batch_shape)
        if sparse or ragged or optional or input_tensor is not None:
            raise ValueError("An input is dense, is not optional, and stands for no tensor: that is all there is here.")
        if shape is not None and batch_shape is not None:
            raise ValueError("You cannot pass both `shape` and `batch_shape` at the same time.")
        if batch_size is not None and batch_shape is not None:
            raise ValueError("You cannot pass both `batch_size` and `batch_shape` at the same time.")
        if shape is None and batch_shape is None:
            raise ValueError("You must pass a `shape` argument. An input needs a tuple of lengths.")
        self.batch_shape = _lengths(batch_shape) if shape is None else (batch_size, *_lengths(shape))
        self.placed = call = Call(self, (), {})
        call.outputs = KerasTensor(self.batch_shape, self.dtype, call, name)
        self.seen_shape = self.batch_shape

    def call(self, inputs: Any) -> Any:
        return inputs


def Input(
    shape: Any = None,
    batch_size: int | None = None,
    dtype: Any = None,
    sparse: None = None,
    ragged: None = None,
    batch_shape: Any = None,
    name: str | None = None,
    tensor: None = None,
    optional: bool = False,
) -> KerasTensor:
    """A placeholder to call layers on, for `Model(inputs, outputs)` (`tf.keras.Input`).

    Args:
        shape: of one example, without the batch axis; None for any length.
        batch_size: the number of examples, any unless told.
        dtype: of its numbers, float32 unless told.
        batch_shape: the shape with the batch axis, in place of both.
        name: of its layer.

    Raises:
        ValueError: no shape or two of them, one that is no tuple, or an input that is `sparse`, `ragged`, `optional`
            or a `tensor`.

    >>> import tapeviz as tf
    >>> image = tf.keras.Input((4,))
    >>> model = tf.keras.Model(image, tf.keras.layers.Dense(2)(image))
    >>> model(tf.zeros([3, 4])).shape
    TensorShape([3, 2])
    """
    place: KerasTensor = InputLayer(
        shape, batch_size, dtype, sparse, ragged, batch_shape, tensor, optional, name
    ).output
    return place


def _lengths(shape: Any) -> tuple[int | None, ...]:
    """A shape as a tuple of numbers, or None where any length will do.

    Raises:
        ValueError: it is no such shape.
    """
    wrong = f"Cannot convert '{shape}' to a shape. "
    if not hasattr(shape, "__iter__"):
        raise ValueError(f"{wrong}An input needs a tuple of lengths.")
    if isinstance(shape, TensorShape):
        shape = shape.as_list()
    for each in shape:
        if not (each is None or hasattr(each, "__int__")) or isinstance(each, float):
            raise ValueError(f"{wrong}Found invalid dimension '{each}' of type '{type(each)}'.")
        if each is not None and each < 0:
            raise ValueError(f"{wrong}Negative dimensions are not allowed.")
    return tuple(None if each is None else int(each) for each in shape)


class _Unchanged(Layer):
    """A layer whose output has the shape of its input."""

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape


class Activation(_Unchanged):
    """An activation as a layer, by its name or a function (`tf.keras.layers.Activation`).

    >>> import tapeviz as tf
    >>> tf.keras.layers.Activation("relu")(tf.constant([-1.0, 2.0])).numpy().tolist()
    [0.0, 2.0]
    """

    settings = (*Layer.settings, "activation")
    built = True

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        return self.activation(inputs)


class ReLU(_Unchanged):
    """`tf.keras.activations.relu` as a layer (`tf.keras.layers.ReLU`).

    Raises:
        ValueError: a negative limit, slope or threshold.

    >>> import tapeviz as tf
    >>> tf.keras.layers.ReLU(max_value=1.0)(tf.constant([-1.0, 2.0])).numpy().tolist()
    [0.0, 1.0]
    """

    settings = (*Layer.settings, "max_value", "negative_slope", "threshold")
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


class LeakyReLU(_Unchanged):
    """`tf.keras.activations.leaky_relu` as a layer (`tf.keras.layers.LeakyReLU`); the slope was once called `alpha`.

    Raises:
        ValueError: a negative slope, or None.

    >>> import tapeviz as tf
    >>> tf.keras.layers.LeakyReLU(0.5)(tf.constant([-1.0, 2.0])).numpy().tolist()
    [-0.5, 2.0]
    """

    settings = (*Layer.settings, "negative_slope")
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


class Lambda(Layer):
    """A function of tensors as a layer (`tf.keras.layers.Lambda`).

    Args:
        function: what it computes: of its input, and of `training` and `mask` if it takes them.
        output_shape: not needed, since the shape is found by trying.
        mask: not needed, since no layer here makes a mask.
        arguments: more arguments for the function, by name.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Lambda(lambda x, by: by * x, arguments={"by": 3.0})(tf.constant([1.0])).numpy().tolist()
    [3.0]
    """

    def __init__(
        self, function: Any, output_shape: Any = None, mask: Any = None, arguments: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.function, self.mask, self.arguments = function, mask, arguments or {}
        self._takes = inspect.getfullargspec(function).args

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        told = {name: value for name, value in (("mask", mask), ("training", training)) if name in self._takes}
        return self.function(inputs, **self.arguments, **told)


class Softmax(_Unchanged):
    """`tf.keras.activations.softmax` as a layer (`tf.keras.layers.Softmax`); called with a `mask`, of what it keeps.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Softmax()(tf.constant([[0.0, 0.0]])).numpy().tolist()
    [[0.5, 0.5]]
    """

    settings = (*Layer.settings, "axis")
    built = True

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any, mask: Any = None) -> Any:
        if mask is None:
            return activations.softmax(inputs, axis=self.axis)
        kept = mask if mask.dtype.name == "bool" else mask > 0.5
        low = -3e4 if inputs.dtype.name == "float16" else -1e9
        shares = activations.softmax(EXPORTS["where"](kept, inputs, low), axis=self.axis)
        return EXPORTS["where"](kept, shares, 0.0)


class Dropout(_Unchanged):
    """Sets a share `rate` of the numbers to 0 while training, and scales up the others (`tf.keras.layers.Dropout`).

    Raises:
        ValueError: a rate outside [0, 1].

    >>> import tapeviz as tf
    >>> tf.keras.layers.Dropout(0.5)(tf.constant([1.0, 2.0])).numpy().tolist()
    [1.0, 2.0]
    """

    settings = (*Layer.settings, "rate", "seed", "noise_shape")
    built = True

    def __init__(self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not 0 <= rate <= 1:
            raise ValueError(
                "Invalid value received for argument `rate`. Expected a float value between 0 and 1. "
                f"Received: rate={rate}"
            )
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: bool = False) -> Any:
        if not training or self.rate == 0:
            return inputs
        if self.rate == 1:
            return EXPORTS["zeros_like"](inputs)
        return EXPORTS["nn.dropout"](inputs, self.rate, noise_shape=self.noise_shape, seed=self.seed)


class Flatten(Layer):
    """Every example as one row (`tf.keras.layers.Flatten`).

    Args:
        data_format: "channels_first" for inputs whose channels come before the places; the row has them last.

    Raises:
        ValueError: an unknown data format.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Flatten()(tf.zeros([5, 2, 3])).shape
    TensorShape([5, 6])
    """

    settings = (*Layer.settings, "data_format")
    min_ndim = 1

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = images.data_format(data_format)

    def call(self, inputs: Any) -> Any:
        if self.data_format == "channels_first" and inputs.ndim > 1:
            inputs = EXPORTS["transpose"](inputs, [0, *range(2, inputs.ndim), 1])
        return EXPORTS["reshape"](inputs, self.compute_output_shape(inputs.shape))

    def compute_output_shape(self, input_shape: Any) -> Any:
        lengths = tuple(input_shape[1:])
        return (input_shape[0], None if None in lengths else math.prod(lengths))
