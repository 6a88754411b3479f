"""Elementwise functions under TensorFlow's names: a table of the plain ones, and those with a rule of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.engine.api.arguments import ANY, FLOATS, NUMBERS, REALS, SIGNED, number_of, tensor_of, together
from tapeviz.engine.api.table import EXPORTS, export
from tapeviz.engine.call import caller
from tapeviz.engine.constant import convert_to_tensor
from tapeviz.engine.dtypes import FLOATING
from tapeviz.engine.op import Op
from tapeviz.engine.ops import gamma
from tapeviz.engine.ops import math as ops
from tapeviz.engine.slices import IndexedSlices
from tapeviz.engine.table import OPS
from tapeviz.engine.tensor import TensorLike
from tapeviz.events import catalog

_UNARY = (
    # op, the kinds of dtype it takes, TensorFlow's names, what it computes
    ("neg", SIGNED, "negative math.negative", "The negative."),
    ("square", NUMBERS, "square math.square", "The square."),
    ("sqrt", FLOATS, "sqrt math.sqrt", "The square root."),
    ("rsqrt", FLOATS, "math.rsqrt", "One over the square root."),
    ("reciprocal", FLOATS, "math.reciprocal", "One over x."),
    ("exp", FLOATS, "exp math.exp", "The exponential."),
    ("expm1", FLOATS, "math.expm1", "The exponential, less 1, exact for small x."),
    ("log", FLOATS, "math.log", "The natural logarithm."),
    ("log1p", FLOATS, "math.log1p", "The natural logarithm of 1 + x, exact for small x."),
    ("sin", FLOATS, "sin math.sin", "The sine of an angle in radians."),
    ("cos", FLOATS, "cos math.cos", "The cosine of an angle in radians."),
    ("tan", FLOATS, "tan math.tan", "The tangent of an angle in radians."),
    ("asin", FLOATS, "asin math.asin", "The inverse sine."),
    ("acos", FLOATS, "acos math.acos", "The inverse cosine."),
    ("atan", FLOATS, "atan math.atan", "The inverse tangent."),
    ("sinh", FLOATS, "sinh math.sinh", "The hyperbolic sine."),
    ("cosh", FLOATS, "cosh math.cosh", "The hyperbolic cosine."),
    ("tanh", FLOATS, "tanh math.tanh nn.tanh", "The hyperbolic tangent."),
    ("asinh", FLOATS, "asinh math.asinh", "The inverse hyperbolic sine."),
    ("acosh", FLOATS, "acosh math.acosh", "The inverse hyperbolic cosine."),
    ("atanh", FLOATS, "atanh math.atanh", "The inverse hyperbolic tangent."),
    ("sigmoid", FLOATS, "sigmoid math.sigmoid nn.sigmoid", "The logistic function."),
    ("erf", FLOATING, "math.erf", "The error function."),
    ("erfc", FLOATING, "math.erfc", "1 less the error function, exact where that is close to 1."),
    ("lgamma", "f", "math.lgamma", "The logarithm of the absolute value of the gamma function."),
    ("digamma", "f", "math.digamma", "The derivative of `lgamma`."),
    ("floor", FLOATING, "floor math.floor", "The largest integer that is not larger. No gradient."),
    ("ceil", FLOATING, "math.ceil", "The smallest integer that is not smaller. No gradient."),
    ("round", NUMBERS, "round math.round", "The nearest integer, halves to even. No gradient."),
    ("rint", FLOATING, "math.rint", "The nearest integer, halves to even. No gradient."),
    ("is_nan", FLOATING, "math.is_nan", "Whether it is NaN."),
    ("is_inf", FLOATING, "math.is_inf", "Whether it is infinite."),
    ("is_finite", FLOATING, "math.is_finite", "Whether it is neither infinite nor NaN."),
    ("logical_not", "b", "logical_not math.logical_not", "Whether it is false."),
)

_BINARY = (
    ("sub", NUMBERS, "subtract math.subtract", "The difference."),
    ("mul", NUMBERS, "multiply math.multiply", "The product."),
    ("div", NUMBERS, "divide math.divide", "The quotient; of integers, float64."),
    ("floordiv", REALS, "math.floordiv", "The quotient, rounded down. No gradient."),
    ("mod", REALS, "math.floormod math.mod", "The remainder of `floordiv`; it has the sign of y."),
    ("truncatediv", REALS, "truncatediv", "The quotient, rounded towards 0. No gradient."),
    ("truncatemod", REALS, "truncatemod", "The remainder of `truncatediv`; it has the sign of x."),
    ("pow", SIGNED, "pow math.pow", "x to the power of y."),
    ("maximum", REALS, "maximum math.maximum", "The larger one; the gradient of a tie goes to x."),
    ("minimum", REALS, "minimum math.minimum", "The smaller one; the gradient of a tie goes to x."),
    ("squared_difference", NUMBERS, "math.squared_difference", "The square of the difference."),
    ("divide_no_nan", NUMBERS, "math.divide_no_nan", "The quotient, and 0 where y is 0."),
    ("xdivy", FLOATS, "math.xdivy", "The quotient, and 0 where x is 0."),
    ("xlogy", FLOATS, "math.xlogy", "x log y, and 0 where x is 0."),
    ("xlog1py", FLOATS, "math.xlog1py", "x log(1 + y), and 0 where x is 0."),
    ("less", REALS, "less math.less", "Whether x < y."),
    ("less_equal", REALS, "less_equal math.less_equal", "Whether x <= y."),
    ("greater", REALS, "greater math.greater", "Whether x > y."),
    ("greater_equal", REALS, "greater_equal math.greater_equal", "Whether x >= y."),
    ("equal", ANY, "equal math.equal", "Whether x = y."),
    ("not_equal", ANY, "not_equal math.not_equal", "Whether x and y differ."),
    ("logical_and", "b", "logical_and math.logical_and", "Whether both are true."),
    ("logical_or", "b", "logical_or math.logical_or", "Whether one of them is true."),
    ("logical_xor", "b", "math.logical_xor", "Whether exactly one of them is true."),
)


def _unary(op: Op, kinds: str) -> Callable[..., Any]:
    def checked(x: Any, name: str | None = None) -> Any:
        return op.call(number_of(x, op.name, kinds))

    return caller(op, checked)


def _binary(op: Op, kinds: str) -> Callable[..., Any]:
    def checked(x: Any, y: Any, name: str | None = None) -> Any:
        if isinstance(x, TensorLike) and isinstance(y, TensorLike) and x._value.dtype.kind in kinds:
            return op.call(x, y)
        return op.call(*together(op.name, x, y, kinds=kinds))

    return caller(op, checked)


def _fill_table() -> None:
    for rows, make in ((_UNARY, _unary), (_BINARY, _binary)):
        for op, kinds, names, what in rows:
            function = make(OPS[op], kinds)
            first, *_ = names.split()
            row = catalog.row(op)
            assert row is not None
            function.__name__ = function.__qualname__ = first.rpartition(".")[2]
            edges = "".join(f"\n\n    At {edge}." for edge in row.domain)
            function.__doc__ = f"{what} Elementwise; arguments of one dtype, broadcast against each other.{edges}"
            export(*names.split())(function)


_fill_table()


@export("add", "math.add")
def add(x: Any, y: Any, name: str | None = None) -> Any:
    """The sum. Elementwise; x decides on the dtype, even if it is a plain number and y a tensor. Texts are joined."""
    return ops.add(*together("add", tensor_of(x), y, kinds=NUMBERS + "O"))


@export("math.multiply_no_nan")
def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """The product, and 0 where y is 0, even if x is infinite. Elementwise.

    Raises:
        ValueError: arguments of two dtypes; x decides, even if it is a plain number and y a tensor.
    """
    x = tensor_of(x)
    return ops.multiply_no_nan(*together("multiply_no_nan", x, convert_to_tensor(y, x.dtype), kinds=FLOATS))


@export("truediv", "math.truediv")
def truediv(x: Any, y: Any, name: str | None = None) -> Any:
    """The quotient; of integers, float64. Elementwise.

    Raises:
        TypeError: arguments of two dtypes; x decides, even if it is a plain number and y a tensor.
    """
    x = tensor_of(x)
    if isinstance(y, TensorLike) and x.dtype != y.dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    return ops.div(*together("truediv", x, y, kinds=NUMBERS))


@export("math.atan2", "atan2")
def atan2(y: Any, x: Any, name: str | None = None) -> Any:
    """The angle of the point (x, y), in radians, from -π to π."""
    return ops.atan2(*together("atan2", y, x, kinds=FLOATING))


@export("math.polygamma")
def polygamma(a: Any, x: Any, name: str | None = None) -> Any:
    """The derivative of `digamma` that is the a-th, of float32 or float64. Elementwise; no gradient in a.

    Raises:
        InvalidArgumentError: other dtypes.
    """
    return gamma.polygamma(*together("polygamma", a, x, kinds="f"))


@export("add_n", "math.add_n")
def add_n(inputs: Any, name: str | None = None) -> Any:
    """The sum of a list of tensors of one shape and dtype.

    Raises:
        ValueError: no tensor.
        TypeError: not a list.
        InvalidArgumentError: tensors of different dtypes or shapes.
    """
    tensors = [tensor_of(each) for each in inputs]
    if not tensors:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape."
        )
    return ops.add_n(*together("add_n", *tensors, kinds=NUMBERS))


@export("scalar_mul", "math.scalar_mul")
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """A number times a tensor. Slices stay slices.

    Raises:
        ValueError: `scalar` is no scalar, or a tensor of another dtype.
        TypeError: a number that does not fit the dtype.
        AttributeError: `x` has no dtype.
    """
    if not hasattr(x, "dtype"):
        raise AttributeError(f"scalar_mul: {x!r} has no dtype: make it a tensor by tf.constant.")
    fits = isinstance(scalar, TensorLike) and scalar.dtype == x.dtype
    factor = scalar if fits else convert_to_tensor(scalar, x.dtype)
    if factor.ndim:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {factor.shape}.")
    if isinstance(x, IndexedSlices):
        return x._with(scalar_mul(factor, x.values))
    return EXPORTS["multiply"](x, factor)
