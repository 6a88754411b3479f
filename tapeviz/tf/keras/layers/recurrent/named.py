"""The recurrent layers that make their own cell, from its arguments and those of `RNN`."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeviz.engine import nest
from tapeviz.tf.keras.layers.base.input_specs import InputSpec
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.base.passing import passed, taken
from tapeviz.tf.keras.layers.recurrent.cells import RecurrentCell, SimpleRNNCell
from tapeviz.tf.keras.layers.recurrent.gated import GRUCell, LSTMCell
from tapeviz.tf.keras.layers.recurrent.rnn import RNN


class _WithCell(RNN):
    """Base class of recurrent layers that make their own cell; the settings of the cell are settings of the layer."""

    input_spec: Any = InputSpec(ndim=3)
    _for_cell_: ClassVar[tuple[str, ...]] = ()
    """Arguments of the cell that are not part of its config."""

    def __init__(self, kind: type[RecurrentCell], name_of_cell: str, /, **told: Any) -> None:
        names = {*kind._settings_, *self._for_cell_} - {*Layer._settings_}
        of_cell = taken(told, [name for name in told if name in names])
        of_both = {"dtype": told.get("dtype"), "trainable": told.get("trainable", True)}
        super().__init__(kind(**of_cell, **of_both, name=name_of_cell), **told)

    def __getattr__(self, name: str) -> Any:
        if name in type(self)._settings_:
            return getattr(self.cell, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class _WithCudnn(_WithCell):
    """Base class of layers of which Keras has a second implementation for GPUs."""

    _for_cell_ = ("implementation",)

    def __init__(self, *cell: Any, use_cudnn: Any, **told: Any) -> None:
        super().__init__(*cell, **told)
        if use_cudnn not in ("auto", True, False):
            raise ValueError(f"use_cudnn is 'auto', True or False, not {use_cudnn!r}: it has no effect here.")
        self.use_cudnn = use_cudnn

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: bool = False) -> Any:
        if self.use_cudnn is True:
            raise ValueError("use_cudnn=True needs a GPU, which this layer does not run on: give use_cudnn='auto'.")
        return super().call(sequences, initial_state, mask, training)


class SimpleRNN(_WithCell):
    """A `SimpleRNNCell` taken over series (`tf.keras.layers.SimpleRNN`).

    Args:
        units: the length of a step's output, and so on: as for `SimpleRNNCell`.
        activity_regularizer: of no effect, as in Keras, whose layer forgets it.
        return_sequences: whether what goes out at every step is the output, and so on: as for `RNN`.

    Raises:
        ValueError: as for `SimpleRNNCell` and `RNN`; when called, an input that has not three axes.

    >>> import tapeviz as tf
    >>> tf.keras.layers.SimpleRNN(4)(tf.zeros([2, 5, 3])).shape
    TensorShape([2, 4])
    """

    input_spec: Any = (InputSpec(ndim=3),)
    _settings_ = (
        *RNN._settings_[:-1], "units", "activation", "use_bias", "kernel_initializer", "recurrent_initializer",
        "bias_initializer", "kernel_regularizer", "recurrent_regularizer", "bias_regularizer", "activity_regularizer",
        "kernel_constraint", "recurrent_constraint", "bias_constraint", "dropout", "recurrent_dropout",
    )  # fmt: skip

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
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(SimpleRNNCell, "simple_rnn_cell", **passed(locals(), "activity_regularizer"))


class GRU(_WithCudnn):
    """A `GRUCell` taken over series (`tf.keras.layers.GRU`).

    Args:
        units: the length of a step's output, and so on: as for `GRUCell`.
        use_cudnn: heeded by Keras for speed only.
        activity_regularizer: what penalises its outputs, in `losses`.
        return_sequences: whether what goes out at every step is the output, and so on: as for `RNN`.

    Raises:
        ValueError: as for `GRUCell` and `RNN`, or an unknown `use_cudnn`; when called, an input that has not
            three axes, or `use_cudnn=True`.

    >>> import tapeviz as tf
    >>> tf.keras.layers.GRU(4, return_sequences=True)(tf.zeros([2, 5, 3])).shape
    TensorShape([2, 5, 4])
    """

    _settings_ = (
        *RNN._settings_[:-1], "units", "activation", "recurrent_activation", "use_bias", "kernel_initializer",
        "recurrent_initializer", "bias_initializer", "kernel_regularizer", "recurrent_regularizer", "bias_regularizer",
        "activity_regularizer", "kernel_constraint", "recurrent_constraint", "bias_constraint", "dropout",
        "recurrent_dropout", "reset_after", "seed",
    )  # fmt: skip

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
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        reset_after: bool = True,
        use_cudnn: Any = "auto",
        **kwargs: Any,
    ) -> None:
        super().__init__(GRUCell, "gru_cell", **passed(locals()))

    def _first_states_(self, batch: Any, initial_state: Any) -> list[Any]:
        """Keras has a loop of its own for this layer, which takes the first of the states that it is given."""
        return super()._first_states_(batch, initial_state[:1] if nest.is_nested(initial_state) else initial_state)


class LSTM(_WithCudnn):
    """An `LSTMCell` taken over series (`tf.keras.layers.LSTM`).

    Args:
        units: the length of a step's output, and so on: as for `LSTMCell`.
        use_cudnn: heeded by Keras for speed only.
        activity_regularizer: what penalises its outputs, in `losses`.
        return_sequences: whether what goes out at every step is the output, and so on: as for `RNN`.

    Raises:
        ValueError: as for `LSTMCell` and `RNN`, or an unknown `use_cudnn`; when called, an input that has not
            three axes, or `use_cudnn=True`.

    >>> import tapeviz as tf
    >>> output, state, carry = tf.keras.layers.LSTM(4, return_state=True)(tf.zeros([2, 5, 3]))
    >>> output.shape, carry.shape
    (TensorShape([2, 4]), TensorShape([2, 4]))
    """

    _settings_ = (
        *RNN._settings_[:-1], "units", "activation", "recurrent_activation", "use_bias", "kernel_initializer",
        "recurrent_initializer", "bias_initializer", "unit_forget_bias", "kernel_regularizer", "recurrent_regularizer",
        "bias_regularizer", "activity_regularizer", "kernel_constraint", "recurrent_constraint", "bias_constraint",
        "dropout", "recurrent_dropout", "seed",
    )  # fmt: skip

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
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        use_cudnn: Any = "auto",
        **kwargs: Any,
    ) -> None:
        super().__init__(LSTMCell, "lstm_cell", **passed(locals()))
