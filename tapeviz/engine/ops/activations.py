"""The op table: activations, and the softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts, Public
from tapeviz.engine.kernels import elementary
from tapeviz.engine.kernels.eigen_math import FEW, LANES
from tapeviz.engine.kernels.elementwise import is_few
from tapeviz.engine.kernels.extremes import larger, smaller
from tapeviz.engine.kernels.reduce import added, reduced
from tapeviz.engine.kernels.softmax import softmax as softmax_of_rows
from tapeviz.engine.kernels.where import passed, select
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.ops.math import exp, less, where, zeros_like
from tapeviz.engine.ops.reduction import reduce_sum
from tapeviz.engine.rules.rounding import StepwiseRounded
from tapeviz.engine.specs.dtype_sets import FLOATS, INEXACT, REALS, TEXT
from tapeviz.engine.specs.dtypes import Array
from tapeviz.engine.values.convert import unboxed
from tapeviz.errors import AbortedError

# The slope of a piecewise linear function is an op: its own derivative is zeros, not None. It is a product: where an
# infinite gradient meets a slope of 0, the result is NaN.

_MANY = 1_000
"""The size of an array from which on `relu` compares it with an array of zeros, not with one zero."""
_ZEROS = range(256, 65_537)
"""The sizes that this array of zeros may have: that of the whole array, or of its last axes together."""

relu_grad = defop(
    "relu_grad",
    lambda u, y: passed(u, y > 0),
    u=lambda g, y: relu_grad(g, y),
    y=lambda g: zeros_like(g),
)
relu6_grad = defop(
    "relu6_grad",
    lambda u, y: passed(u, (y > 0) & (y < 6)),
    u=lambda g, y: relu6_grad(g, y),
    y=lambda g: zeros_like(g),
)
leaky_relu_grad = defop(
    "leaky_relu_grad",
    lambda u, y, *, alpha: unboxed(select(y > 0, u, u * alpha)),
    Facts(over="entries"),
    u=lambda g, y, alpha: leaky_relu_grad(g, y, alpha=alpha),
    y=lambda g: zeros_like(g),
)


def _relu(x: Array) -> Any:
    if x.size < _MANY:
        return larger(x, x.dtype.type(0))
    first, together = x.ndim, 1
    while first and together * x.shape[first - 1] < _ZEROS.stop:
        first -= 1
        together *= x.shape[first]
    # NumPy's loop over two arrays is vectorised
    return larger(x, np.zeros(x.shape[first:], x.dtype) if together in _ZEROS else x.dtype.type(0))


relu = defop(
    "relu",
    _relu,
    Facts(seed_shape="exact", dtypes=REALS),
    Public("nn.relu", "x where it is positive, else 0; its slope at 0 is 0.", "features"),
    x=lambda g, out: relu_grad(g, out),
)
relu6 = defop(
    "relu6",
    lambda x: smaller(larger(x, x.dtype.type(0)), x.dtype.type(6)),
    Facts(seed_shape="exact", dtypes=REALS),
    Public("nn.relu6", "x between 0 and 6; its slope at both is 0.", "features"),
    x=lambda g, out: relu6_grad(g, out),
)
leaky_relu = defop(
    "leaky_relu",
    lambda x, *, alpha: unboxed(select(x > 0, x, x * alpha)),
    Facts(seed_shape="exact", over="entries", dtypes=REALS),
    x=lambda g, x, alpha: leaky_relu_grad(g, x, alpha=alpha),
)

_SELU_SCALE = 1.0507009873554804934193349852946
_SELU_SCALE_ALPHA = 1.7580993408473768599402175208123


def _elu_rule(g: Array, out: Array) -> Any:
    return where(less(out, zeros_like(out)), g * (out + 1), g)


def _selu_rule(g: Array, out: Array) -> Any:
    return where(less(out, zeros_like(out)), g * (out + _SELU_SCALE_ALPHA), g * _SELU_SCALE)


def _selu(x: Array) -> Any:
    return unboxed(select(x < 0, _SELU_SCALE_ALPHA * (elementary.exp(x) - 1), _SELU_SCALE * x))


def above_relu(x: Array) -> Any:
    """softplus(x) - max(x, 0); on arrays ten times as fast as NumPy's `logaddexp`."""
    return elementary.log1p(elementary.exp(-np.abs(x)))


def _silu_rule(g: Array, x: Array, beta: float) -> Any:
    s = sigmoid(beta * x)
    return g * (s * (1 + beta * x * (1 - s)))


_DIGITS = {"e": 13, "f": 23, "d": 52}
"""The negative binary exponent of Eigen's epsilon of a dtype; 7 for bfloat16."""


def _is_short(x: Array) -> bool:
    """Whether numbers have 16 bits: TensorFlow rounds after every step, so that the same steps have to be taken."""
    return x.dtype.itemsize == 2 or type(x) is StepwiseRounded


def logistic(x: Array) -> Any:
    """The sigmoid of arrays."""
    if not _is_short(x):
        return elementary.sigmoid(x)
    power, one = np.exp(x), x.dtype.type(1)
    return unboxed(np.where(np.isinf(power), one, power / (one + power)))


def _softplus(x: Array) -> Any:
    """Softplus; where exp(x) is negligible beside 1 it is exp(x), and where 1 is negligible, x."""
    if x.size > FEW and not _is_short(x):
        return np.maximum(x, x.dtype.type(0)) + above_relu(x)
    digits = 7 if type(x) is StepwiseRounded else _DIGITS[x.dtype.char]
    power, far = elementary.exp(x), digits * np.log(2) - 2
    return unboxed(np.where(x > far, x, np.where(x < -far, power, elementary.log1p(power))))


def _sigmoid_slope(u: Array, y: Array) -> Any:
    """TensorFlow multiplies in another order for numbers that do not fill a register."""
    if not y.shape:
        return u * y * (1 - y)
    if not is_few(y) or u.shape != y.shape:
        return u * (y * (1 - y))
    found = (u * (y * (1 - y))).reshape(-1)
    left = found.size - found.size % LANES[y.dtype.char]
    u, y, shape = u.reshape(-1)[left:], y.reshape(-1)[left:], y.shape
    found[left:] = u * y * (1 - y)
    return unboxed(found.reshape(shape))


sigmoid_grad = defop(
    "sigmoid_grad",
    _sigmoid_slope,
    u=lambda g, y: sigmoid_grad(g, y),
    y=lambda g, u, y: g * u - 2 * (g * u) * y,
)
sigmoid = defop(
    "sigmoid",
    logistic,
    Facts(seed_shape="exact", dtypes=INEXACT),
    Public("sigmoid math.sigmoid nn.sigmoid", "The logistic function."),
    x=lambda g, out: sigmoid_grad(g, out),
)
softplus = defop(
    "softplus",
    _softplus,
    Facts(dtypes=FLOATS),
    Public("nn.softplus math.softplus", "log(1 + exp(x)), a smooth relu.", "features"),
    x=lambda g, x: g * sigmoid(x),
)
softsign_grad = defop(
    "softsign_grad",
    lambda u, x: u / np.square(1 + np.abs(x)),
    u=None,
    x=None,
)
softsign = defop(
    "softsign",
    lambda x: x / (1 + np.abs(x)),
    Facts(tangents="transposed", seed_shape="exact", dtypes=FLOATS),
    Public(
        "nn.softsign math.softsign", "x / (1 + |x|).", "features"
    ),  # as TensorFlow, which then finds no gradient of SoftsignGrad
    x=lambda g, x: softsign_grad(g, x),
)
elu = defop(
    "elu",
    lambda x: unboxed(select(x < 0, elementary.exp(x) - 1, x)),
    Facts(seed_shape="exact", dtypes=FLOATS),
    Public("nn.elu", "x where it is positive, else exp(x) - 1.", "features"),
    x=_elu_rule,
)
selu = defop(
    "selu",
    _selu,
    Facts(seed_shape="exact", dtypes=FLOATS),
    Public("nn.selu", "The scaled exponential linear unit.", "features"),
    x=_selu_rule,
)
silu = defop(
    "silu",
    lambda x, *, beta: x * logistic(beta * x),
    Facts(over="entries", holomorphic=False, dtypes=INEXACT | TEXT, no_kernel=TEXT),
    x=_silu_rule,
)

# ----- softmax, over the last axis -----


def _softmax(x: Array) -> Any:
    if not x.shape and (x.dtype == np.float32 or type(x) is StepwiseRounded):  # of which TensorFlow has another kernel
        error = AbortedError("Input dims must be <= 5 and >=1. In softmax of a scalar: logits have at least one axis.")
        error.in_graph = ValueError
        raise error
    _check_axis(x)
    return softmax_of_rows(x)


def _check_axis(x: Array) -> None:
    require(bool(x.shape), "logits must have >= 1 dimension, got []. In a softmax of a scalar.")


def away_and_total(x: Any) -> tuple[Any, Any]:
    """Logits minus the highest in their row, and the sum of the exponentials of these."""
    _check_axis(x)
    away = x - reduced(np.maximum, x, -1, keepdims=True) if x.size else x
    return away, added(elementary.exp.by_row(away), -1, keepdims=True)


def _log_softmax(x: Array) -> Any:
    away, total = away_and_total(x)
    return away - elementary.log(total)


def _total(x: object) -> Any:
    return reduce_sum(x, axis=-1, keepdims=True)


def softmax_rule(g: Array, out: Array) -> Any:
    """The VJP of a softmax whose result is `out`."""
    return (g - _total(g * out)) * out


softmax = defop(
    "softmax", _softmax, Facts(seed_shape="broadcast", over="rows", rounds_once=True, dtypes=FLOATS), x=softmax_rule
)
log_softmax = defop(
    "log_softmax", _log_softmax, Facts(over="rows", dtypes=FLOATS), x=lambda g, out: g - _total(g) * exp(out)
)
