"""Python's operators and indexing on placeholders -> calls, as of layers without weights (`keras.Operation`)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine import trial
from tapeviz.engine.api import EXPORTS
from tapeviz.engine.constant import constant
from tapeviz.engine.spec import TensorSpec
from tapeviz.errors import as_in_graph
from tapeviz.keras import naming
from tapeviz.keras.symbolic.placeholders import Call, KerasTensor, Lengths
from tapeviz.keras.symbolic.promotion import kind_of, result_type

Function = Callable[..., Any]


class Operation:
    """A function of placeholders, called as a layer is; it has no weights."""

    weights: tuple[Any, ...] = ()
    placements = 0
    placed: Call | None = None

    def __init__(self, function: Function, name: str) -> None:
        self.function = function
        self.name = naming.unique(name)
        self.kind = "".join(word.capitalize() for word in name.split("_"))

    def __call__(self, *operands: Any, training: bool | None = None) -> Any:
        return self.function(*operands)


def _placed(function: Function, name: str, operands: tuple[Any, ...], shape: Any, dtype: Any) -> KerasTensor:
    """What a function gives for operands, of this shape and dtype."""
    made = Operation(function, name)
    made.placed = call = Call(made, operands, {})
    call.outputs = result = KerasTensor(shape, dtype, call)
    return result


# ----- operators of numbers, which are broadcast and meet in one dtype -----


def _floats(*kinds: Any) -> str:
    return result_type(*kinds, float)


def _numbers(*kinds: Any) -> str:
    """As `result_type`; truth values are counted."""
    met = result_type(*kinds)
    return "int32" if met == "bool" else met


def _truth(*kinds: Any) -> str:
    return "bool"


# Python's name, Keras' name, the dtype that it is computed in
_ARITHMETIC = (
    ("add", "add", result_type),
    ("sub", "subtract", result_type),
    ("mul", "multiply", result_type),
    ("truediv", "true_divide", _floats),
    ("floordiv", "floor_divide", _numbers),
    ("mod", "mod", _numbers),
    ("pow", "power", result_type),
    ("and", "logical_and", _truth),
    ("or", "logical_or", _truth),
    ("xor", "logical_xor", _truth),
    ("matmul", "matmul", _numbers),
)
_COMPARISONS = (
    ("lt", "less", result_type),
    ("le", "less_equal", result_type),
    ("gt", "greater", result_type),
    ("ge", "greater_equal", result_type),
    ("ne", "not_equal", result_type),
)
_UNARY = (
    ("neg", "negative", result_type),
    ("abs", "absolute", result_type),
    ("invert", "logical_not", _truth),
)


def _meeting(
    python: str, name: str, computed_in: Callable[..., str], *, reflected: bool = False, compares: bool = False
) -> Callable[..., KerasTensor]:
    """The method of an operator."""
    function, shape_of = getattr(operator, f"__{python}__"), _broadcast
    if python == "matmul":
        function, shape_of = _multiplied, _product

    def apply(self: KerasTensor, *others: Any) -> KerasTensor:
        operands = (*others, self) if reflected else (self, *others)
        dtype = computed_in(*map(kind_of, operands))
        met = partial(_met, function, dtype)
        shapes = [tuple(getattr(each, "shape", ())) for each in operands]
        return _placed(met, name, operands, shape_of(*shapes), "bool" if compares else dtype)

    return apply


def _met(function: Function, dtype: str, *operands: Any) -> Any:
    """What a function gives for operands of one dtype; Python's numbers take it from the tensors beside them."""
    literals = () if dtype == "bool" else (int, float)
    return function(*[each if type(each) in literals else EXPORTS["cast"](each, dtype) for each in operands])


def _multiplied(x: Any, y: Any) -> Any:
    """The matrix product, of vectors too."""
    return EXPORTS["tensordot"](x, y, 1) if 1 in (x.ndim, y.ndim) else x @ y


def _product(one: Lengths, other: Lengths) -> Lengths:
    """The shape of the matrix product of two; a vector is a row before it, and a column behind it.

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
    """The length of an axis on which these meet.

    Raises:
        ValueError: they do not broadcast.
    """
    known = list(dict.fromkeys(each for each in lengths if each not in (1, None)))
    if len(known) > 1:
        raise ValueError(f"the failure dim has value {known[0]}, which cannot be broadcasted to {known[1]}")
    return known[0] if known else None if None in lengths else 1


for _python, _name, _computed_in in _ARITHMETIC:
    setattr(KerasTensor, f"__{_python}__", _meeting(_python, _name, _computed_in))
    setattr(KerasTensor, f"__r{_python}__", _meeting(_python, _name, _computed_in, reflected=True))
for _python, _name, _computed_in in _COMPARISONS:
    setattr(KerasTensor, f"__{_python}__", _meeting(_python, _name, _computed_in, compares=True))
for _python, _name, _computed_in in _UNARY:
    setattr(KerasTensor, f"__{_python}__", _meeting(_python, _name, _computed_in))


# ----- whose result is found by trying -----


def _getitem(self: KerasTensor, index: Any) -> KerasTensor:
    return _tried(lambda x: x[index], "get_item", self)


def _reshape(self: KerasTensor, newshape: Any) -> KerasTensor:
    """The placeholder of the same numbers in another shape, of which one length may be -1."""
    return _tried(lambda x: EXPORTS["reshape"](x, newshape), "reshape", self)


def _squeeze(self: KerasTensor, axis: Any = None) -> KerasTensor:
    """The placeholder without its axes of length 1, or without one of them."""
    return _tried(lambda x: EXPORTS["squeeze"](x, axis), "squeeze", self)


for _python, _function in (
    ("__getitem__", _getitem),
    ("reshape", _reshape),
    ("squeeze", _squeeze),
):
    setattr(KerasTensor, _python, _function)


def _tried(function: Function, name: str, *operands: Any) -> KerasTensor:
    """What a function gives, with the shape and dtype of what it gives for values like the placeholders.

    Where it fails for some lengths that are open, they are 1.

    Raises:
        ValueError: it fails for these as well.
    """
    places = [isinstance(each, KerasTensor) for each in operands]

    def of_places(given: Any) -> Any:
        tensors = iter(given)
        return function(*[next(tensors) if on else each for on, each in zip(places, operands, strict=True)])

    specs = tuple(TensorSpec(each.shape, each.dtype) for each in operands if isinstance(each, KerasTensor))
    found = trial.results_of(of_places, specs)
    if found is None:
        with trial.undone(), as_in_graph():
            found = TensorSpec.of(of_places([_one(spec) for spec in specs]))
    return _placed(function, name, operands, found.shape, found.dtype)


def _one(spec: TensorSpec) -> Any:
    return constant(np.ones([each or 1 for each in spec.shape], spec.dtype.as_numpy_dtype))
