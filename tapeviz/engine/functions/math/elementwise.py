"""Elementwise functions under TensorFlow's names: those that ops' rows tell of, and some that check otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.engine.calling.call import caller
from tapeviz.engine.facts import Public
from tapeviz.engine.functions.arguments import number_of, tensor_of, together
from tapeviz.engine.functions.exports import export
from tapeviz.engine.op import Op
from tapeviz.engine.op_dtypes import TAKES, row_of_function
from tapeviz.engine.op_errors.dtypes import QUOTIENTS
from tapeviz.engine.ops import gamma
from tapeviz.engine.ops import math as ops
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.events import catalog


def _of_one(op: Op) -> Callable[..., Any]:
    row = row_of_function(op.name)

    def checked(x: object, name: str | None = None) -> Any:
        return op.call(number_of(x, row))

    return checked


def _of_two(op: Op) -> Callable[..., Any]:
    row = row_of_function(op.name)
    taken = TAKES[row]

    def checked(x: Any, y: Any, name: str | None = None) -> Any:
        if isinstance(x, TensorLike) and isinstance(y, TensorLike) and x._value.dtype == y._value.dtype in taken:
            return op.call(x, y)
        if op.name in QUOTIENTS:
            if not isinstance(x, TensorLike):
                x = convert_to_tensor(x, y._dtype if isinstance(y, TensorLike) else None)
            y = y if isinstance(y, TensorLike) else convert_to_tensor(y, dtype_hint=x._dtype)
        return op.call(*together(row, x, y))

    return checked


def function_of(op: Op, public: Public) -> Callable[..., Any]:
    """The public function of an op of one or two tensors: it checks their dtypes, and calls the op."""
    checked = _of_one(op) if len(op.arguments) == 1 else _of_two(op)
    operands = tuple(public.operands.split()) or op.arguments
    checked.__code__ = checked.__code__.replace(co_varnames=(*operands, "name"))
    function = caller(op, checked)
    known = catalog.ROWS.get(op.name)
    edges = "".join([f"\n\n    Edge: {edge}." for edge in known.edges()] if known else [])
    function.__doc__ = f"{public.what}\n\n    {_OVER[len(operands)].format(*operands)}{edges}\n    "
    return function


_OVER = {
    1: "Computed for each element of `{}`, a tensor or what can become one.",
    2: "Computed for each pair of elements of `{}` and `{}`, of one dtype and broadcast together.",
}

for _op in OPS.values():
    if _op.public is not None:
        export(*_op.public.names.split())(function_of(_op, _op.public))


@export("round", "math.round")
def round_(x: Any, name: str | None = None) -> Any:
    """The nearest integer of each element, in its dtype; halves are rounded to the even one. No gradient.

    Args:
        x: a tensor of numbers. Integers are returned unchanged.

    >>> import tapeviz as tf
    >>> tf.round([0.5, 1.5, 2.6]).numpy().tolist()
    [0.0, 2.0, 3.0]
    """
    tensor = number_of(x, "round")
    return convert_to_tensor(tensor) if tensor.dtype.is_integer else ops.round(tensor)


@export("add", "math.add")
def add(x: object, y: object, name: str | None = None) -> Any:
    """The sum of two tensors, elementwise. Strings are concatenated.

    Args:
        x: a tensor, or what can become one. It decides on the dtype, even if it is a Python number and `y` a tensor.
        y: a tensor of the same dtype, broadcast with `x`.

    >>> import tapeviz as tf
    >>> tf.add([1, 2], 3).numpy().tolist()
    [4, 5]
    """
    return ops.add(*together("add", tensor_of(x), y))


@export("math.multiply_no_nan")
def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """The product of two tensors, elementwise; 0 where `y` is 0, even if `x` is NaN or infinite.

    Args:
        x: a tensor, or what can become one. It decides on the dtype, even if it is a Python number and `y` a tensor.
        y: a tensor of the same dtype, broadcast with `x`.

    Raises:
        ValueError: the tensors have different dtypes.

    >>> import tapeviz as tf
    >>> float(tf.math.multiply_no_nan(float("nan"), 0.0))
    0.0
    """
    x = tensor_of(x)
    return ops.multiply_no_nan(*together("multiply_no_nan", x, convert_to_tensor(y, x.dtype, name="y")))


@export("truediv", "math.truediv")
def truediv(x: object, y: object, name: str | None = None) -> Any:
    """The quotient of two tensors, elementwise. The quotient of integers is float64.

    Args:
        x: a tensor, or what can become one. It decides on the dtype, even if it is a Python number and `y` a tensor.
        y: a tensor of the same dtype, broadcast with `x`.

    Raises:
        TypeError: the tensors have different dtypes.

    >>> import tapeviz as tf
    >>> float(tf.truediv(1, 2))
    0.5
    """
    x = tensor_of(x)
    if isinstance(y, TensorLike) and x._dtype is not y._dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x._dtype!r} != {y._dtype!r}.")
    return ops.div(*together("truediv", x, y))


@export("math.atan2", "atan2")
def atan2(y: object, x: object, name: str | None = None) -> Any:
    """The angle of the point (x, y) from the positive x-axis, in radians, from -π to π, elementwise.

    Args:
        y: a tensor of floats, or what can become one.
        x: a tensor of the same dtype, broadcast with `y`.

    >>> import tapeviz as tf
    >>> round(float(tf.atan2(1.0, 1.0)), 4)
    0.7854
    """
    return ops.atan2(*together("atan2", y, x))


@export("math.polygamma")
def polygamma(a: object, x: object, name: str | None = None) -> Any:
    """The a-th derivative of `tf.math.digamma` at x, elementwise. No gradient flows to `a`.

    Args:
        a: a tensor of float32 or float64 with whole numbers.
        x: a tensor of the same dtype, broadcast with `a`.

    Raises:
        InvalidArgumentError: another dtype.

    >>> import tapeviz as tf
    >>> round(float(tf.math.polygamma(1.0, 1.0)), 4)
    1.6449
    """
    return gamma.polygamma(*together("polygamma", a, x))
