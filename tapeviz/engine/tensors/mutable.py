"""The base of TensorFlow's variables and of Keras': a tensor whose value can be assigned, and every write is logged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np

from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.graph_mode.building import FuncGraph, in_graph
from tapeviz.engine.notes import note, note_leaf
from tapeviz.engine.op_errors.conversions import another_conversion
from tapeviz.engine.op_errors.reasons import different_update_shape
from tapeviz.engine.recording import current
from tapeviz.engine.specs.dtypes import of_numpy
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.array_text import array_repr
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor, leaf, make
from tapeviz.engine.values.convert import array_of
from tapeviz.errors import InvalidArgumentError
from tapeviz.events.raw import next_id
from tapeviz.events.types import StateWritten

on_creation: ContextVar[Callable[[MutableTensor], None] | None] = ContextVar("tapeviz.on_creation", default=None)
"""What is called with every new variable, such as by the `tf.function` whose body runs."""

prefix: ContextVar[str] = ContextVar("tapeviz.prefix", default="")
"""The prefix of the names of new variables: that of the open `tf.name_scope`."""


def unassignable(variable: Any, shape: tuple[int, ...]) -> str:
    """The message about a variable that is assigned a value of another shape."""
    return (
        f"Cannot assign value to variable ' {variable.name}': Shape mismatch."
        f"The variable shape {variable.shape}, and the assigned value shape {shape} are incompatible."
    )


class MutableTensor(TensorLike):
    """A tensor whose value can be assigned: a `tf.Variable`, or a variable of Keras, which is none."""

    __slots__ = ("__dict__", "_declared", "_label", "_prefix", "_self_watched", "_trainable", "constraint")

    _role = "variable"

    def _require_value(
        self, error: type[Exception], said: str, *, rewritable: bool = False, outside: bool = False
    ) -> None:
        if not rewritable:
            error = NotImplementedError
        elif error is TypeError:  # a variable as a Python number is `.numpy()` of what is read from it
            error = AttributeError
        super()._require_value(error, said, rewritable=rewritable, outside=outside)

    def _is_in(self, graph: FuncGraph) -> bool:
        return True

    def __init__(
        self,
        value: object,
        trainable: bool,
        name: str | None,
        constraint: object = None,
        shape: TensorShape | None = None,
        parents: tuple[int, ...] = (),
    ) -> None:
        """Hold an array; `shape` is by default that of the array, `parents` the ids of the tensors it was made from."""
        self._value = value
        self._declared = shape
        self._id = next_id()
        self._traces = ()
        self._trainable = self._self_watched = trainable
        self.constraint = constraint
        self._label = name
        self._prefix = prefix.get()
        leaf(self, "variable")
        note_leaf(self, parents)
        if (told := on_creation.get()) is not None:
            told(self)

    @property
    def name(self) -> str:
        return f"{self._prefix}{'Variable' if self._label is None else self._label}:0"

    @property
    def trainable(self) -> bool:
        return self._trainable

    @property
    def _watched(self) -> MutableTensor:
        """The object that `watched_variables` of a tape lists for it."""
        return self

    @property
    def shape(self) -> TensorShape:
        return TensorShape.of_array(self._value) if self._declared is None else self._declared

    def is_initialized(self, name: str | None = None) -> Any:
        """True: a variable has a value from the start."""
        return make(np.bool_(True))

    def _read(self) -> None:
        now = current.get()
        if self._traces is not now.traces:
            now.meet(self)

    def value(self) -> Any:
        """A tensor of its present value."""
        return OPS["identity"](self)

    def read_value(self) -> Any:
        """A tensor of its present value."""
        return OPS["identity"](self)

    def __array__(self, dtype: object = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return super().__array__(dtype, copy=True)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.read_value())

    def assign(self, value: object) -> Any:
        """Write a new value."""
        raise NotImplementedError

    def _change(self, delta: object, how: str) -> Any:
        """The array to add to the value, or to subtract from it."""
        array = self._incoming(delta, how)
        if array.shape != self._value.shape:
            told = different_update_shape(self._value.shape, array.shape)
            raise InvalidArgumentError(f"{told}. In {how} of {self._called()}: nothing is broadcast.")
        if array.dtype.kind in "bO":
            raise InvalidArgumentError(
                f"{how} of {self._called()} takes numbers, not {of_numpy(array.dtype).name}. Write assign(value)."
            )
        return array

    def _incoming(self, value: Any, how: str) -> Any:
        """The array of a value that is written; `how` names the method, for errors."""
        mine = self._dtype
        if isinstance(value, IndexedSlices):
            value = convert_to_tensor(value, mine)
        if isinstance(value, TensorLike) and value._dtype is not mine:
            said = another_conversion(mine, value)
            raise ValueError(f"{said}. In {how} of the variable {self._called()}: use tf.cast.")
        if isinstance(value, (list, tuple, TensorShape)):
            value = convert_to_tensor(value, mine)
        if isinstance(value, TensorLike):
            value._read()
        array = array_of(value, mine)
        if how == "assign" and not self.shape.is_compatible_with(array.shape):
            raise ValueError(unassignable(self, array.shape))
        return array

    def _write(self, source: object, value: object, how: str) -> None:
        """Set the value, and log it; `source` is what it was computed from, if that is a tensor."""
        self._read()
        self._value = value
        raw_id = source._id if isinstance(source, TensorLike) else None
        note(StateWritten, raw_id, self._id, value, how)

    def _called(self) -> str:
        return repr(self._label or "Variable")

    def __copy__(self) -> MutableTensor:
        return self

    def __len__(self) -> int:
        raise TypeError("A variable has no len(): use v.shape[0].")

    def __iadd__(self, other: object) -> Any:  # type: ignore[misc]
        raise self._in_place("+", "assign_add(value)")

    def __isub__(self, other: object) -> Any:  # type: ignore[misc]
        raise self._in_place("-", "assign_sub(value)")

    def __imul__(self, other: object) -> Any:  # type: ignore[misc]
        raise self._in_place("*", "assign(v * value)")

    def __itruediv__(self, other: object) -> Any:  # type: ignore[misc]
        raise self._in_place("/", "assign(v / value)")

    def __ipow__(self, other: object) -> Any:  # type: ignore[misc]
        raise self._in_place("**", "assign(v ** value)")

    def _in_place(self, operator: str, instead: str) -> RuntimeError:
        """The error for an operator such as `+=` on a variable."""
        return RuntimeError(
            f"v {operator}= value is not supported for the variable {self._called()}. Write v.{instead} to change it, "
            f"or y = v {operator} value for a new tensor."
        )

    def __hash__(self) -> int:
        raise TypeError(f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})")

    def __repr__(self) -> str:
        told = f"tf.Variable {self.name!r} shape={self.shape} dtype={self._dtype.name}"
        if in_graph.get() is not None:  # which knows no values
            return f"<{told}>"
        self._read()
        return f"<{told}, numpy={array_repr(self._value)}>"
