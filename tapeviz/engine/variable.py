"""Values that can be assigned to, and that tapes follow by themselves."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine.backward.slices import IndexedSlices
from tapeviz.engine.constant import convert_to_tensor, leaf, make, parents_of
from tapeviz.engine.convert import array_of, dtype_or_none, in_range
from tapeviz.engine.graph_era import OfGraphs, VariableAggregation, VariableSynchronization, mode_of
from tapeviz.engine.parts import InParts
from tapeviz.engine.recording import current, note, note_leaf
from tapeviz.engine.refusals.ops import another_conversion
from tapeviz.engine.refusals.sentences import unequal_update
from tapeviz.engine.specs.dtypes import DType
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.table import OPS
from tapeviz.engine.tensor import TensorLike, array_repr, known_as
from tapeviz.engine.tracing.building import Graph
from tapeviz.errors import InvalidArgumentError
from tapeviz.events.raw import next_id
from tapeviz.events.types import StateWritten

on_creation: ContextVar[Callable[[MutableTensor], None] | None] = ContextVar("tapeviz.on_creation", default=None)
"""Who is told of every new variable: the `tf.function` whose body runs."""


prefix: ContextVar[str] = ContextVar("tapeviz.prefix", default="")
"""What names of new variables begin with: the `tf.name_scope` that is entered."""


class MutableTensor(TensorLike):
    """What holds a value that can be assigned: a `tf.Variable`, or a variable of Keras, which is none."""

    __slots__ = ("__dict__", "_declared", "_label", "_prefix", "_self_watched", "_trainable", "constraint")

    _role = "variable"

    def _require_value(
        self, error: type[Exception], said: str, *, rewritable: bool = False, outside: bool = False
    ) -> None:
        if not rewritable:
            error, said = NotImplementedError, "numpy() is only available when eager execution is enabled"
        elif error is TypeError:  # a variable as a Python number is `.numpy()` of what is read from it
            error, said = AttributeError, "'SymbolicTensor' object has no attribute 'numpy'"
        super()._require_value(error, said, rewritable=rewritable, outside=outside)

    def _is_in(self, graph: Graph) -> bool:
        return True

    def __init__(
        self,
        value: Any,
        trainable: bool,
        name: str | None,
        constraint: Any = None,
        shape: TensorShape | None = None,
        parents: tuple[int, ...] = (),
    ) -> None:
        """Hold an array. The shape is the array's unless told, the parents are the tensors that the array was in."""
        self._value = value
        self._declared = shape
        self._id = next_id()
        self._traces = ()
        self._trainable = self._self_watched = trainable
        self.constraint = constraint
        self._label = name
        self._prefix = prefix.get()
        leaf(self)
        note_leaf(self, "variable", parents)
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
        """What a tape that watches it shows."""
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
        """A tensor of the value it has now."""
        return OPS["identity"](self)

    read_value = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.read_value())

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Write a new value of the same shape.

        Raises:
            ValueError: another shape, or a tensor of another dtype.
            TypeError: a number that does not fit the dtype.
        """
        return self._write(value, self._incoming(value, "assign"), "assign", read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Add to the value in place.

        Raises:
            InvalidArgumentError: another shape, as nothing is broadcast; truth values, or texts.
        """
        return self._write(delta, self._value + self._change(delta, "assign_add"), "assign_add", read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Subtract from the value in place."""
        return self._write(delta, self._value - self._change(delta, "assign_sub"), "assign_sub", read_value)

    def _change(self, delta: Any, how: str) -> Any:
        """What is added to the value, or subtracted from it."""
        array = self._incoming(delta, how)
        if array.shape != self._value.shape:
            raise InvalidArgumentError(
                f"{unequal_update(self.shape, array.shape)}. In {how} of {self._called()}: nothing is broadcast."
            )
        if array.dtype.kind in "bO":
            raise InvalidArgumentError(f"{how}: the variable {self._called()} is {self.dtype.name}, no number.")
        return array

    def _incoming(self, value: Any, how: str) -> Any:
        mine = self._dtype
        if isinstance(value, IndexedSlices):
            value = value._dense()
        if isinstance(value, TensorLike) and value._dtype is not mine:
            said = another_conversion(mine, value)
            raise ValueError(f"{said}. In {how} of the variable {self._called()}: use tf.cast.")
        if isinstance(value, (list, tuple, TensorShape)):
            value = convert_to_tensor(value, mine)
        if isinstance(value, TensorLike):
            value._read()
        array = array_of(value, mine)
        if how == "assign" and not self.shape.is_compatible_with(array.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch."
                f"The variable shape {self.shape}, and the assigned value shape {array.shape} are incompatible."
            )
        return array

    def _write(self, source: Any, value: Any, how: str, read_value: bool = True) -> Any:
        self._read()
        self._value = value
        raw_id = source._id if isinstance(source, TensorLike) else None
        note(StateWritten, raw_id, self._id, value, how)
        return UnreadVariable(self) if read_value else None

    def _called(self) -> str:
        return repr(self._label or "Variable")

    def __copy__(self) -> MutableTensor:
        return self

    def __len__(self) -> int:
        raise TypeError("object of type 'ResourceVariable' has no len(): use v.shape[0].")

    def __index__(self) -> int:
        raise TypeError("'ResourceVariable' object cannot be interpreted as an integer: use int(v).")

    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]
        raise self._in_place("variable", "+", "assign_add(value)")

    def __isub__(self, other: Any) -> Any:  # type: ignore[misc]
        raise self._in_place("variable", "-", "assign_sub(value)")

    def __imul__(self, other: Any) -> Any:  # type: ignore[misc]
        raise self._in_place("var", "*", "assign(var * value)")

    def __itruediv__(self, other: Any) -> Any:  # type: ignore[misc]
        raise self._in_place("var", "/", "assign(var / value)")

    def __ipow__(self, other: Any) -> Any:  # type: ignore[misc]
        raise self._in_place("var", "**", "assign(var ** value)")

    def _in_place(self, var: str, operator: str, instead: str) -> RuntimeError:
        """The error in TensorFlow's words."""
        return RuntimeError(
            f"`{var} {operator}= value` with `tf.Variable`s is not supported. Use `{var}.{instead}` to modify the "
            f"variable, or `out = {var} {operator} value` if you need to get a new output Tensor. "
            f"The variable is {self._called()}."
        )

    def __hash__(self) -> int:
        raise TypeError(f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})")

    def __repr__(self) -> str:
        self._read()
        value = array_repr(self._value)
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self._dtype.name}, numpy={value}>"


def _require_one_value(initial_value: Any, variable_def: Any, name: Any) -> None:
    """Raise ValueError unless a variable is given a value, in one way, and a name that is a text, or none."""
    if initial_value is None:
        raise ValueError(
            "The `initial_value` arg to `tf.Variable` must be specified except when you are not providing a "
            "`variable_def`. You provided neither."
        )
    if variable_def is not None:
        raise ValueError(
            "The variable_def and initial_value args to `tf.Variable` are mutually exclusive, but got both: "
            f"variable_def={variable_def},\ninitial_value={initial_value}"
        )
    if name is not None and not isinstance(name, str):
        raise ValueError(f"name for name_scope must be a string. The name of a variable is {name!r}.")


@known_as("ResourceVariable")
class Variable(InParts, OfGraphs, MutableTensor):
    """A mutable tensor (`tf.Variable`); a trainable one is watched by every open tape that reads it.

    Args:
        initial_value: a number, list, array or tensor (its value is copied), or a function that returns one.
        trainable: whether tapes watch it by themselves.
        name: a name for pictures and messages; without one, the name it is assigned to in the source is used.
        dtype: the dtype to convert `initial_value` to.
        constraint: a function from the value after a step of an optimizer to the one that it holds from there on.
        synchronization, aggregation: how copies on several machines would be made one; there is one copy here.
        shape: a shape that fits `initial_value`; where it says None, a later value may have any length.

    Raises:
        ValueError: no initial value, a ragged list, a tensor of another dtype, a shape that `shape` rules out, a name
            that is no text, an unknown mode of synchronization or aggregation.
        TypeError: `initial_value` does not fit `dtype`.

    >>> import tapeviz as tf
    >>> v = tf.Variable(2.0)
    >>> v.assign_add(1.0)
    <tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=3.0>
    """

    __slots__ = ()

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
        **ignored: Any,
    ) -> None:
        _require_one_value(initial_value, variable_def, name)
        if ignored:
            warnings.warn(f"tf.Variable has no argument {', '.join(ignored)}: it is ignored.", stacklevel=2)
        if aggregation is not None:
            self.aggregation = mode_of(VariableAggregation, aggregation, name)
        if synchronization is not None:
            self.synchronization = mode_of(VariableSynchronization, synchronization, name)
        if callable(initial_value) and not isinstance(initial_value, TensorLike):
            initial_value = initial_value()
        parents = parents_of(initial_value)
        value = _initial(initial_value, dtype_or_none(dtype), parents)
        if constraint is not None and not callable(constraint):
            given = f"Got a {type(constraint)}:  {constraint}"
            raise ValueError(f"Argument `constraint` must be None or a callable. a callable. {given}")
        declared = None if shape is None else TensorShape(shape)
        if declared is not None and not declared.is_compatible_with(value.shape):
            raise ValueError(
                f"In this `tf.Variable` creation, the initial value's shape ({value.shape}) is not compatible "
                f"with the explicitly supplied `shape` argument ({shape})."
            )
        if trainable is None:  # copies that are made one when they are read are not trained in TensorFlow
            trainable = self.synchronization is not VariableSynchronization.ON_READ
        super().__init__(value, bool(trainable), name, constraint, declared, parents)

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is copied in depth, and pickled: a variable of its own, of the same value."""
        name = None if self._label is None else f"{self._prefix}{self._label}"
        return partial(
            type(self), np.array(self._value), trainable=self.trainable, name=name, constraint=self.constraint
        ), ()


def _initial(value: Any, wanted: DType | None, parents: tuple[int, ...]) -> Any:
    """The array that a variable begins with; the parents are the tensors in the value."""
    if isinstance(value, TensorLike) and wanted not in (None, value._dtype):
        raise ValueError(f"initial_value: {another_conversion(wanted, value)}")
    if isinstance(value, TensorShape) or (isinstance(value, (list, tuple)) and parents):
        value = convert_to_tensor(value, wanted)
    array = array_of(value, wanted)
    return in_range(value, array) if wanted is None else array


def _of_the_variable(field: str) -> Any:
    """A property that is the field of the variable behind a view."""
    return property(lambda self: getattr(self._behind, field), lambda self, value: setattr(self._behind, field, value))


@known_as("ResourceVariable")
class VariableView(Variable):
    """A variable by another name, which may be used in its place."""

    __slots__ = ("_behind",)

    def __init__(self, behind: MutableTensor) -> None:
        self._behind: Any = behind

    def __reduce__(self) -> tuple[Any, ...]:
        behind: tuple[Any, ...] = self._behind.__reduce__()
        return behind


for _field in (
    "_declared",
    "_id",
    "_origin",
    "_traces",
    "_value",
    "constraint",
    "_label",
    "_self_watched",
    "_trainable",
):
    setattr(VariableView, _field, _of_the_variable(_field))


@known_as("_UnreadVariable")
class UnreadVariable(VariableView):
    """What an assignment returns."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return "UnreadVariable"
