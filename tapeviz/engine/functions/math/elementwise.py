"""Elementwise functions under TensorFlow's names: a table of the plain ones, and those with a rule of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.engine.calling.call import caller
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

_UNARY = (
    # op, TensorFlow's names, what it computes
    ("neg", "negative math.negative", "The negative."),
    ("square", "square math.square", "The square."),
    ("sqrt", "sqrt math.sqrt", "The square root."),
    ("rsqrt", "math.rsqrt", "One over the square root."),
    ("reciprocal", "math.reciprocal", "One over x."),
    ("exp", "exp math.exp", "The exponential."),
    ("expm1", "math.expm1", "The exponential, less 1, exact for small x."),
    ("log", "math.log", "The natural logarithm."),
    ("log1p", "math.log1p", "The natural logarithm of 1 + x, exact for small x."),
    ("sin", "sin math.sin", "The sine of an angle in radians."),
    ("cos", "cos math.cos", "The cosine of an angle in radians."),
    ("tan", "tan math.tan", "The tangent of an angle in radians."),
    ("asin", "asin math.asin", "The inverse sine."),
    ("acos", "acos math.acos", "The inverse cosine."),
    ("atan", "atan math.atan", "The inverse tangent."),
    ("sinh", "sinh math.sinh", "The hyperbolic sine."),
    ("cosh", "cosh math.cosh", "The hyperbolic cosine."),
    ("tanh", "tanh math.tanh nn.tanh", "The hyperbolic tangent."),
    ("asinh", "asinh math.asinh", "The inverse hyperbolic sine."),
    ("acosh", "acosh math.acosh", "The inverse hyperbolic cosine."),
    ("atanh", "atanh math.atanh", "The inverse hyperbolic tangent."),
    ("sigmoid", "sigmoid math.sigmoid nn.sigmoid", "The logistic function."),
    ("erf", "math.erf", "The error function."),
    ("erfc", "math.erfc", "1 less the error function, exact where that is close to 1."),
    ("lgamma", "math.lgamma", "The logarithm of the absolute value of the gamma function."),
    ("digamma", "math.digamma", "The derivative of `lgamma`."),
    ("floor", "floor math.floor", "The largest integer that is not larger. No gradient."),
    ("ceil", "math.ceil", "The smallest integer that is not smaller. No gradient."),
    ("rint", "math.rint", "The nearest integer, halves to even. No gradient."),
    ("is_nan", "math.is_nan", "Whether it is NaN."),
    ("is_inf", "math.is_inf", "Whether it is infinite."),
    ("is_finite", "math.is_finite", "Whether it is neither infinite nor NaN."),
    ("logical_not", "logical_not math.logical_not", "Whether it is false."),
)

_BINARY = (
    ("sub", "subtract math.subtract", "The difference."),
    ("mul", "multiply math.multiply", "The product."),
    ("div", "divide math.divide", "The quotient; of integers, float64."),
    ("floordiv", "math.floordiv", "The quotient, rounded down. No gradient."),
    ("mod", "math.floormod math.mod", "The remainder of `floordiv`; it has the sign of y."),
    ("truncatediv", "truncatediv", "The quotient, rounded towards 0. No gradient."),
    ("truncatemod", "truncatemod", "The remainder of `truncatediv`; it has the sign of x."),
    ("pow", "pow math.pow", "x to the power of y."),
    ("maximum", "maximum math.maximum", "The larger one; the gradient of a tie goes to x."),
    ("minimum", "minimum math.minimum", "The smaller one; the gradient of a tie goes to x."),
    ("squared_difference", "math.squared_difference", "The square of the difference."),
    ("divide_no_nan", "math.divide_no_nan", "The quotient, and 0 where y is 0."),
    ("xdivy", "math.xdivy", "The quotient, and 0 where x is 0."),
    ("xlogy", "math.xlogy", "x log y, and 0 where x is 0."),
    ("xlog1py", "math.xlog1py", "x log(1 + y), and 0 where x is 0."),
    ("less", "less math.less", "Whether x < y."),
    ("less_equal", "less_equal math.less_equal", "Whether x <= y."),
    ("greater", "greater math.greater", "Whether x > y."),
    ("greater_equal", "greater_equal math.greater_equal", "Whether x >= y."),
    ("equal", "equal math.equal", "Whether x = y."),
    ("not_equal", "not_equal math.not_equal", "Whether x and y differ."),
    ("logical_and", "logical_and math.logical_and", "Whether both are true."),
    ("logical_or", "logical_or math.logical_or", "Whether one of them is true."),
    ("logical_xor", "math.logical_xor", "Whether exactly one of them is true."),
)


def _unary(op: Op) -> Callable[..., Any]:
    row = row_of_function(op.name)

    def checked(x: Any, name: str | None = None) -> Any:
        return op.call(number_of(x, row))

    return caller(op, checked)


def _binary(op: Op) -> Callable[..., Any]:
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

    return caller(op, checked)


def _fill_table() -> None:
    for rows, make, over in (
        (_UNARY, _unary, "Computed for each element of `x`, a tensor or what can become one."),
        (_BINARY, _binary, "Computed for each pair of elements of `x` and `y`, of one dtype and broadcast together."),
    ):
        for op, names, what in rows:
            function = make(OPS[op])
            row = catalog.row(op)
            assert row is not None
            edges = "".join(f"\n\n    Edge: {edge}." for edge in row.edges())
            function.__doc__ = f"{what}\n\n    {over}{edges}\n    "
            export(*names.split())(function)


_fill_table()


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
def add(x: Any, y: Any, name: str | None = None) -> Any:
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
def truediv(x: Any, y: Any, name: str | None = None) -> Any:
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
def atan2(y: Any, x: Any, name: str | None = None) -> Any:
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
def polygamma(a: Any, x: Any, name: str | None = None) -> Any:
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
