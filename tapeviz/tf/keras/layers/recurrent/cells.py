"""One step of a recurrent layer: inputs and the previous states -> the output and the new states."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras import activations
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.base.passing import passed
from tapeviz.tf.keras.layers.base.weighted import as_float
from tapeviz.tf.keras.seed_generator import SeedGenerator
from tapeviz.tf.keras.serialization import tells_arguments


class RecurrentCell(Layer):
    """Base class of cells: a kernel for the inputs, one for the state, a bias, and dropout of inputs and state."""

    _gates_ = 1
    """The number of gates, whose kernels are stored side by side in one weight."""
    implementation = 2
    """1 if each gate has its own dropout mask, 2 if all have the same."""
    _draws_first_ = False
    """Whether the seed of the dropout is drawn before the seeds of the initializers."""

    def __init__(
        self,
        units: int,
        activation: Any,
        use_bias: bool,
        dropout: float,
        recurrent_dropout: float,
        seed: int | None,
        **kwargs: Any,
    ) -> None:
        if units <= 0:
            raise ValueError(
                f"Received an invalid value for argument `units`, expected a positive integer, got {units}."
            )
        before = SeedGenerator(seed) if self._draws_first_ else None
        super().__init__(**kwargs)
        self.units = self.output_size = units
        self.state_size: Any = units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.dropout, self.recurrent_dropout = min(1.0, max(0.0, dropout)), min(1.0, max(0.0, recurrent_dropout))
        self.seed, self.seed_generator = seed, before or SeedGenerator(seed)
        self._dropping: dict[str, Any] = {}

    def _add_weights_(self, input_shape: Any, bias_shape: tuple[int, ...], **bias: Any) -> None:
        """Add both kernels, and a bias of the given shape if there is to be one."""
        width = self.units * self._gates_
        self.kernel = self._add_("kernel", (input_shape[-1], width))
        self.recurrent_kernel = self._add_("recurrent_kernel", (self.units, width), told="recurrent")
        self.bias = self._add_("bias", bias_shape, **bias) if self.use_bias else None

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """Zeros for the first step: a list of one tensor for each state."""
        sizes = nest.flatten(self.state_size)
        return [tf["zeros"]((batch_size, size), dtype=self.compute_dtype) for size in sizes]

    # ----- dropout: the masks of the first step are used for all steps, until the layer resets them -----

    def get_dropout_mask(self, step_input: Any) -> Any:
        """The factors of the inputs in training, or a list of them for the gates; None without dropout."""
        return self._mask_("dropout", step_input)

    def get_recurrent_dropout_mask(self, step_input: Any) -> Any:
        """The factors of the state in training, or a list of them for the gates; None without dropout."""
        return self._mask_("recurrent_dropout", step_input)

    def reset_dropout_mask(self) -> None:
        """Discard the mask of the inputs, so that the next step draws a new one."""
        self._dropping.pop("dropout", None)

    def reset_recurrent_dropout_mask(self) -> None:
        """Discard the mask of the state, so that the next step draws a new one."""
        self._dropping.pop("recurrent_dropout", None)

    def _skip_seeds_of_masks_(self) -> None:
        """Use up the seeds of the masks of a call without dropout, since Keras draws the masks there, too."""
        for rate in (self.dropout, self.recurrent_dropout):
            for _ in range(self._masks_ if rate > 0 else 0):
                self.seed_generator.next()

    @property
    def _masks_(self) -> int:
        """The number of masks of the inputs, and of the state."""
        return self._gates_ if self.implementation == 1 else 1

    def _mask_(self, which: str, like: Any) -> Any:
        rate = getattr(self, which)
        if rate > 0 and which not in self._dropping:
            ones = tf["ones_like"](like)
            drawn = [_dropped(ones, rate, self.seed_generator) for _ in range(self._masks_)]
            self._dropping[which] = drawn if self.implementation == 1 else drawn[0]
        return self._dropping.get(which)

    def _masked_(self, which: str, x: Any, training: bool) -> Any:
        """The inputs or state after dropout; a list for the gates if each has its own mask."""
        if not training or not getattr(self, which):
            return x
        mask = self._mask_(which, x)
        return [x * each for each in mask] if isinstance(mask, list) else x * mask


def _dropped(ones: Any, rate: float, seeds: SeedGenerator) -> Any:
    return tf["zeros_like"](ones) if rate == 1 else tf["nn.experimental.stateless_dropout"](ones, rate, seeds.next())


@tells_arguments
class SimpleRNNCell(RecurrentCell):
    """activation(inputs @ kernel + bias + state @ recurrent_kernel) (`tf.keras.layers.SimpleRNNCell`).

    Args:
        units: the length of the output, which is also the state.
        activation: a name or a function.
        use_bias: whether there is a bias.
        kernel_initializer: a name or an initializer; `recurrent_initializer` and `bias_initializer` likewise.
        kernel_regularizer: a name or a regularizer; `recurrent_regularizer` and `bias_regularizer` likewise.
        kernel_constraint: a name or a constraint; `recurrent_constraint` and `bias_constraint` likewise.
        dropout: the fraction of the inputs that is set to 0 in training; `recurrent_dropout` is that of the state.
        seed: the seed of the dropout.

    Raises:
        ValueError: `units` is not positive.

    >>> import tapeviz as tf
    >>> cell = tf.keras.layers.SimpleRNNCell(1, kernel_initializer="ones", recurrent_initializer="ones")
    >>> output, states = cell(tf.zeros([2, 3]), [tf.zeros([2, 1])])
    >>> output.shape, len(states)
    (TensorShape([2, 1]), 1)
    """

    _draws_first_ = True

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
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
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed(locals()))

    def build(self, input_shape: Any) -> None:
        self._add_weights_(input_shape, (self.units,))

    def call(self, sequence: Any, states: Any, training: bool = False) -> Any:
        nested = nest.is_nested(states)
        inputs = self._masked_("dropout", as_float(sequence, self.kernel), training)
        before = self._masked_("recurrent_dropout", states[0] if nested else states, training)
        inner = inputs @ self.kernel
        inner = inner if self.bias is None else inner + self.bias
        output = self.activation(inner + before @ self.recurrent_kernel)
        return output, [output] if nested else output
