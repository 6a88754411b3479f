"""Layers that put numbers into another shape, and that look vectors up."""

from __future__ import annotations

import math
from typing import Any

from tapeviz.engine.api import EXPORTS
from tapeviz.engine.constant import constant
from tapeviz.engine.tensor import TensorLike
from tapeviz.keras.layers import images
from tapeviz.keras.layers.base import Layer
from tapeviz.keras.layers.dense import Kept
from tapeviz.keras.layers.specs import InputSpec
from tapeviz.keras.symbolic import KerasTensor


class Reshape(Layer):
    """Every example in another shape (`tf.keras.layers.Reshape`).

    Args:
        target_shape: without the batch axis; one length may be -1, which is found from the others.

    Raises:
        ValueError: more than one -1; when called, an example of another number of numbers.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Reshape((3, -1))(tf.zeros([5, 12])).shape
    TensorShape([5, 3, 4])
    """

    settings = (*Layer.settings, "target_shape")
    built = True

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)
        if self.target_shape.count(-1) > 1 or any(length < -1 for length in self.target_shape):
            raise ValueError(f"There is at most one unknown length (-1), and no negative one, in {self.target_shape}.")

    def call(self, inputs: Any) -> Any:
        return EXPORTS["reshape"](inputs, self.compute_output_shape(inputs.shape))

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, *lengths = input_shape
        target = self.target_shape
        if None in lengths:
            return (batch, *(None if length == -1 else length for length in target))
        size, known = math.prod(lengths), math.prod(length for length in target if length != -1)
        if (size % known if known else size) if -1 in target else size != known:
            raise ValueError(
                "The total size of the tensor must be unchanged. "
                f"Received: input_shape={tuple(lengths)}, target_shape={target}"
            )
        return (batch, *(size // known if length == -1 else length for length in target))


class Permute(Layer):
    """The axes of every example in another order (`tf.keras.layers.Permute`).

    Args:
        dims: the axes, counted from 1, in the order that they are to have.

    Raises:
        ValueError: not each axis once; when called, an example of another number of axes.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Permute((2, 1))(tf.zeros([5, 3, 4])).shape
    TensorShape([5, 4, 3])
    """

    settings = (*Layer.settings, "dims")

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


class RepeatVector(Layer):
    """Every example, a row of numbers, several times (`tf.keras.layers.RepeatVector`).

    Args:
        n: how many times.

    Raises:
        TypeError: no whole number.
        ValueError: no positive one; when called, examples that are no rows.

    >>> import tapeviz as tf
    >>> tf.keras.layers.RepeatVector(2)(tf.constant([[1.0, 2.0]])).numpy().tolist()
    [[[1.0, 2.0], [1.0, 2.0]]]
    """

    settings = (*Layer.settings, "n")
    input_spec = InputSpec(ndim=2)

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        images.require_count("n", n)
        self.n = n

    def call(self, inputs: Any) -> Any:
        return EXPORTS["repeat"](EXPORTS["expand_dims"](inputs, 1), self.n, axis=1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        batch, length = input_shape
        return (batch, self.n, length)


class Embedding(Layer):
    """The vectors, rows of `embeddings`, that integers name (`tf.keras.layers.Embedding`).

    Args:
        input_dim: the number of vectors.
        output_dim: the length of each.
        embeddings_initializer: a name or an initializer.
        embeddings_regularizer: a name or a regularizer; `embeddings_constraint` likewise.
        mask_zero: whether the integer 0 is no word but fills series up: a mask leaves it out.
        weights: the vectors to begin with, or a list of just this array.

    Raises:
        ValueError: numbers that are not positive.
        InvalidArgumentError: when called, an integer that names no vector.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Embedding(10, 4)(tf.constant([[3, 1], [0, 3]])).shape
    TensorShape([2, 2, 4])
    """

    settings = (
        *Layer.settings, "input_dim", "output_dim", "embeddings_initializer", "embeddings_regularizer",
        "activity_regularizer", "embeddings_constraint", "mask_zero", "quantization_config",
    )  # fmt: skip

    embeddings: Any = Kept()

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        weights: Any = None,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("input_length", None)  # of earlier versions
        for name, value in (("input_dim", input_dim), ("output_dim", output_dim)):
            if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
                raise ValueError(
                    f"`{name}` must be a positive integer. Received: {name}={value} (of type {type(value).__name__})."
                )
        super().__init__(**kwargs)
        self.input_dim, self.output_dim = input_dim, output_dim
        self._tell("embeddings", embeddings_initializer, embeddings_regularizer, embeddings_constraint)
        self.mask_zero = self.supports_masking = mask_zero
        if weights is not None:
            self.build()
            self.set_weights(weights if isinstance(weights, list) and len(weights) == 1 else [weights])

    def build(self, input_shape: Any = None) -> None:
        if not self.built:
            self._embeddings = self._add("embeddings", (self.input_dim, self.output_dim))

    def call(self, inputs: Any) -> Any:
        if inputs.dtype.name not in ("int32", "int64"):
            inputs = EXPORTS["cast"](inputs, "int32")
        return EXPORTS["gather"](self.embeddings, inputs)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        if not self.mask_zero:
            return None
        words: Any = inputs if isinstance(inputs, (TensorLike, KerasTensor)) else constant(inputs)
        return words != 0

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape, self.output_dim)
