"""`tf.Variable`: a tensor whose value can be assigned, and which tapes watch by themselves."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine.op_errors.conversions import another_conversion
from tapeviz.engine.specs.dtypes import DType
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tensors.parts import InParts
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor, parents_of
from tapeviz.engine.values.convert import array_of, dtype_or_none, in_range


def _require_one_value(initial_value: object, variable_def: object, name: object) -> None:
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


class Variable(InParts, MutableTensor):
    """A tensor whose value can be changed (`tf.Variable`).

    Args:
        initial_value: a number, a list, an array or a tensor, or a function that returns one. It is copied.
        trainable: whether tapes watch it when it is read.
        validate_shape: ignored, as are `caching_device`, `variable_def`, `import_scope`, `synchronization` and
            `aggregation`.
        name: a name for pictures and errors; by default, the name that it is assigned to in the source.
        dtype: the dtype; by default that of the value.
        constraint: a function that an optimizer applies to the value after each step.
        shape: a shape that fits the value. A length that is None may change later.

    Raises:
        ValueError: there is no value, it is a ragged list or a tensor of another dtype, or does not fit the `shape`;
            or the name is not a string.
        TypeError: the value does not fit the dtype.

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
        caching_device: object = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: Any = None,
        import_scope: object = None,
        constraint: object = None,
        synchronization: object = None,
        aggregation: object = None,
        shape: object = None,
        experimental_enable_variable_lifting: bool = True,
        **ignored: object,
    ) -> None:
        _require_one_value(initial_value, variable_def, name)
        if ignored:
            warnings.warn(f"tf.Variable has no argument {', '.join(ignored)}: it is ignored.", stacklevel=2)
        if callable(initial_value) and not isinstance(initial_value, TensorLike):
            initial_value = initial_value()
        if hasattr(initial_value, "_dense"):
            initial_value = convert_to_tensor(initial_value, dtype)
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
        super().__init__(value, trainable is None or bool(trainable), name, constraint, declared, parents)
        self._trainable = True if trainable is None else trainable  # as it was given

    def assign(
        self, value: object, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Set the value.

        Args:
            value: the new value, of the same shape.
            use_locking: ignored.
            name: ignored.
            read_value: whether the variable is returned; otherwise None.

        Raises:
            ValueError: another shape, or a tensor of another dtype.
            TypeError: a number that does not fit the dtype.
        """
        return self._written(value, self._incoming(value, "assign"), "assign", read_value)

    def assign_add(
        self, delta: object, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Add to the value.

        Raises:
            InvalidArgumentError: another shape, as nothing is broadcast; or booleans or strings.
        """
        return self._written(delta, self._value + self._change(delta, "assign_add"), "assign_add", read_value)

    def assign_sub(
        self, delta: object, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Variable:
        """Subtract from the value. Errors are those of `assign_add`."""
        return self._written(delta, self._value - self._change(delta, "assign_sub"), "assign_sub", read_value)

    def _written(self, source: object, value: object, how: str, read_value: bool = True) -> Any:
        """Write a value. Returns the result of the assignment."""
        self._write(source, value, how)
        return UnreadVariable(self) if read_value else None

    def __reduce__(self) -> tuple[Any, ...]:
        """A deep copy, or an unpickled one, is a new variable with the same value."""
        name = None if self._label is None else f"{self._prefix}{self._label}"
        return partial(
            type(self), np.array(self._value), trainable=self.trainable, name=name, constraint=self.constraint
        ), ()


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


class VariableView(Variable):
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


class UnreadVariable(VariableView):
    """The result of an assignment: the variable, under this name."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return "UnreadVariable"

    @property
    def trainable(self) -> bool:
        return True
