"""Layers that take a mean of values, weighted by how well their keys fit a query (Vaswani et al., 2017)."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras import activations
from tapeviz.tf.keras.layers.activation import with_hidden
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.base.output_specs import output_specs
from tapeviz.tf.keras.layers.regularization import Dropout
from tapeviz.tf.keras.masks import both
from tapeviz.tf.keras.serialization import tells_arguments


def earlier(queries: int, keys: int) -> Any:
    """A causal mask of shape (1, queries, keys): it is true for keys that are not behind the query."""
    return tf["expand_dims"](tf["range"](keys)[None, :] <= tf["range"](queries)[:, None], 0)


class _OfLists(Layer):
    """The base class of attention layers that are called on a list of tensors of shape (batch, places, features).

    The list is [query, value] or [query, value, key].
    """

    supports_masking = True

    def __init__(self, use_scale: bool, dropout: float, seed: int | None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_scale, self.dropout, self.seed = use_scale, dropout, seed
        if dropout:
            self.dropping = Dropout(dropout, seed=seed, dtype=self._dtype_)

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: bool = False,
        return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:
        self._require_lists_(inputs, mask)
        query, value, key = inputs[0], inputs[1], inputs[-1] if len(inputs) > 2 else inputs[1]
        masks: list[Any] = [*(mask or []), None, None]
        of_queries, of_values, *_ = masks
        seen = None if of_values is None else tf["expand_dims"](tf["cast"](of_values, "bool"), -2)
        scores = self._scores_(query, key)
        if use_causal_mask:
            seen = both(seen, earlier(scores.shape[-2], scores.shape[-1]))
        weights = activations.softmax(scores if seen is None else with_hidden(scores, seen))
        weights = self.dropping(weights, training=training) if self.dropout else weights
        output = weights @ value
        if of_queries is not None:
            output = output * tf["cast"](tf["expand_dims"](of_queries, -1), output.dtype)
        return (output, weights) if return_attention_scores else output

    def _scores_(self, query: Any, key: Any) -> Any:
        raise NotImplementedError

    def _require_lists_(self, inputs: Any, mask: Any) -> None:
        name = type(self).__name__
        if not isinstance(inputs, list):
            raise ValueError(
                f"{name} layer must be called on a list of inputs, namely [query, value] or [query, value, key]. "
                f"Received: inputs={inputs}."
            )
        if not 2 <= len(inputs) <= 3:
            raise ValueError(
                f"{name} layer accepts inputs list of length 2 or 3, namely [query, value] or [query, value, key]. "
                f"Received length: {len(inputs)}."
            )
        if mask is not None and not isinstance(mask, list):
            raise ValueError(
                f"{name} layer mask must be a list, namely [query_mask, value_mask]. Received: mask={mask}."
            )
        if mask is not None and not 2 <= len(mask) <= 3:
            raise ValueError(
                f"{name} layer accepts mask list of length 2 or 3. Received: inputs of length {len(inputs)}, and mask "
                f"of length {len(mask)}."
            )

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        self._require_lists_(inputs, mask)
        return None if mask is None or mask[0] is None else tensor_of(mask[0])

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape[0][:-1], input_shape[1][-1])

    def _specs_of_(self, args: Any, kwargs: Any) -> Any:
        return output_specs(self._run_, args, kwargs)  # there may be weights too


@tells_arguments
class Attention(_OfLists):
    """Dot-product attention: softmax(query @ key^T) @ value (`tf.keras.layers.Attention`; Luong et al., 2015).

    It is called on a list, [query, value] or [query, value, key], of tensors of shape (batch, places, features).

    Args:
        use_scale: whether the scores are multiplied by a weight.
        score_mode: how scores are computed: "dot" for a product, "concat" for the sum of tanh(query + key).
        dropout: the fraction of the attention weights that are set to 0 during training.
        seed: the seed of the dropout.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: another mode, or `dropout` is not in [0, 1]; when called, not on a list of two or three tensors.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Attention()([tf.zeros([1, 1, 2]), tf.constant([[[1.0, 2.0], [3.0, 4.0]]])]).numpy().tolist()
    [[[2.0, 3.0]]]
    """

    scale: Any = None
    concat_score_weight: Any = None

    def __init__(
        self,
        use_scale: bool = False,
        score_mode: str = "dot",
        dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(use_scale, dropout, seed, **kwargs)
        if score_mode not in ("dot", "concat"):
            raise ValueError(
                "Invalid value for argument score_mode. Expected one of {'dot', 'concat'}. "
                f"Received: score_mode={score_mode}"
            )
        self.score_mode = score_mode

    def build(self, input_shape: Any) -> None:
        self._require_lists_(input_shape, None)
        if self.use_scale:
            self.scale = self.add_weight((), "ones", name="scale")
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight((), "ones", name="concat_score_weight")

    def _scores_(self, query: Any, key: Any) -> Any:
        if self.score_mode == "dot":
            scores = tf["matmul"](query, key, transpose_b=True)
            return scores if self.scale is None else scores * self.scale
        sums = tf["expand_dims"](query, -2) + tf["expand_dims"](key, -3)
        if self.scale is not None:
            sums = self.scale * sums
        return self.concat_score_weight * tf["reduce_sum"](tf["tanh"](sums), axis=-1)


class AdditiveAttention(_OfLists):
    """Additive attention: softmax(sum of tanh(query + key)) @ value (Bahdanau et al., 2014).

    It is `tf.keras.layers.AdditiveAttention`, and is called on a list as `Attention` is.

    Args:
        use_scale: whether the terms of the sum are multiplied by a weight for each feature.
        dropout: the fraction of the attention weights that are set to 0 during training.
        kwargs: the arguments of every layer.

    Raises:
        ValueError: when called, not on a list of two or three tensors.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.AdditiveAttention(use_scale=False)
    >>> layer([tf.zeros([1, 1, 2]), tf.constant([[[1.0, 2.0], [1.0, 2.0]]])]).numpy().tolist()
    [[[1.0, 2.0]]]
    """

    _settings_ = (*Layer._settings_, "use_scale", "dropout", "seed")
    scale: Any = None

    def __init__(self, use_scale: bool = True, dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(use_scale, dropout, kwargs.pop("seed", None), **kwargs)

    def build(self, input_shape: Any) -> None:
        self._require_lists_(input_shape, None)
        if self.use_scale:
            self.scale = self.add_weight((input_shape[0][-1],), "glorot_uniform", name="scale")

    def _scores_(self, query: Any, key: Any) -> Any:
        sums = tf["tanh"](tf["expand_dims"](query, -2) + tf["expand_dims"](key, -3))
        return tf["reduce_sum"](sums if self.scale is None else self.scale * sums, axis=-1)
