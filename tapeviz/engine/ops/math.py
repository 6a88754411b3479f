"""The op table: elementwise arithmetic, powers, exponentials, trigonometry, rounding.

Rules are written in ops and operators, so they run on arrays in a plain backward pass and on tensors in a recorded one.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts, Public
from tapeviz.engine.kernels import elementary, extremes
from tapeviz.engine.kernels import erf as errors
from tapeviz.engine.kernels.powers import power
from tapeviz.engine.kernels.reduce import added, added_ahead
from tapeviz.engine.kernels.where import select
from tapeviz.engine.op_errors.reasons import different_shapes
from tapeviz.engine.rules import batching
from tapeviz.engine.specs.dtype_sets import (
    BRAIN,
    COMPLEX,
    EVERY,
    FLOATS,
    HALF,
    INEXACT,
    INTEGERS,
    NUMBERS,
    REALS,
    SIGNED,
    TEXT,
    TRUTH,
    WIDE,
)
from tapeviz.engine.specs.dtypes import Array, is_complex
from tapeviz.engine.values.convert import unboxed
from tapeviz.errors import InternalError, InvalidArgumentError

# ----- choosing: the ops that rules with a case distinction are written in -----


def _mask(x: Array, condition: Array) -> Any:
    return unboxed(select(condition, x, x.dtype.type(0)))


def _where(condition: Array, x: Array, y: Array) -> Any:
    return unboxed(select(condition, x, y))


def _zeros_like(x: Array) -> Any:
    """Zeros, or empty strings."""
    return unboxed(np.zeros_like(x) if x.dtype.kind != "O" else np.full_like(x, b""))


zeros_like = defop("zeros_like", _zeros_like, x=None)
ones_like = defop("ones_like", lambda x: unboxed(np.ones_like(x)), Facts(dtypes=NUMBERS | TRUTH), x=None)
mask = defop("mask", _mask, x=lambda g, condition: mask(g, condition), condition=None)
where = defop("where", _where, Facts(dtypes=EVERY),
    condition=None, x=lambda g, condition, x_shape: unbroadcast(mask(g, condition), x_shape),
    y=lambda g, condition, y_shape: unbroadcast(mask(g, logical_not(condition)), y_shape))  # fmt: skip

# ----- undoing and doing broadcasting -----


def _sum_to(x: Array, *, shape: tuple[int, ...]) -> Any:
    if x.size == math.prod(shape):  # nothing is added up, not 0 to -0. either
        return unboxed(x.reshape(shape))
    lead = x.ndim - len(shape)
    if x.shape[lead:] == shape:
        return added_ahead(x, lead)
    stretched = tuple(i for i in range(x.ndim) if i < lead or (shape[i - lead] == 1 and x.shape[i] != 1))
    return added(x, stretched).reshape(shape)


def _broadcast_to(x: Any, *, shape: tuple[int, ...]) -> Any:
    if shape and isinstance(x, np.generic):  # one number stands for all of them, no memory is filled
        return np.ndarray(shape, x.dtype, x, 0, (0,) * len(shape))
    out = np.empty(shape, x.dtype)
    out[...] = x
    return unboxed(out)


def unbroadcast(value: Array, shape: tuple[int, ...]) -> Any:
    """Undo broadcasting: the sum of a cotangent over the axes that its input was stretched along."""
    return value if tuple(value.shape) == tuple(shape) else sum_to(value, shape=tuple(shape))


sum_to = defop("sum_to", _sum_to, Facts(batched=batching.summed), x=lambda g, x_shape: broadcast_to(g, shape=x_shape))
broadcast_to = defop("broadcast_to", _broadcast_to, Facts(batched=batching.broadcast),
    x=lambda g, x_shape: sum_to(g, shape=x_shape))  # fmt: skip

# ----- comparing -----

equal = defop("equal", operator.eq, Facts(dtypes=EVERY), Public("equal math.equal", "Whether x = y."), x=None, y=None)
not_equal = defop("not_equal", operator.ne, Facts(dtypes=EVERY),
    Public("not_equal math.not_equal", "Whether x and y differ."), x=None, y=None)  # fmt: skip
less = defop("less", operator.lt, Facts(dtypes=REALS), Public("less math.less", "Whether x < y."), x=None, y=None)
less_equal = defop("less_equal", operator.le, Facts(dtypes=REALS),
    Public("less_equal math.less_equal", "Whether x <= y."), x=None, y=None)  # fmt: skip
greater = defop("greater", operator.gt, Facts(dtypes=REALS), Public("greater math.greater", "Whether x > y."),
    x=None, y=None)  # fmt: skip
greater_equal = defop("greater_equal", operator.ge, Facts(dtypes=REALS),
    Public("greater_equal math.greater_equal", "Whether x >= y."), x=None, y=None)  # fmt: skip
logical_and = defop(  # bit by bit for integers, as the next three
    "logical_and",
    operator.and_,
    Facts(dtypes=INTEGERS | TRUTH),
    Public("logical_and math.logical_and", "Whether both are true.", dtypes=TRUTH),
    x=None,
    y=None,
)
logical_or = defop("logical_or", operator.or_, Facts(dtypes=INTEGERS | TRUTH),
    Public("logical_or math.logical_or", "Whether one of them is true.", dtypes=TRUTH), x=None, y=None)  # fmt: skip
logical_xor = defop("logical_xor", operator.xor, Facts(dtypes=INTEGERS | TRUTH),
    Public("math.logical_xor", "Whether exactly one of them is true.", dtypes=TRUTH), x=None, y=None)  # fmt: skip
logical_not = defop("logical_not", operator.invert, Facts(dtypes=INTEGERS | TRUTH),
    Public("logical_not math.logical_not", "Whether it is false.", dtypes=TRUTH), x=None)  # fmt: skip
is_nan = defop("is_nan", np.isnan, Facts(dtypes=FLOATS), Public("math.is_nan", "Whether it is NaN."), x=None)
is_inf = defop("is_inf", np.isinf, Facts(dtypes=FLOATS), Public("math.is_inf", "Whether it is infinite."), x=None)
is_finite = defop("is_finite", np.isfinite, Facts(dtypes=FLOATS),
    Public("math.is_finite", "Whether it is neither infinite nor NaN."), x=None)  # fmt: skip

# ----- arithmetic -----


def _is_zero_somewhere(x: Array, y: Array) -> bool:
    """Whether an integer division fails, because there is a 0 in y, and not already because the shapes do not fit."""
    if y.dtype.kind not in "iu" or np.all(y):
        return False
    np.broadcast_shapes(x.shape, y.shape)
    return True


def _by_zero(op: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"Integer division by zero, in {op}.", at_run=True)


def _truncated_by_zero(op: str) -> InternalError:
    """TensorFlow did not foresee that these may fail."""
    said = "Unexpected error in binary operator (only integer div and mod should have errors)"
    return InternalError(f"{said}. Integer division by zero, in {op}.")


def _div(x: Array, y: Array) -> Any:
    """The quotient; of integers float64, or float32 for those of up to 16 bits."""
    out = x / y
    if out.dtype is x.dtype or x.dtype.kind not in "iu" or x.dtype.itemsize > 2:
        return out
    return x.astype(np.float32) / y.astype(np.float32)


def _floordiv(x: Array, y: Array) -> Any:
    if _is_zero_somewhere(x, y):
        raise _by_zero("floordiv")
    return x // y if y.dtype.kind in "iu" else np.floor(x / y)


def _mod(x: Array, y: Array) -> Any:
    if _is_zero_somewhere(x, y):
        raise _by_zero("mod")
    if x.dtype.kind in "iu":
        return x % y
    rest = np.fmod(x, y)  # of x's sign, where it is 0 too
    return _where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


def _truncatediv(x: Array, y: Array) -> Any:
    if _is_zero_somewhere(x, y):
        raise _truncated_by_zero("truncatediv")
    return unboxed(np.trunc(x / y).astype(x.dtype))


def _truncatemod(x: Array, y: Array) -> Any:
    if _is_zero_somewhere(x, y):
        raise _truncated_by_zero("truncatemod")
    return np.fmod(x, y)


def _pow(x: Array, y: Array) -> Any:
    """The power, with NaN for 0j**0, as in TensorFlow."""
    if y.dtype.kind == "i" and np.any(y < 0):
        raise InvalidArgumentError("Integers to negative integer powers are not allowed. In pow.", at_run=True)
    out = power(x, y)
    return out if out.dtype.kind != "c" else _where((x == 0) & (y == 0), out.dtype.type(np.nan * (1 + 1j)), out)


def _pow_exponent(g: Array, x: Array, out: Array) -> Any:
    """The VJP for the exponent; the logarithm of a base that is not positive counts as 0, so that 0**y has slope 0."""
    positive = (not_equal if is_complex(x) else greater)(x, zeros_like(x))
    return g * out * mask(log(where(positive, x, ones_like(x))), positive)


add = defop("add", operator.add, Facts(seed_shape="handed on", dtypes=NUMBERS | TEXT), x=lambda g: g, y=lambda g: g)
sub = defop("sub", operator.sub, Facts(seed_shape="handed on", dtypes=NUMBERS),
    Public("subtract math.subtract", "The difference."), x=lambda g: g, y=lambda g: -g)  # fmt: skip
mul = defop("mul", operator.mul, Facts(tangents="bilinear", seed_shape="scaled", dtypes=NUMBERS | TRUTH),
    Public("multiply math.multiply", "The product.", dtypes=NUMBERS),
    x=lambda g, y: g * y, y=lambda g, x: g * x)  # fmt: skip
div = defop("div", _div, Facts(dtypes=NUMBERS), Public("divide math.divide", "The quotient; of integers, float64."),
    x=lambda g, y: g / y, y=lambda g, x, y: g * (-x / y / y))  # fmt: skip
floordiv = defop("floordiv", _floordiv, Facts(dtypes=NUMBERS, no_kernel=COMPLEX),
    Public("math.floordiv", "The quotient, rounded down. No gradient."), x=None, y=None)  # fmt: skip
mod = defop(
    "mod",
    _mod,
    Facts(seed_shape="exact", dtypes=REALS),  # TensorFlow reshapes both gradients, stretched or not
    Public("math.floormod math.mod", "The remainder of `floordiv`; it has the sign of y."),
    x=lambda g: g,
    y=lambda g, x, y: -g * floordiv(x, y),
)
truncatediv = defop("truncatediv", _truncatediv, Facts(dtypes=NUMBERS, no_kernel=COMPLEX),
    Public("truncatediv", "The quotient, rounded towards 0. No gradient."), x=None, y=None)  # fmt: skip
truncatemod = defop("truncatemod", _truncatemod, Facts(dtypes=FLOATS | WIDE, no_kernel=HALF | BRAIN),
    Public("truncatemod", "The remainder of `truncatediv`; it has the sign of x."), x=None, y=None)  # fmt: skip
pow = defop("pow", _pow, Facts(dtypes=SIGNED), Public("pow math.pow", "x to the power of y."),
    x=lambda g, x, y: g * y * pow(x, y - 1), y=_pow_exponent)  # fmt: skip
neg = defop("neg", operator.neg, Facts(seed_shape="handed on", dtypes=SIGNED),
    Public("negative math.negative", "The negative."), x=lambda g: -g)  # fmt: skip
abs = defop("abs", operator.abs, Facts(dtypes=SIGNED), x=lambda g, x: g * sign(x))
sign = defop(
    "sign",
    np.sign,
    Facts(tangents="transposed", dtypes=SIGNED),  # a rule that asks for nothing makes no linear op of it
    x=lambda g: zeros_like(g),
)
maximum = defop(
    "maximum",
    extremes.larger,
    Facts(dtypes=REALS),
    Public("maximum math.maximum", "The larger one; the gradient of a tie goes to x."),
    x=lambda g, x, y: mask(g, greater_equal(x, y)),
    y=lambda g, x, y: mask(g, logical_not(greater_equal(x, y))),  # also where one is NaN
)
minimum = defop("minimum", extremes.smaller, Facts(dtypes=REALS),
    Public("minimum math.minimum", "The smaller one; the gradient of a tie goes to x."),
    x=lambda g, x, y: mask(g, less_equal(x, y)), y=lambda g, x, y: mask(g, logical_not(less_equal(x, y))))  # fmt: skip
square = defop("square", np.square, Facts(dtypes=NUMBERS), Public("square math.square", "The square."),
    x=lambda g, x: g * (2 * x))  # fmt: skip
squared_difference = defop("squared_difference", lambda x, y: (d := x - y) * d.conjugate(),
    Facts(holomorphic=False, dtypes=INEXACT | WIDE), Public("math.squared_difference", "The square of the difference."),
    x=lambda g, x, y: g * (2 * (x - y)), y=lambda g, x, y: -g * (2 * (x - y)))  # fmt: skip


def _add_n(*values: Array) -> Any:
    total = values[0]
    for value in values[1:]:
        if value.shape != total.shape:
            raise InvalidArgumentError(f"{different_shapes(values)}. In add_n.")
        total = total + value
    return total


add_n = defop("add_n", _add_n, Facts(hands_out=True, dtypes=NUMBERS),
    values=lambda g, values_shape: (g,) * len(values_shape))  # fmt: skip

# ----- division, logarithms and products that are 0 where they would be undefined -----


def _divide_no_nan(x: Array, y: Array) -> Any:
    return _mask(_div(x, y), y != 0)


def _multiply_no_nan(x: Array, y: Array) -> Any:
    return _mask(x * y, y != 0)


def _xdivy(x: Array, y: Array) -> Any:
    return _mask(x / y, x != 0)


def _xlogy(x: Array, y: Array) -> Any:
    return _mask(x * elementary.log(y), x != 0)


def _xlog1py(x: Array, y: Array) -> Any:
    return _mask(x * elementary.log1p(y), x != 0)


def _unless_zero(value: object, x: object) -> Any:
    """`value` where x is not 0, else 0; x gets no gradient through the condition."""
    return mask(value, not_equal(x, zeros_like(x)))


divide_no_nan = defop("divide_no_nan", _divide_no_nan, Facts(dtypes=NUMBERS),
    Public("math.divide_no_nan", "The quotient, and 0 where y is 0."),
    x=lambda g, y: divide_no_nan(g, y), y=lambda g, x, y: g * divide_no_nan(divide_no_nan(-x, y), y))  # fmt: skip
multiply_no_nan = defop("multiply_no_nan", _multiply_no_nan, Facts(holomorphic=False, dtypes=INEXACT),
    x=lambda g, y: multiply_no_nan(g, y), y=lambda g, x: multiply_no_nan(x, g))  # fmt: skip
xdivy = defop("xdivy", _xdivy, Facts(holomorphic=False, dtypes=INEXACT),
    Public("math.xdivy", "The quotient, and 0 where x is 0."),
    x=lambda g, x, y: g * xdivy(_unless_zero(ones_like(x), x), y), y=lambda g, x, y: g * xdivy(-x, y * y))  # fmt: skip
xlogy = defop("xlogy", _xlogy, Facts(holomorphic=False, dtypes=INEXACT),
    Public("math.xlogy", "x log y, and 0 where x is 0."),
    x=lambda g, x, y: g * xlogy(_unless_zero(ones_like(x), x), y), y=lambda g, x, y: g * xdivy(x, y))  # fmt: skip
xlog1py = defop("xlog1py", _xlog1py, Facts(holomorphic=False, dtypes=INEXACT),
    Public("math.xlog1py", "x log(1 + y), and 0 where x is 0."),
    x=lambda g, x, y: g * xlog1py(_unless_zero(ones_like(x), x), y), y=lambda g, x, y: g * xdivy(x, y + 1))  # fmt: skip

# ----- roots, exponentials, logarithms -----

# TensorFlow's VJPs of roots and of 1/x are ops: 0 where nothing comes down, even where the slope is infinite; not so
# their own derivatives by y, the root. There an infinite slope and a gradient of 0 make a NaN.

sqrt_grad = defop("sqrt_grad", lambda u, y: _mask(0.5 * u / y, u != 0),
    u=lambda g, y: g / y * 0.5, y=lambda g, y, out: -(g / y) * out)  # fmt: skip
rsqrt_grad = defop("rsqrt_grad", lambda u, y: _mask(-0.5 * (u * y) * (y * y), u != 0),
    u=lambda g, y: rsqrt_grad(g, y), y=lambda g, u, y: -1.5 * g * u * (y * y))  # fmt: skip
reciprocal_grad = defop("reciprocal_grad", lambda u, y: _mask(-(u * y) * y, u != 0),
    u=lambda g, y: reciprocal_grad(g, y), y=lambda g, u, y: -2 * g * u * y)  # fmt: skip
sqrt = defop("sqrt", np.sqrt, Facts(seed_shape="exact", tangents="transposed", dtypes=INEXACT),
    Public("sqrt math.sqrt", "The square root."), x=lambda g, out: sqrt_grad(g, out))  # fmt: skip
rsqrt = defop("rsqrt", lambda x: 1 / np.sqrt(x), Facts(seed_shape="exact", rounds_once=True, dtypes=INEXACT),
    Public("math.rsqrt", "One over the square root."), x=lambda g, out: rsqrt_grad(g, out))  # fmt: skip
reciprocal = defop("reciprocal", lambda x: 1 / x, Facts(seed_shape="exact", dtypes=SIGNED, no_kernel=INTEGERS),
    Public("math.reciprocal", "One over x."), x=lambda g, out: reciprocal_grad(g, out))  # fmt: skip
exp = defop("exp", elementary.exp, Facts(dtypes=INEXACT), Public("exp math.exp", "The exponential."),
    x=lambda g, out: g * out)  # fmt: skip
expm1 = defop("expm1", elementary.expm1, Facts(dtypes=INEXACT),
    Public("math.expm1", "The exponential, less 1, exact for small x."), x=lambda g, x: g * exp(x))  # fmt: skip
log = defop("log", elementary.log, Facts(dtypes=INEXACT), Public("math.log", "The natural logarithm."),
    x=lambda g, x: g * reciprocal(x))  # fmt: skip
log1p = defop("log1p", elementary.log1p, Facts(dtypes=INEXACT),
    Public("math.log1p", "The natural logarithm of 1 + x, exact for small x."),
    x=lambda g, x: g * reciprocal(1 + x))  # fmt: skip

# ----- trigonometry -----

sin = defop("sin", elementary.sin, Facts(dtypes=INEXACT), Public("sin math.sin", "The sine of an angle in radians."),
    x=lambda g, x: g * cos(x))  # fmt: skip
cos = defop("cos", elementary.cos, Facts(dtypes=INEXACT), Public("cos math.cos", "The cosine of an angle in radians."),
    x=lambda g, x: -g * sin(x))  # fmt: skip
tan = defop("tan", elementary.tan, Facts(dtypes=INEXACT), Public("tan math.tan", "The tangent of an angle in radians."),
    x=lambda g, x: g * square(reciprocal(cos(x))))  # fmt: skip
asin = defop("asin", elementary.asin, Facts(dtypes=INEXACT), Public("asin math.asin", "The inverse sine."),
    x=lambda g, x: g * reciprocal(sqrt(1 - x * x)))  # fmt: skip
acos = defop("acos", elementary.acos, Facts(dtypes=INEXACT), Public("acos math.acos", "The inverse cosine."),
    x=lambda g, x: -g * reciprocal(sqrt(1 - x * x)))  # fmt: skip
atan = defop("atan", elementary.atan, Facts(dtypes=INEXACT), Public("atan math.atan", "The inverse tangent."),
    x=lambda g, x: g * reciprocal(1 + x * x))  # fmt: skip
atan2 = defop("atan2", elementary.atan2, Facts(dtypes=FLOATS),
    y=lambda g, y, x: x * (g / (x * x + y * y)), x=lambda g, y, x: -y * (g / (x * x + y * y)))  # fmt: skip
sinh = defop("sinh", elementary.sinh, Facts(dtypes=INEXACT), Public("sinh math.sinh", "The hyperbolic sine."),
    x=lambda g, x: g * cosh(x))  # fmt: skip
cosh = defop("cosh", elementary.cosh, Facts(dtypes=INEXACT), Public("cosh math.cosh", "The hyperbolic cosine."),
    x=lambda g, x: g * sinh(x))  # fmt: skip
tanh = defop("tanh", elementary.tanh, Facts(seed_shape="exact", dtypes=INEXACT),
    Public("tanh math.tanh nn.tanh", "The hyperbolic tangent."), x=lambda g, out: g * (1 - out * out))  # fmt: skip
asinh = defop("asinh", elementary.asinh, Facts(dtypes=INEXACT),
    Public("asinh math.asinh", "The inverse hyperbolic sine."), x=lambda g, out: g / cosh(out))  # fmt: skip
acosh = defop("acosh", elementary.acosh, Facts(dtypes=INEXACT),
    Public("acosh math.acosh", "The inverse hyperbolic cosine."), x=lambda g, out: g / sinh(out))  # fmt: skip
atanh = defop("atanh", elementary.atanh, Facts(dtypes=INEXACT),
    Public("atanh math.atanh", "The inverse hyperbolic tangent."),
    x=lambda g, x: g * reciprocal(1 - x * x))  # fmt: skip

# ----- the error function -----

erf = defop("erf", lambda x: unboxed(errors.erf(x)), Facts(dtypes=FLOATS), Public("math.erf", "The error function."),
    x=lambda g, x: g * errors.SLOPE * exp(-x * x))  # fmt: skip
erfc = defop("erfc", lambda x: unboxed(errors.erfc(x)), Facts(dtypes=FLOATS),
    Public("math.erfc", "1 less the error function, exact where that is close to 1."),
    x=lambda g, x: g * -errors.SLOPE * exp(-x * x))  # fmt: skip

# ----- rounding -----

floor = defop("floor", np.floor, Facts(dtypes=FLOATS),
    Public("floor math.floor", "The largest integer that is not larger. No gradient."), x=None)  # fmt: skip
ceil = defop("ceil", np.ceil, Facts(dtypes=FLOATS),
    Public("math.ceil", "The smallest integer that is not smaller. No gradient."), x=None)  # fmt: skip
round = defop("round", lambda x: np.rint(x) if x.dtype.kind == "f" else x, Facts(dtypes=NUMBERS, no_kernel=COMPLEX),
    x=None)  # fmt: skip
rint = defop("rint", np.rint, Facts(dtypes=FLOATS, no_kernel=HALF | BRAIN),
    Public("math.rint", "The nearest integer, halves to even. No gradient."), x=None)  # fmt: skip
