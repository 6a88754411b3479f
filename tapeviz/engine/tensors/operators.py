"""Python's operators and indexing on tensors and variables -> ops; attached when all ops are defined."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from tapeviz.engine.calling.call import binary, caller
from tapeviz.engine.calling.operands import beside
from tapeviz.engine.functions.array.index_entries import entries_of, is_mask
from tapeviz.engine.functions.array.indexing import getitem
from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.engine.functions.math.complex import abs as absolute
from tapeviz.engine.rules.stand_in import StandIn
from tapeviz.engine.specs.dtypes import bool_, int32
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tensors.parts import VariableSlice
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor, make
from tapeviz.engine.values.convert import holds_tensors
from tapeviz.errors import InvalidArgumentError

BINARY = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "floordiv": "floordiv",
    "mod": "mod",
    "pow": "pow",
    "matmul": "matmul",
    "and": "logical_and",
    "or": "logical_or",
    "xor": "logical_xor",
}
COMPARISONS = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
UNARY = {"neg": "neg", "invert": "logical_not", "abs": "abs"}


def attach() -> None:
    """Set the operators of tensors, variables and stand-ins for arrays."""
    functions = {python: OPS[name].call for python, name in (COMPARISONS | UNARY).items()}
    for python, name in BINARY.items():
        called = binary(OPS[name], f"__r{python}__")
        functions[python] = caller(OPS[name], _of_two(_truths_too(called) if python == "mul" else called))
        functions[f"r{python}"] = _reflected(OPS[name].call)
    for operand in (TensorLike, StandIn):
        for python, function in functions.items():
            setattr(operand, f"__{python}__", function)
    own = {
        "eq": _equality("equal", unlike=False),
        "ne": _equality("not_equal", unlike=True),
        "getitem": getitem,
        "abs": absolute,
        "neg": EXPORTS["negative"],
    }
    for python, function in own.items():
        setattr(TensorLike, f"__{python}__", function)
    MutableTensor.__getitem__ = _variable_slice
    Tensor.cpu = _on_cpu  # type: ignore[attr-defined]


def _on_cpu(self: Tensor) -> Any:
    """A copy of the tensor: programs that run on a GPU elsewhere call this before `numpy()`."""
    return EXPORTS["identity"](self)


def _of_two(call: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The function with exactly two parameters, as Python's `pow` could pass on a third argument."""
    return lambda x, y: call(x, y)


def _truths_too(times: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`x * y`; for booleans, whether the product of both, cast to int32, is not 0.

    As in TensorFlow, a variable of booleans counts as such only on the left.
    """

    def call(x: Any, y: Any) -> Any:
        if x.dtype is bool_:
            with suppress(TypeError, ValueError):  # an operand that cannot be read may have an operator of its own
                return _of_whole_parts(x, y)
        try:
            return times(x, y)
        except InvalidArgumentError:
            if not (isinstance(y, Tensor) and y.dtype is bool_):
                raise
        return _of_whole_parts(x, y)

    return call


def _of_whole_parts(x: object, y: object) -> Any:
    right, left = (EXPORTS["cast"](each, int32) for each in (y, x))
    return EXPORTS["cast"](OPS["mul"](left, right), bool_)


def _reflected(call: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda y, x: call(x, y)


def _variable_slice(variable: Any, index: Any) -> Any:
    picked = getitem(variable, index)
    return picked if is_mask(index) else VariableSlice(variable, entries_of(index), picked)


def _equality(op: str, unlike: bool) -> Callable[[Any, Any], Any]:
    """== or !=, which gives `unlike` if values cannot be compared: None, or shapes that do not broadcast."""

    def compare(x: Any, y: Any) -> Any:
        if y is None and isinstance(x, Tensor):
            return unlike
        y = convert_to_tensor(y, x.dtype) if holds_tensors(y) else y
        return OPS[op](x, y) if _broadcast(x, y) else make(np.bool_(unlike))

    return compare


def _broadcast(x: Any, y: Any) -> bool:
    """Whether the op can compare them, or will refuse them because of their dtypes: if not, they are unequal."""
    if isinstance(y, TensorLike) and y._dtype is not x._dtype:
        return True
    shape = y._value.shape if isinstance(y, TensorLike) else beside(y, x._value.dtype, "equal").shape
    try:
        np.broadcast_shapes(x._value.shape, shape)
    except ValueError:
        return False
    return True
