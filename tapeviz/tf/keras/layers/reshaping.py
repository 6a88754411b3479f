"""Layers that reshape, permute or repeat each example."""

from __future__ import annotations

import math
from typing import Any

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.tf.keras.layers.base.input_specs import InputSpec, require_count
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.windows import images
from tapeviz.tf.keras.serialization import tells_arguments


@tells_arguments
class Flatten(Layer):
    """Flattens each example to a vector (`tf.keras.layers.Flatten`).

    Args:
        data_format: "channels_first" if the channels are the first axis of an example. They are moved to the end
            before.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: an unknown data format.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Flatten()(tf.zeros([5, 2, 3])).shape
    TensorShape([5, 6])
    """

    input_spec = InputSpec(min_ndim=1)

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


@tells_arguments
class Reshape(Layer):
    """Reshapes each example (`tf.keras.layers.Reshape`).

    Args:
        target_shape: the shape without the batch. One length may be -1, which is computed from the others.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: there are several -1; when called, if an example has another number of elements.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Reshape((3, -1))(tf.zeros([5, 12])).shape
    TensorShape([5, 3, 4])
    """

    built = True

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)
        wrong = f"Received: target_shape={self.target_shape}."
        if any(length < -1 for length in self.target_shape if length is not None):
            raise ValueError(
                "Each dimension in `target_shape` must be a non-negative integer, or `-1` for a single unknown "
                f"dimension. {wrong}"
            )
        if self.target_shape.count(-1) > 1:
            raise ValueError(f"There must be at most one unknown dimension (-1) in `target_shape`. {wrong}")

    def call(self, inputs: Any) -> Any:
        return EXPORTS["reshape"](inputs, self.compute_output_shape(inputs.shape))

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, *lengths = input_shape
        target = self.target_shape
        if None in lengths:
            return (batch, *(None if length == -1 else length for length in target))
        size, known = math.prod(lengths), math.prod(length for length in target if length != -1)
        if (size % known if known else size) if -1 in target else size != known:
            open_length = ", however, the input size cannot by divided by the specified dimensions in target_shape"
            raise ValueError(
                f"The total size of the tensor must be unchanged{open_length if -1 in target else ''}. "
                f"Received: input_shape={tuple(lengths)}, target_shape={target}"
            )
        return (batch, *(size // known if length == -1 else length for length in target))


@tells_arguments
class Permute(Layer):
    """Puts the axes of each example in another order (`tf.keras.layers.Permute`).

    Args:
        dims: the axes in their new order, counted from 1.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: an axis is missing or occurs twice; when called, if an example has another number of axes.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Permute((2, 1))(tf.zeros([5, 3, 4])).shape
    TensorShape([5, 4, 3])
    """

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise ValueError(
                "Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` must be "
                f"consecutive and start from 1. Received dims={dims}"
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs: Any) -> Any:
        return EXPORTS["transpose"](inputs, (0, *self.dims))

    def compute_output_shape(self, input_shape: Any) -> Any:
        return tuple(input_shape[axis] for axis in (0, *self.dims))


@tells_arguments
class RepeatVector(Layer):
    """Repeats each example, which is a vector (`tf.keras.layers.RepeatVector`).

    Args:
        n: how often.
        kwargs: the arguments of every layer.

    Raises:
        TypeError: `n` is not an integer.
        ValueError: `n` is not positive; when called, if the examples are not vectors.

    >>> import tapeviz as tf
    >>> tf.keras.layers.RepeatVector(2)(tf.constant([[1.0, 2.0]])).numpy().tolist()
    [[[1.0, 2.0], [1.0, 2.0]]]
    """

    input_spec = InputSpec(ndim=2)

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        require_count("n", n)
        self.n = n

    def call(self, inputs: Any) -> Any:
        return EXPORTS["repeat"](EXPORTS["expand_dims"](inputs, 1), self.n, axis=1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, length = input_shape
        return (batch, self.n, length)
