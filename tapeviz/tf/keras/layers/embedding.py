"""The layer that looks vectors up (`tf.keras.layers.Embedding`)."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import constant
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.base.weighted import BuiltWeight
from tapeviz.tf.keras.symbolic import KerasTensor


class Embedding(Layer):
    """The rows of a matrix, `embeddings`, for some integers (`tf.keras.layers.Embedding`).

    Args:
        input_dim: the number of rows.
        output_dim: their length.
        embeddings_initializer: a name or an initializer.
        embeddings_regularizer: a name or a regularizer.
        embeddings_constraint: a name or a constraint.
        mask_zero: whether the integer 0 is padding, which a mask excludes.
        weights: the first value of the matrix, or a list of this array alone.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: `input_dim` or `output_dim` is not positive.
        InvalidArgumentError: when called, if an integer is out of range.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Embedding(10, 4)(tf.constant([[3, 1], [0, 3]])).shape
    TensorShape([2, 2, 4])
    """

    _settings_ = (
        *Layer._settings_, "input_dim", "output_dim", "embeddings_initializer", "embeddings_regularizer",
        "activity_regularizer", "embeddings_constraint", "mask_zero", "quantization_config",
    )  # fmt: skip

    embeddings: Any = BuiltWeight()

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
        self._tell_("embeddings", embeddings_initializer, embeddings_regularizer, embeddings_constraint)
        self.mask_zero = self.supports_masking = mask_zero
        if weights is not None:
            self.build()
            self.set_weights(weights if isinstance(weights, list) and len(weights) == 1 else [weights])

    def build(self, input_shape: Any = None) -> None:
        if not self.built:
            self._embeddings = self._add_("embeddings", (self.input_dim, self.output_dim))

    def call(self, inputs: Any) -> Any:
        if inputs.dtype.name not in ("int32", "int64"):
            inputs = EXPORTS["cast"](inputs, "int32")
        if (inputs._value < 0).any():  # they count from the end
            inputs = EXPORTS["where"](inputs < 0, inputs + self.input_dim, inputs)
        return EXPORTS["gather"](self.embeddings, inputs)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        if not self.mask_zero:
            return None
        words: Any = inputs if isinstance(inputs, (TensorLike, KerasTensor)) else constant(inputs)
        return words != 0

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape, self.output_dim)
