"""The variables of a `tf.while_loop` in a graph -> TensorFlow's errors if their dtypes change."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.graph_mode.building import FuncGraph
from tapeviz.engine.graph_mode.conditions import require_scalar
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.errors import InvalidArgumentError
from tapeviz.tf.api.tensor_array import TensorArray


def of_graph(value: Any) -> Any:
    """A value after it has passed through an op of a graph: a tensor, unless `is_kept` says that it is unchanged."""
    return value if is_kept(value) else tensor_of(value)


def is_kept(value: Any) -> bool:
    """Whether a value passes through an op of a graph unchanged: None, and other objects with a spec of their own."""
    return value is None or isinstance(value, (TensorArray, IndexedSlices)) or hasattr(value, "_type_spec")


def require_truth_value(condition: TensorLike) -> TensorLike:
    """The condition of a loop in a graph, after a check.

    Raises:
        InvalidArgumentError: it is not a single boolean.
    """
    require_boolean(condition)
    require_scalar(condition.shape)
    return condition


def require_boolean(condition: TensorLike) -> None:
    """Raise InvalidArgumentError unless a condition is of bool; TensorFlow finds that when it runs the graph."""
    if not condition.dtype.is_bool:
        raise InvalidArgumentError(
            f"A condition in a graph is a truth value, not {condition.dtype.name}: compare it with a number.",
            at_run=True,
        )


class LoopOfGraph:
    """The variables of a loop in a graph, and what the graph knows of them.

    Args:
        graph: the graph.
        values: the variables before the first iteration.
    """

    def __init__(self, graph: FuncGraph, values: Any) -> None:
        self._values = values
        self._begun = nest.flatten(values)
        self._names = [graph.name_of(each._id) if isinstance(each, Tensor) else None for each in self._begun]

    def after(self, found: Any) -> Any:
        """The variables after an iteration, in the structure of those before the first one.

        Args:
            found: what the body of the loop returned.

        Raises:
            AssertionError: a variable is None.
            ValueError: the structure has changed.
            TypeError: a dtype has changed.
        """
        found = found if nest.is_nested(found) else [found]
        nest.assert_same_structure(found, self._values, check_types=False)
        values = [of_graph(each) for each in nest.flatten(found)]
        missing = sum(new is None and old is not None for new, old in zip(values, self._begun, strict=True))
        if missing:
            raise AssertionError(
                f"The body of a loop gave None for {missing} of its variables: a `return` may be missing."
            )
        for index, new in enumerate(values):
            old = self._begun[index]
            if isinstance(old, Tensor) and isinstance(new, TensorLike) and new.dtype is not old.dtype:
                raise another_dtype_after_iteration(old, new, self._names[index] or "variable")
        return nest.pack_sequence_as(self._values, values)


def another_dtype_after_iteration(old: TensorLike, new: TensorLike, name: str = "variable") -> TypeError:
    """The error for a variable of a loop that has another dtype after an iteration."""
    return TypeError(
        f"The {name} of a loop is of {old.dtype.name} before it, and then of {new.dtype.name}: use tf.cast."
    )
