"""Multi-head attention: several heads, each a mean of values weighted by how well their keys fit a query."""

from __future__ import annotations

import math
from typing import Any

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras import activations
from tapeviz.tf.keras.layers.activation import softmax_of_shown, with_hidden
from tapeviz.tf.keras.layers.attention import earlier
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.base.output_specs import output_specs
from tapeviz.tf.keras.layers.einsum import EinsumDense
from tapeviz.tf.keras.layers.regularization import Dropout
from tapeviz.tf.keras.masks import both, without_mask
from tapeviz.tf.keras.serialization import Configured


class MultiHeadAttention(Layer):
    """Attention with several heads (`tf.keras.layers.MultiHeadAttention`; Vaswani et al., 2017).

    Each head has its own projections of query, key and value. The layer is called as `layer(query, value, key=value)`
    on tensors of shape (batch, places, features). Its output has the places of the query.

    Args:
        num_heads: the number of heads.
        key_dim: the length of a query and a key of one head.
        value_dim: the length of a value of one head, `key_dim` by default.
        dropout: the fraction of the attention weights that are set to 0 during training.
        use_bias: whether the projections have a bias.
        output_shape: the lengths of the last axes of the output; by default that of the query.
        attention_axes: the axes of the places; by default all axes between the first and the last.
        sliding_window: not available, as are `flash_attention` and `use_gate`.
        kernel_initializer: the initializer of the kernels of all projections. This and the other initializers,
            regularizers and constraints are those of `Dense`.

    Raises:
        ValueError: `num_heads`, `key_dim` or `value_dim` is not positive; an argument is not available; or
            `output_shape` or `attention_axes` is neither a number nor a list.
        IndexError: when called on a query with fewer than three axes, or without one of the `attention_axes`.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=3)
    >>> words = tf.ones([1, 4, 5])
    >>> output, weights = layer(words, words, return_attention_scores=True, use_causal_mask=True)
    >>> output.shape, weights.shape
    (TensorShape([1, 4, 5]), TensorShape([1, 2, 4, 4]))
    """

    _settings_ = (
        *Layer._settings_, "num_heads", "key_dim", "value_dim", "dropout", "use_bias", "use_gate", "output_shape",
        "attention_axes", "sliding_window", "kernel_initializer", "bias_initializer", "kernel_regularizer",
        "bias_regularizer", "activity_regularizer", "kernel_constraint", "bias_constraint", "seed",
    )  # fmt: skip
    supports_masking = True
    use_gate = False
    sliding_window = None

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: Any = None,
        attention_axes: Any = None,
        sliding_window: None = None,
        flash_attention: None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        use_gate: bool = False,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        value_dim = key_dim if value_dim is None else value_dim
        for argument, length in (("num_heads", num_heads), ("key_dim", key_dim), ("value_dim", value_dim)):
            if not isinstance(length, int) or length <= 0:
                raise ValueError(
                    f"Received an invalid value for argument `{argument}`, expected a positive integer. "
                    f"Received: {argument}={length}"
                )
        told = {"sliding_window": sliding_window, "flash_attention": flash_attention, "use_gate": use_gate}
        if refused := [f"`{name}`" for name, each in told.items() if each is not None and each is not False]:
            raise ValueError(f"In {self.name}: there is no {' and no '.join(refused)} here. Leave it out.")
        if output_shape and not isinstance(output_shape, (int, list, tuple)):
            raise ValueError(
                f"Invalid `output_shape`: {output_shape}. When specified, the `output_shape` should be of type tuple, "
                "list, or int."
            )
        if attention_axes and not isinstance(attention_axes, (int, list, tuple)):
            raise ValueError(
                f"`attention_axes` must be an int, list, or tuple.Received: attention_axes={attention_axes}"
            )
        self.num_heads, self.key_dim, self.value_dim = num_heads, key_dim, value_dim
        self.dropout, self.use_bias, self.seed = dropout, use_bias, seed
        self.output_shape = (output_shape,) if isinstance(output_shape, int) else output_shape
        self.attention_axes = (attention_axes,) if isinstance(attention_axes, int) else attention_axes
        self._tell_("kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        self._tell_("bias", bias_initializer, bias_regularizer, bias_constraint)

    def build(self, query_shape: Any, value_shape: Any = None, key_shape: Any = None) -> None:
        rank = len(query_shape)
        self.attention_axes = tuple(self.attention_axes or range(1, rank - 1))
        if rank < 3 or any(not -rank <= axis < rank for axis in self.attention_axes):
            raise IndexError(
                f"{self.name!r} takes (batch, places, features), the places along axes {self.attention_axes or (1,)}. "
                f"Received a query of shape {tuple(query_shape)}."
            )
        self._equations = _equations(rank, [axis % rank for axis in self.attention_axes])
        query, key = self._into_heads_("query", rank, self.key_dim), self._into_heads_("key", rank, self.key_dim)
        value = self._into_heads_("value", rank, self.value_dim)
        self.dropping = Dropout(self.dropout, seed=self.seed, dtype=self._dtype_)
        free, features = "abcdefghijkl"[: rank - 1], tuple(self.output_shape or (query_shape[-1],))
        made = "uvwxyz"[: len(features)]
        output = self._projection_(
            "attention_output", f"{free}mn,mn{made}->{free}{made}", (*query_shape[1:-1], *features), made
        )
        self.query_dense, self.key_dense, self.value_dense, self.output_dense = query, key, value, output
        if value_shape is not None:
            for layer, shape in ((query, query_shape), (key, key_shape or value_shape), (value, value_shape)):
                layer.build(shape)
            output.build((*query_shape[:-1], self.num_heads, self.value_dim))

    def _into_heads_(self, name: str, rank: int, length: int) -> EinsumDense:
        free = "abcdefghijkl"[: rank - 1]
        shape = (*(None,) * (rank - 2), self.num_heads, length)
        return self._projection_(name, f"{free}x,xmn->{free}mn", shape, "mn")

    def _projection_(self, name: str, equation: str, shape: Any, bias_axes: str) -> EinsumDense:
        ways = {
            f"{weight}_{way}": getattr(self, f"{weight}_{way}")
            for weight in ("kernel", "bias")
            for way in ("initializer", "regularizer", "constraint")
        }
        drawn = {name: _another(way) for name, way in ways.items() if name.endswith("initializer")}
        axes = bias_axes if self.use_bias else None
        return EinsumDense(equation, shape, bias_axes=axes, name=name, dtype=self._dtype_, **ways | drawn)

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
        use_causal_mask: bool = False,
    ) -> Any:
        key = value if key is None else key
        for each in (query, value, key):
            without_mask(each)  # as in Keras: what adds the query to the output has a mask no longer
        mask = self._mask_(query, value, (query_mask, value_mask, key_mask), attention_mask, use_causal_mask)
        products, means = self._equations
        queries = self.query_dense(query) * (1.0 / math.sqrt(self.key_dim))
        scores = tf["einsum"](products, self.key_dense(key), queries)
        axes = len(self.attention_axes)
        while mask is not None and mask.ndim < scores.ndim:
            mask = tf["expand_dims"](mask, -2 * axes - 1)
        over = -1 if axes == 1 else tuple(range(-axes, 0))
        weights = self._weights_(scores, mask, over, alone=not return_attention_scores and queries.ndim == 4)
        kept = self.dropping(weights, training=training)
        output = self.output_dense(tf["einsum"](means, kept, self.value_dense(value)))
        return (output, weights) if return_attention_scores else output

    def _weights_(self, scores: Any, mask: Any, over: Any, alone: bool) -> Any:
        """What each query takes of the values: where it sees none, nothing.

        Or of all alike, where the output is asked for `alone` and nothing is dropped: Keras has a function for that.
        """
        if mask is None:
            return activations.softmax(scores, over)
        if alone and not self.dropout:
            return activations.softmax(with_hidden(scores, mask), over)
        return softmax_of_shown(scores, mask, over)

    def _mask_(self, query: Any, value: Any, of_places: tuple[Any, ...], whole: Any, causal: bool) -> Any:
        """Which keys each query sees, (batch, queries, keys); None if all."""
        of_queries, of_values, of_keys = (None if each is None else tf["cast"](each, "bool") for each in of_places)
        found = None if of_queries is None else tf["expand_dims"](of_queries, -1)
        for each in (of_values, of_keys):
            found = both(found, None if each is None else tf["expand_dims"](each, -2))
        if causal:
            found = both(found, earlier(query.shape[1], value.shape[1]))
        return both(found, None if whole is None else tf["cast"](whole, "bool"))

    def compute_mask(self, inputs: Any, previous_mask: Any) -> Any:
        return previous_mask[0] if isinstance(previous_mask, (list, tuple)) else previous_mask

    def compute_output_shape(self, query_shape: Any, value_shape: Any = None, key_shape: Any = None) -> Any:
        return (*query_shape[:-1], *(self.output_shape or query_shape[-1:]))

    def _specs_of_(self, args: Any, kwargs: Any) -> Any:
        return output_specs(self._run_, args, kwargs)  # there may be weights too


def _equations(rank: int, axes: list[int]) -> tuple[str, str]:
    """For tensors (..., heads, features) of one axis more than `rank`: keys and queries -> scores, those and values."""
    letters = "abcdefghijklmnop"
    query = letters[: rank + 1]
    key = "".join([label.upper() if place in axes else label for place, label in enumerate(query)])
    batch = "".join([label for place, label in enumerate(query[:-1]) if place not in axes])
    scores = batch + "".join([query[axis] for axis in axes]) + "".join([key[axis] for axis in axes])
    value = key[:-1] + "z"
    return f"{key},{query}->{scores}", f"{scores},{value}->{query[:-1]}z"


def _another(initializer: Any) -> Any:
    """An initializer like another, that draws other numbers unless it was told a seed; a function, itself."""
    return initializer.from_config(initializer.get_config()) if isinstance(initializer, Configured) else initializer
