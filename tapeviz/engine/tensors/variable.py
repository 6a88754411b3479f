"""`tf.Variable`: a tensor whose value can be assigned, and which tapes watch by themselves."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine.op_errors.conversions import another_conversion
from tapeviz.engine.specs.dtypes import DType
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.tensors.graph_era import OfGraphs, VariableAggregation, VariableSynchronization, mode_of
from tapeviz.engine.tensors.known_as import Shown, known_as, methods_known_as
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tensors.parts import InParts
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor, parents_of
from tapeviz.engine.values.convert import array_of, dtype_or_none, in_range

OF_VARIABLES = "tensorflow.python.ops.resource_variable_ops"
"""TensorFlow's module of the classes of variables."""


def _require_one_value(initial_value: Any, variable_def: Any, name: Any) -> None:
    """Raise ValueError unless there is exactly one initial value, and the name is None or a string."""
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


@methods_known_as("BaseResourceVariable", InParts, MutableTensor)
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

    def __new__(cls, *args: Any, **options: Any) -> Variable:
        return super().__new__(ResourceVariable if cls is Variable else cls)

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
        if trainable is None:  # as in TensorFlow, copies that are summed when they are read are not trained
            trainable = self.synchronization is not VariableSynchronization.ON_READ
        super().__init__(value, bool(trainable), name, constraint, declared, parents)
        self._trainable = trainable  # as it was given

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Write a new value of the same shape.

        Raises:
            ValueError: another shape, or a tensor of another dtype.
            TypeError: a number that does not fit the dtype.
        """
        return self._written(value, self._incoming(value, "assign"), "assign", read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Add to the value in place.

        Raises:
            InvalidArgumentError: another shape, as nothing is broadcast; truth values, or texts.
        """
        return self._written(delta, self._value + self._change(delta, "assign_add"), "assign_add", read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Subtract from the value in place."""
        return self._written(delta, self._value - self._change(delta, "assign_sub"), "assign_sub", read_value)

    def _written(self, source: Any, value: Any, how: str, read_value: bool = True) -> Any:
        """Write a value. Returns the result of the assignment."""
        self._write(source, value, how)
        return UnreadVariable(self) if read_value else None

    def __reduce__(self) -> tuple[Any, ...]:
        """A deep copy, or an unpickled one, is a new variable with the same value."""
        name = None if self._label is None else f"{self._prefix}{self._label}"
        return partial(
            type(self), np.array(self._value), trainable=self.trainable, name=name, constraint=self.constraint
        ), ()


@known_as("ResourceVariable", OF_VARIABLES)
class ResourceVariable(Variable, metaclass=Shown):
    """The class of the objects that `tf.Variable(...)` makes."""

    __slots__ = ()


def _initial(value: Any, wanted: DType | None, parents: tuple[int, ...]) -> Any:
    """The initial value of a variable as an array; `parents` are the ids of the tensors in the value."""
    if isinstance(value, TensorLike) and wanted not in (None, value._dtype):
        raise ValueError(f"initial_value: {another_conversion(wanted, value)}")
    if isinstance(value, TensorShape) or (isinstance(value, (list, tuple)) and parents):
        value = convert_to_tensor(value, wanted)
    array = array_of(value, wanted)
    return in_range(value, array) if wanted is None else array


def _of_the_variable(field: str) -> Any:
    """A property of a view that is a field of the variable behind it."""
    return property(lambda self: getattr(self._behind, field), lambda self, value: setattr(self._behind, field, value))


@known_as("ResourceVariable", OF_VARIABLES)
class VariableView(Variable, metaclass=Shown):
    """Another object for the same variable, which may be used in its place."""

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


@known_as("_UnreadVariable", OF_VARIABLES)
class UnreadVariable(VariableView):
    """The result of an assignment: the variable, under this name."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return "UnreadVariable"

    @property
    def trainable(self) -> bool:
        return True
