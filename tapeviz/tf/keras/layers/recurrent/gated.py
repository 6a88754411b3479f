"""Cells with gates: factors from 0 to 1 that decide how much of a state is kept and how much of it is new."""

from __future__ import annotations

from collections.abc import Callable
from operator import add
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras import activations
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.base.passing import passed
from tapeviz.tf.keras.layers.base.weighted import as_float
from tapeviz.tf.keras.layers.recurrent.cells import RecurrentCell
from tapeviz.tf.keras.serialization import tells_arguments


class GatedCell(RecurrentCell):
    """Base class of cells with gates: the activation of the gates, and dropout for each of them."""

    def __init__(self, recurrent_activation: Any, implementation: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.implementation = 1 if self.recurrent_dropout else implementation

    def _masked_(self, which: str, x: Any, training: bool) -> Any:
        return x if getattr(self, which) == 1 else super()._masked_(which, x, training)  # Keras ignores a rate of 1

    def _products_(self, x: Any, kernel: Any, bias: Any, gates: int) -> list[Any]:
        """x @ kernel + bias for each gate; `x` is a list if dropout differs between the gates."""
        if not isinstance(x, list):
            product = x @ kernel
            return list(tf["split"](product if bias is None else product + bias, gates, axis=-1))
        products = [each @ part for each, part in zip(x, tf["split"](kernel, gates, axis=1), strict=False)]
        return products if bias is None else list(map(add, products, tf["split"](bias, gates)))


@tells_arguments
class GRUCell(GatedCell):
    """One step of a gated recurrent unit (`tf.keras.layers.GRUCell`).

    The new state is z * state + (1 - z) * tanh(inputs @ kernel + r * (state @ recurrent_kernel)).

    Args:
        units: the length of the output, which is also the state.
        activation: a name or a function; `recurrent_activation` is that of the gates z and r.
        use_bias: whether there are biases; the further arguments are those of `SimpleRNNCell`.
        reset_after: whether the gate r is applied after the recurrent kernel, which then has its own bias.

    Raises:
        ValueError: `units` is not positive.

    >>> import tapeviz as tf
    >>> cell = tf.keras.layers.GRUCell(4)
    >>> output, states = cell(tf.zeros([2, 3]), cell.get_initial_state(2))
    >>> output.shape, len(states)
    (TensorShape([2, 4]), 1)
    """

    _gates_ = 3

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        reset_after: bool = True,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed(locals(), "reset_after"))
        self.reset_after = reset_after

    def build(self, input_shape: Any) -> None:
        width = self.units * self._gates_
        self._add_weights_(input_shape, (2, width) if self.reset_after else (width,))

    def call(self, inputs: Any, states: Any, training: bool = False) -> Any:
        nested, units = nest.is_nested(states), self.units
        before = states[0] if nested else states
        inputs = self._masked_("dropout", as_float(inputs, self.kernel), training)
        state = self._masked_("recurrent_dropout", before, training)
        bias, inner = self.bias, None
        if bias is not None and self.reset_after:
            bias, inner = tf["unstack"](bias)
        update, reset, new = self._products_(inputs, self.kernel, bias, 3)
        if self.reset_after:
            of_update, of_reset, of_new = self._products_(state, self.recurrent_kernel, inner, 3)
        else:
            of_update, of_reset = self._products_(state, self.recurrent_kernel[:, : 2 * units], None, 2)
        update = self.recurrent_activation(update + of_update)
        reset = self.recurrent_activation(reset + of_reset)
        if self.reset_after:
            of_new = reset * of_new
        else:
            last = state[-1] if isinstance(state, list) else state
            of_new = (reset * last) @ self.recurrent_kernel[:, 2 * units :]
        output = update * before + (1 - update) * self.activation(new + of_new)
        return output, [output] if nested else output


class LSTMCell(GatedCell):
    """One step of a long short-term memory (`tf.keras.layers.LSTMCell`).

    The second state, the carry, becomes f * carry + i * tanh(...). The output and first state is o * tanh(carry).

    Args:
        units: the length of the output and of both states.
        activation: a name or a function; `recurrent_activation` is that of the gates f, i and o.
        use_bias: whether there is a bias; the further arguments are those of `SimpleRNNCell`.
        unit_forget_bias: whether the bias of the gate f is initialized with 1.

    Raises:
        ValueError: `units` is not positive.

    >>> import tapeviz as tf
    >>> cell = tf.keras.layers.LSTMCell(4)
    >>> output, states = cell(tf.zeros([2, 3]), cell.get_initial_state(2))
    >>> output.shape, len(states)
    (TensorShape([2, 4]), 2)
    """

    bias_initializer: Callable[..., Any]
    _settings_ = (
        *Layer._settings_, "units", "activation", "recurrent_activation", "use_bias", "unit_forget_bias",
        "kernel_initializer", "recurrent_initializer", "bias_initializer", "kernel_regularizer",
        "recurrent_regularizer", "bias_regularizer", "kernel_constraint", "recurrent_constraint", "bias_constraint",
        "dropout", "recurrent_dropout", "seed",
    )  # fmt: skip
    _gates_ = 4

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed(locals(), "unit_forget_bias"))
        self.unit_forget_bias = unit_forget_bias
        self.state_size = [units, units]

    def build(self, input_shape: Any) -> None:
        start = {"initializer": self._forgetting_little_} if self.unit_forget_bias else {}
        self._add_weights_(input_shape, (4 * self.units,), **start)

    def _forgetting_little_(self, shape: Any, dtype: Any = None) -> Any:
        """A bias that is 1 for the gate f."""
        parts = (self.bias_initializer, 1), (tf["ones"], 1), (self.bias_initializer, 2)
        return tf["concat"]([start((count * self.units,), dtype=dtype) for start, count in parts], 0)

    def call(self, inputs: Any, states: Any, training: bool = False) -> Any:
        before, carry = states[0], states[1]
        inputs = self._masked_("dropout", as_float(inputs, self.kernel), training)
        before = self._masked_("recurrent_dropout", before, training)
        if isinstance(inputs, list) or isinstance(before, list):
            of_inputs = self._products_(inputs, self.kernel, self.bias, 4)
            gates = map(add, of_inputs, self._products_(before, self.recurrent_kernel, None, 4))
        else:  # all of them at once
            total = inputs @ self.kernel + before @ self.recurrent_kernel
            gates = tf["split"](total if self.bias is None else total + self.bias, 4, axis=1)
        i, f, new, o = gates
        kept = self.recurrent_activation(f) * carry
        carry = kept + self.recurrent_activation(i) * self.activation(new)
        output = self.recurrent_activation(o) * self.activation(carry)
        return output, [output, carry]
