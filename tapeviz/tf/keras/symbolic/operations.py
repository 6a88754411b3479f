"""Python's operators and indexing on placeholders -> calls, as of layers without weights (`keras.Operation`)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial, wraps
from inspect import signature
from typing import Any

import numpy as np

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.engine.graph_mode.building import building
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.values.constant import constant
from tapeviz.tf.keras import naming
from tapeviz.tf.keras.symbolic.placeholders import KerasTensor, LayerCall, Lengths, is_symbolic
from tapeviz.tf.keras.symbolic.promotion import kind_of, result_type
from tapeviz.tf.tracing.dry_run import undone
from tapeviz.tf.tracing.result_specs import results_of

Function = Callable[..., Any]
ShapeAndDtype = tuple[Any, Any]
MODULE = "keras.src."
"""The prefix of the modules of operations in Keras."""


class Operation:
    """A function of placeholders, which is called like a layer and has no weights.

    Args:
        kind: the name of its class in Keras, such as "Add".
        name: its own name; by default, that of the class in snake case.
        options: its arguments that are not operands.

    >>> import tapeviz as tf
    >>> Operation("Add")(tf.keras.Input((3,)), 1.0).shape
    (None, 3)
    """

    weights: tuple[Any, ...] = ()
    _placements_ = 0
    _placed_: LayerCall | None = None

    def __init__(self, kind: str, name: str | None = None, **options: Any) -> None:
        self._kind_ = kind
        self.name = naming.unique(naming.snake_case(kind)) if name is None else name
        self.options = options
        self.row = OPERATIONS[kind]

    def __call__(self, *operands: Any, training: bool | None = None) -> Any:
        function = partial(self.row.function, **self.options)
        if not is_symbolic(operands):
            return function(*operands)
        call = LayerCall(self, operands, {})
        call.outputs = KerasTensor(*self.row.result_of(function, operands), call)
        self._placed_ = self._placed_ or call
        return call.outputs

    def get_config(self) -> dict[str, Any]:
        """The name and the options."""
        return {"name": self.name, **self.options}


class _Row:
    """A kind of operation."""

    def __init__(
        self, method: str, function: Function, result_of: Callable[..., ShapeAndDtype], module: str = "ops.numpy"
    ) -> None:
        self.method = method
        """The name of the method of placeholders: "__add__"."""
        self.function = function
        """The function of tensors and other operands."""
        self.result_of = result_of
        """The function and the operands, some of which are placeholders -> the shape and dtype of the result."""
        self.module = MODULE + module


# ----- operators of numbers, which are broadcast and promoted to one dtype -----


def _floats(*kinds: Any) -> str:
    return result_type(*kinds, float)


def _numbers(*kinds: Any) -> str:
    """As `result_type`, but int32 for booleans."""
    met = result_type(*kinds)
    return "int32" if met == "bool" else met


def _truth(*kinds: Any) -> str:
    return "bool"


def meeting(
    python: str, computed_in: Callable[..., str], *, compares: bool = False, function: Any = None, shape_of: Any = None
) -> _Row:
    """The row of one of Python's operators.

    Args:
        python: its name in Python.
        computed_in: a function of the dtypes of the operands that returns the one that they are promoted to.
        compares: whether the result is boolean.
        function: the function that computes it; by default, the operator.
        shape_of: a function of the shapes of the operands that returns that of the result; by default, they are
            broadcast.
    """
    function = function or getattr(operator, f"__{python}__")

    def meet(*operands: Any) -> Any:
        dtype = computed_in(*map(kind_of, operands))
        literals = () if dtype == "bool" else (int, float)  # which take the dtype of the tensors beside them
        return function(*[each if type(each) in literals else EXPORTS["cast"](each, dtype) for each in operands])

    def result_of(_: Function, operands: tuple[Any, ...]) -> ShapeAndDtype:
        dtype = computed_in(*map(kind_of, operands))
        shapes = [tuple(getattr(each, "shape", ())) for each in operands]
        return (shape_of or _broadcast)(*shapes), "bool" if compares else dtype

    return _Row(f"__{python}__", meet, result_of)


def _multiplied(x: Any, y: Any) -> Any:
    """The matrix product, of vectors too."""
    return EXPORTS["tensordot"](x, y, 1) if 1 in (x.ndim, y.ndim) else x @ y


def _product(one: Lengths, other: Lengths) -> Lengths:
    """The shape of a matrix product; a vector counts as a row on the left, and as a column on the right.

    Raises:
        ValueError: their inner lengths differ, or their batches do not broadcast.
    """
    if not one or not other:
        raise ValueError(f"A matrix product needs axes. Input shapes are: {list(one)} and {list(other)}.")
    inner = (one[-1], other[0] if len(other) == 1 else other[-2])
    if None not in inner and inner[0] != inner[1]:
        raise ValueError(
            f"Inner dimensions (`x1.shape[-1]` and `x2.shape[-2]`) must be equal, but received {inner[0]} and "
            f"{inner[1]}. Input shapes are: {list(one)} and {list(other)}."
        )
    return (*_broadcast(one[:-2], other[:-2]), *one[-2:-1], *other[-1:][: len(other) - 1])


def _broadcast(*shapes: Lengths) -> Lengths:
    """The shape that these broadcast to.

    Raises:
        ValueError: they do not.
    """
    rank = max(map(len, shapes))
    columns = zip(*[(1,) * (rank - len(shape)) + shape for shape in shapes], strict=True)
    try:
        return tuple(_length(column) for column in columns)
    except ValueError as error:
        given = " and ".join(str(list(shape)) for shape in shapes)
        raise ValueError(f"Cannot broadcast shape, {error}. Input shapes are: {given}.") from None


def _length(lengths: Lengths) -> int | None:
    """The length that the lengths of one axis broadcast to.

    Raises:
        ValueError: they do not broadcast.
    """
    known = list(dict.fromkeys(each for each in lengths if each not in (1, None)))
    if len(known) > 1:
        raise ValueError(f"the failure dim has value {known[0]}, which cannot be broadcasted to {known[1]}")
    return known[0] if known else None if None in lengths else 1


# ----- operations whose result is found by a dry run -----


def _tried(function: Function, operands: tuple[Any, ...]) -> ShapeAndDtype:
    """The shape and dtype of the result of a function of placeholders and other operands, by a dry run.

    If it fails for some values of unknown lengths, these are taken for 1.

    Raises:
        ValueError: it fails then as well.
    """
    places = [isinstance(each, KerasTensor) for each in operands]

    def of_places(given: Any) -> Any:
        tensors = iter(given)
        with building(given, rewritten=False):
            return function(*[next(tensors) if on else each for on, each in zip(places, operands, strict=True)])

    specs = tuple(TensorSpec(each.shape, each.dtype) for each in operands if isinstance(each, KerasTensor))
    found = results_of(of_places, specs)
    if found is None:
        with undone(), building():
            found = TensorSpec.of(of_places([_one(spec) for spec in specs]))
    return found.shape, found.dtype


def _one(spec: TensorSpec) -> Any:
    return constant(np.ones([each or 1 for each in spec.shape], spec.dtype.as_numpy_dtype))


def _reshape(x: Any, *, newshape: Any) -> Any:
    return EXPORTS["reshape"](x, newshape)


def _squeeze(x: Any, *, axis: Any) -> Any:
    return EXPORTS["squeeze"](x, axis)


# ----- all of them -----

OPERATIONS = {
    "Add": meeting("add", result_type),
    "Subtract": meeting("sub", result_type),
    "Multiply": meeting("mul", result_type),
    "TrueDivide": meeting("truediv", _floats),
    "FloorDivide": meeting("floordiv", _numbers),
    "Mod": meeting("mod", _numbers),
    "Power": meeting("pow", result_type),
    "LogicalAnd": meeting("and", _truth),
    "LogicalOr": meeting("or", _truth),
    "LogicalXor": meeting("xor", _truth),
    "Matmul": meeting("matmul", _numbers, function=_multiplied, shape_of=_product),
    "Less": meeting("lt", result_type, compares=True),
    "LessEqual": meeting("le", result_type, compares=True),
    "Greater": meeting("gt", result_type, compares=True),
    "GreaterEqual": meeting("ge", result_type, compares=True),
    "NotEqual": meeting("ne", result_type, compares=True),
    "Negative": meeting("neg", result_type),
    "Absolute": meeting("abs", result_type),
    "LogicalNot": meeting("invert", _truth),
    "GetItem": _Row("__getitem__", operator.getitem, _tried),
    "Reshape": _Row("reshape", _reshape, _tried),
    "Squeeze": _Row("squeeze", _squeeze, _tried),
}
REFLECTED = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "matmul")


def _method(kind: str) -> Callable[..., KerasTensor]:
    return lambda self, *others: Operation(kind)(self, *others)


def _reflected(kind: str) -> Callable[..., KerasTensor]:
    return lambda self, other: Operation(kind)(other, self)


def _reshaped(self: KerasTensor, newshape: Any) -> Any:
    """The placeholder of the same numbers in another shape, of which one length may be -1."""
    return Operation("Reshape", newshape=newshape)(self)


def _squeezed(self: KerasTensor, axis: Any = None) -> Any:
    """The placeholder without its axes of length 1, or without one of them."""
    return Operation("Squeeze", axis=axis)(self)


for _kind, _row in OPERATIONS.items():
    setattr(KerasTensor, _row.method, _method(_kind))
    if _row.method.strip("_") in REFLECTED:
        setattr(KerasTensor, f"__r{_row.method.strip('_')}__", _reflected(_kind))
KerasTensor.reshape, KerasTensor.squeeze = _reshaped, _squeezed  # type: ignore[attr-defined]


def on_placeholders(kind: str, module: str = "ops.nn") -> Callable[[Function], Function]:
    """A decorator of a function of a tensor and options. For a placeholder, it becomes an operation.

    Args:
        kind: the name of the operation's class in Keras.
        module: the module of that class.
    """

    def of_either(function: Function) -> Function:
        OPERATIONS[kind] = _Row("", function, _tried, module)
        told = signature(function)

        @wraps(function)
        def called(x: Any, *args: Any, **kwargs: Any) -> Any:
            if not isinstance(x, KerasTensor):
                return function(x, *args, **kwargs)
            given = told.bind(x, *args, **kwargs)
            given.apply_defaults()
            _, *options = given.arguments.items()
            return Operation(kind, **dict(options))(x)

        return called

    return of_either
