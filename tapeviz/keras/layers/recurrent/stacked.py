"""Several cells -> one: each takes what the one before it gives."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.api import EXPORTS as tf
from tapeviz.keras.layers.base.composite import CompositeLayer
from tapeviz.keras.layers.base.layer import Layer
from tapeviz.keras.serialization import tells_arguments


@tells_arguments
class StackedRNNCells(CompositeLayer):
    """Cells one on top of the other as one cell (`tf.keras.layers.StackedRNNCells`).

    Args:
        cells: a list of cells.

    Raises:
        ValueError: a cell without `call` or without `state_size`.

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
        """The length of every cell's state; a list where a cell has several."""
        return [cell.state_size for cell in self.cells]

    @property
    def output_size(self) -> Any:
        """The length of what the last one gives."""
        return output_size_of(self.cells[-1])

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """The states of every cell for the first step."""
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
    """The length of what a cell gives: that of its first state, unless it says another."""
    size = getattr(cell, "output_size", None)
    if size is not None:
        return size
    return cell.state_size[0] if isinstance(cell.state_size, (list, tuple)) else cell.state_size


def initial_state_of(cell: Any, batch_size: Any, dtype: Any) -> Any:
    """What a cell begins with: what it says, or zeros."""
    if hasattr(cell, "get_initial_state"):
        return cell.get_initial_state(batch_size=batch_size)
    return nest.map_structure(lambda size: tf["zeros"]((batch_size, size), dtype=dtype), cell.state_size)
