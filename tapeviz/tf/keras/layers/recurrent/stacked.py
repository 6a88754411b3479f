"""Several cells -> one cell, in which each takes the output of the previous one."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.layers.base.composite import CompositeLayer
from tapeviz.tf.keras.layers.base.layer import Layer
from tapeviz.tf.keras.serialization import tells_arguments


@tells_arguments
class StackedRNNCells(CompositeLayer):
    """A cell made of several cells, one on top of the other (`tf.keras.layers.StackedRNNCells`).

    Args:
        cells: a list of cells.

    Raises:
        ValueError: a cell has no `call` or no `state_size`.

    >>> import tapeviz as tf
    >>> cell = tf.keras.layers.StackedRNNCells([tf.keras.layers.GRUCell(4), tf.keras.layers.LSTMCell(2)])
    >>> cell.state_size, tf.keras.layers.RNN(cell)(tf.zeros([3, 5, 6])).shape
    ([4, [2, 2]], TensorShape([3, 2]))
    """

    _parts_ = ("cells",)

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for cell in cells:
            for needed, article in (("call", "method"), ("state_size", "attribute")):
                if needed not in dir(cell):
                    shown = "a `call` method" if needed == "call" else "a `state_size`"
                    raise ValueError(
                        f"All cells must have a `{needed}` {article}. Received cell without {shown}: {cell}"
                    )
        self.cells = cells

    @property
    def state_size(self) -> list[Any]:
        """The length of each cell's state, or a list of lengths if it has several."""
        return [cell.state_size for cell in self.cells]

    @property
    def output_size(self) -> Any:
        """The length of the last cell's output."""
        return output_size_of(self.cells[-1])

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """The states of each cell for the first step."""
        return [initial_state_of(cell, batch_size, self.compute_dtype) for cell in self.cells]

    def build(self, input_shape: Any) -> None:
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                cell.build(input_shape)
            input_shape = (input_shape[0], output_size_of(cell))

    def call(self, inputs: Any, states: Any, training: bool = False, **kwargs: Any) -> Any:
        after = []
        for cell, before in zip(self.cells, states, strict=False):
            nested = nest.is_nested(before)
            inputs, new = cell(inputs, list(before) if nested else [before], **kwargs)
            after.append(new if nested or len(new) != 1 else new[0])
        return inputs, after[0] if len(after) == 1 else after


def output_size_of(cell: Any) -> Any:
    """The length of a cell's output: its `output_size`, or else the length of its first state."""
    size = getattr(cell, "output_size", None)
    if size is not None:
        return size
    return cell.state_size[0] if isinstance(cell.state_size, (list, tuple)) else cell.state_size


def initial_state_of(cell: Any, batch_size: Any, dtype: Any) -> Any:
    """The states of a cell for the first step: from its `get_initial_state`, or else zeros."""
    if hasattr(cell, "get_initial_state"):
        return cell.get_initial_state(batch_size=batch_size)
    return nest.map_structure(lambda size: tf["zeros"]((batch_size, size), dtype=dtype), cell.state_size)
