"""A cell -> a layer that applies it to the steps of series (batch, time, features)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from tapeviz.engine import nest
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.errors import InvalidArgumentError, OutOfRangeError
from tapeviz.tf.keras.layers.base.composite import CompositeLayer
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.layers.recurrent.cells import RecurrentCell
from tapeviz.tf.keras.layers.recurrent.stacked import StackedRNNCells, initial_state_of, output_size_of
from tapeviz.tf.keras.variable import Variable


class RNN(CompositeLayer):
    """Applies a cell to the steps of series, passing its states from step to step (`tf.keras.layers.RNN`).

    Args:
        cell: a cell, or a list of cells to stack. A cell has a method `call(inputs, states)` that returns the output
            and the new states, and an attribute `state_size`, the length of its state or a list of lengths.
        return_sequences: whether to return the outputs of all steps, rather than that of the last one.
        return_state: whether to return the last states, too.
        go_backwards: whether to start with the last step.
        stateful: whether each call starts with the last states of the previous one, until `reset_state()`.
        unroll: only matters for speed in Keras; here every step is an operation of its own anyway.
        zero_output_for_mask: whether the outputs of masked steps are zeros, rather than the previous output.

    Raises:
        ValueError: an invalid cell; when called: the batch size of a `stateful` layer changes, or there are more
            initial states than the cell has (unless `unroll`).
        IndexError: when called: there are fewer initial states than the cell has.
        InvalidArgumentError: when called: the input is not a series, or has no steps.

    >>> import tapeviz as tf
    >>> class Sum(tf.keras.layers.Layer):
    ...     state_size = 1
    ...
    ...     def call(self, inputs, states):
    ...         total = states[0] + inputs
    ...         return total, [total]
    >>> tf.keras.layers.RNN(Sum(), return_sequences=True)(tf.constant([[[1.0], [2.0], [3.0]]])).numpy().tolist()
    [[[1.0], [3.0], [6.0]]]
    """

    _settings_: ClassVar[tuple[str, ...]] = (
        *Layer._settings_, "return_sequences", "return_state", "go_backwards", "stateful", "unroll",
        "zero_output_for_mask", "cell",
    )  # fmt: skip
    _parts_ = ("cell",)
    _memory_: _Memory | None = None

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        **kwargs: Any,
    ) -> None:
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        if "call" not in dir(cell):
            raise ValueError(f"Argument `cell` should have a `call` method. Received: cell={cell}")
        if "state_size" not in dir(cell):
            raise ValueError(
                "The RNN cell should have a `state_size` attribute (single integer or list of integers, one integer "
                f"per RNN state). Received: cell={cell}"
            )
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful, self.unroll = go_backwards, stateful, unroll
        self.zero_output_for_mask = zero_output_for_mask
        if not isinstance(cell.state_size, (list, tuple, int)):
            raise ValueError("state_size must be an integer, or a list/tuple of integers (one for each state tensor).")
        self.state_size = [cell.state_size] if isinstance(cell.state_size, int) else list(cell.state_size)

    # ----- shapes and weights -----

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        shape: tuple[Any, ...] = (*sequences_shape[:1], *sequences_shape[2:])
        batch, *_ = shape
        if isinstance(self.cell, Layer) and not self.cell.built:
            self.cell.build(shape)
        if self.stateful and batch is None:
            raise ValueError(
                "When using `stateful=True` in a RNN, the batch size must be static. Found dynamic batch size: "
                f"sequence.shape={sequences_shape}"
            )
        if self.stateful:
            self._memory_ = _Memory(self.get_initial_state(batch), self.dtype)

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        batch, steps = sequences_shape[:2]
        size = output_size_of(self.cell)
        output = (batch, steps, size) if self.return_sequences else (batch, size)
        return (output, *_shapes(batch, self.state_size)) if self.return_state else output

    # ----- states -----

    @property
    def states(self) -> Any:
        """The variables with the states of a stateful layer; None before its first call, or if it is not stateful."""
        return None if self._memory_ is None else self._memory_.states

    def get_initial_state(self, batch_size: Any) -> list[Any]:
        """A list of the states of the cell for the first step."""
        found = initial_state_of(self.cell, batch_size, self.cell.compute_dtype)
        return list(found) if nest.is_nested(found) else [found]

    def reset_state(self) -> None:
        """Set the states of a stateful layer to zeros."""
        for state in nest.flatten(self.states or []):
            state.assign(tf["zeros_like"](state))

    def reset_states(self) -> None:
        """The former name of `reset_state`."""
        self.reset_state()

    def _first_states_(self, batch: Any, initial_state: Any) -> list[Any]:
        remembered = nest.flatten(self.states or [])
        if remembered and remembered[0].shape[0] != batch:
            raise ValueError(
                "If an RNN is stateful, the batch size of the input sequences must be the same as the batch size of "
                f"the initial state. \n- Expected batch size: {remembered[0].shape[0]}\n- Received batch size: {batch}"
            )
        if initial_state is None:
            initial_state = self.states if self.stateful else self.get_initial_state(batch)
        states = list(initial_state) if nest.is_nested(initial_state) else [initial_state]
        needed, given, dtype = len(self.state_size), len(states), self.cell.compute_dtype
        if given < needed and (not given or isinstance(self.cell, RecurrentCell)):
            raise IndexError(
                f"list index out of range: {self.name} begins with {needed} states of lengths {self.state_size}. "
                f"Received: initial_state of {given}."
            )
        if given > needed and not self.unroll:
            raise ValueError(
                f"Too many initial states: {self.name} begins with {needed}, of lengths {self.state_size}. "
                f"Received: initial_state of {given}."
            )
        first: list[Any] = nest.map_structure(lambda each: tf["cast"](convert_to_tensor(each), dtype), states[:needed])
        return first

    # ----- calling it -----

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: bool = False) -> Any:
        states = self._first_states_(sequences.shape[0], initial_state)
        try:
            steps = self._in_time_(sequences)
            if training:
                _draw_masks(self.cell, steps[0], states)
            else:
                for cell in _cells_in(self.cell):
                    cell._skip_seeds_of_masks_()
            outputs, states = self._run_steps_(steps, states, self._step_masks_(nest.flatten(mask)[0], len(steps)))
        finally:
            for cell in _cells_in(self.cell):
                cell.reset_dropout_mask()
                cell.reset_recurrent_dropout_mask()
        if self._memory_ is not None:
            self._memory_.keep(states)
        result = tf["stack"](outputs, axis=1) if self.return_sequences else outputs[-1]
        return (result, *states) if self.return_state else result

    def _run_steps_(self, steps: list[Any], states: list[Any], masks: list[Any]) -> tuple[list[Any], list[Any]]:
        """The outputs of all steps, or only that of the last one, and the last states.

        `masks` has the mask of each step, or None. Examples that it leaves out keep their previous states.
        """
        outputs: list[Any] = []
        for inputs, mask in zip(steps, masks, strict=True):
            output, after = self.cell(inputs, states)
            leaves = nest.flatten(after)
            if mask is not None:
                held = outputs and not self.zero_output_for_mask
                output = _where(mask, output, outputs[-1] if held else tf["zeros"](output.shape, output.dtype))
                leaves = [_where(mask, *pair) for pair in zip(leaves, nest.flatten(states), strict=True)]
            states = nest.pack_sequence_as(states, leaves)
            if not self.return_sequences:
                outputs.clear()
            outputs.append(output)
        return outputs, states

    def _in_time_(self, sequences: Any) -> list[Any]:
        """The inputs of each step, in the order of the steps.

        Raises:
            InvalidArgumentError: the input is not a series, or has no steps.
        """
        shape = tuple(sequences.shape)
        if len(shape) < 3:
            raise InvalidArgumentError(
                f"Index out of range using input dim {len(shape)}; input has only {len(shape)} dims. {self.name} takes "
                "series of shape (batch, time, features)."
            )
        if not shape[1]:
            raise InvalidArgumentError(
                f"slice index 0 of dimension 1 out of bounds. {self.name} was called on series of no steps: {shape}."
            )
        steps: list[Any] = tf["unstack"](sequences, axis=1)
        return steps[::-1] if self.go_backwards else steps

    def _step_masks_(self, mask: Any, steps: int) -> list[Any]:
        """A mask (batch, time) as a mask (batch, 1) for each step, in the order of the steps; None without a mask.

        Raises:
            IndexError: the mask has too few axes.
            OutOfRangeError: the mask has another number of steps.
        """
        if mask is None:
            return [None] * steps
        shape = tuple(mask.shape)
        if len(shape) < 2:
            raise IndexError(f"The mask of {self.name} needs the axes (batch, time). Received: mask.shape={shape}")
        if shape[1] != steps:
            raise OutOfRangeError(
                f"Tried to read from index {shape[1]} but array size is: {shape[1]}. The mask of {self.name} has the "
                f"shape {shape}, the series {steps} steps."
            )
        mask = tf["cast"](mask, "bool")
        parts: list[Any] = tf["unstack"](mask if len(shape) > 2 else tf["expand_dims"](mask, -1), axis=1)
        return parts[::-1] if self.go_backwards else parts

    def compute_mask(self, _: Any, mask: Any) -> Any:
        output = nest.flatten(mask)[0] if self.return_sequences else None
        return [output, *[None for _ in self.state_size]] if self.return_state else output


class _Memory:
    """The states of a stateful layer between calls, in variables that are not weights of the layer."""

    def __init__(self, states: Any, dtype: str) -> None:
        self.states = nest.map_structure(
            lambda each: Variable(each, dtype=dtype, trainable=False, name="rnn_state"), states
        )

    def keep(self, states: Any) -> None:
        """Assign the last states of a call."""
        for variable, state in zip(nest.flatten(self.states), nest.flatten(states), strict=True):
            variable.assign(state)


def _cells_in(cell: Any) -> Iterator[RecurrentCell]:
    """The cell, or the cells stacked in it, that have dropout."""
    if isinstance(cell, RecurrentCell):
        yield cell
    for each in getattr(cell, "cells", ()):
        yield from _cells_in(each)


def _draw_masks(cell: Any, inputs: Any, states: Any) -> None:
    """Draw the dropout masks before the first step, so that pictures can fold it together with the other steps."""
    if isinstance(cell, RecurrentCell):
        cell.get_dropout_mask(tf["cast"](inputs, cell.compute_dtype))
        cell.get_recurrent_dropout_mask(tf["cast"](states[0], cell.compute_dtype))
    for each, before in zip(getattr(cell, "cells", ()), states, strict=False):
        if not isinstance(each, RecurrentCell):
            break  # the width of the next cell's inputs is not known before the call
        own = nest.flatten(before)
        _draw_masks(each, inputs, own)
        inputs = own[0]  # as wide as the output of the cell


def _where(mask: Any, new: Any, old: Any) -> Any:
    """The new values of the examples where the mask is true, and the old values of the others."""
    if new.ndim > 2:
        mask = tf["reshape"](mask, (*mask.shape[:1], *[1] * (new.ndim - 1)))
    return tf["where"](mask, new, old)


def _shapes(batch: Any, sizes: Any) -> Any:
    """The shapes of states of these sizes, in the same lists."""
    return [(batch, each) if isinstance(each, int) else _shapes(batch, each) for each in sizes]
