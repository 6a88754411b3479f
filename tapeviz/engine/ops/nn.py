"""The op table: activations and losses of neural networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.convert import unboxed
from tapeviz.engine.dtypes import require
from tapeviz.engine.facts import Facts
from tapeviz.engine.kernels import elementary
from tapeviz.engine.kernels.elementwise import flush, is_few
from tapeviz.engine.kernels.reducing import added, reduced
from tapeviz.engine.kernels.registers import FEW, LANES
from tapeviz.engine.kernels.selecting import select
from tapeviz.engine.kernels.softmax import softmax as softmax_of_rows
from tapeviz.engine.op import defop
from tapeviz.engine.ops.array import column
from tapeviz.engine.ops.math import exp, less, where, zeros_like
from tapeviz.engine.ops.reduction import reduce_sum
from tapeviz.engine.rounding import Steps
from tapeviz.errors import AbortedError, InvalidArgumentError

# ----- activations -----

# The slope of a piecewise linear function is an op: its own derivative is zeros, not None. It is a product: where an
# infinite gradient meets a slope of 0, the result is NaN.

_MANY = 1_000
"""Numbers in an array from which on `relu` compares it to an array of zeros rather than to one."""
_ZEROS = range(256, 65_536)
"""How many zeros these may be."""

relu_grad = defop(
    "relu_grad",
    lambda u, y: u * (y > 0),
    u=lambda g, y: relu_grad(g, y),
    y=lambda g: zeros_like(g),
)
relu6_grad = defop(
    "relu6_grad",
    lambda u, y: u * ((y > 0) & (y < 6)),
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


def _relu(x: Any) -> Any:
    first, together = x.ndim, 1
    while x.size >= _MANY and together < _ZEROS.start:
        first -= 1
        together *= x.shape[first]
    # NumPy's loop over two arrays is vectorised
    return np.maximum(x, np.zeros(x.shape[first:], x.dtype) if together in _ZEROS else x.dtype.type(0))


relu = defop("relu", _relu, Facts(seed="exact"), x=lambda g, out: relu_grad(g, out))
relu6 = defop(
    "relu6",
    lambda x: np.minimum(np.maximum(x, x.dtype.type(0)), x.dtype.type(6)),
    Facts(seed="exact"),
    x=lambda g, out: relu6_grad(g, out),
)
leaky_relu = defop(
    "leaky_relu",
    lambda x, *, alpha: unboxed(select(x > 0, x, x * alpha)),
    Facts(seed="exact", over="entries"),
    x=lambda g, x, alpha: leaky_relu_grad(g, x, alpha=alpha),
)

_SELU_SCALE = 1.0507009873554804934193349852946
_SELU_SCALE_ALPHA = 1.7580993408473768599402175208123


def _elu_rule(g: Any, out: Any) -> Any:
    return where(less(out, zeros_like(out)), g * (out + 1), g)


def _selu_rule(g: Any, out: Any) -> Any:
    return where(less(out, zeros_like(out)), g * (out + _SELU_SCALE_ALPHA), g * _SELU_SCALE)


def _selu(x: Any) -> Any:
    return unboxed(select(x < 0, _SELU_SCALE_ALPHA * (elementary.exp(x) - 1), _SELU_SCALE * x))


def _above_relu(x: Any) -> Any:
    """By how much softplus exceeds the larger of x and 0; on arrays ten times as fast as NumPy's `logaddexp`."""
    return elementary.log1p(elementary.exp(-np.abs(x)))


def _silu_rule(g: Any, x: Any, beta: float) -> Any:
    s = sigmoid(beta * x)
    return g * (s * (1 + beta * x * (1 - s)))


_DIGITS = {"e": 13, "f": 23, "d": 52}
"""Binary digits of what Eigen calls the epsilon of a dtype; 7 of bfloat16."""


def _is_short(x: Any) -> bool:
    """Whether numbers are of 16 bits: TensorFlow rounds after every step, so that it matters which steps it takes."""
    return x.dtype.itemsize == 2 or type(x) is Steps


def _sigmoid(x: Any) -> Any:
    if not _is_short(x):
        return elementary.sigmoid(x)
    power, one = np.exp(x), x.dtype.type(1)
    return unboxed(np.where(np.isinf(power), one, power / (one + power)))


def _softplus(x: Any) -> Any:
    """Beyond where a power is as good as nothing beside 1, or 1 beside it, by the power or x itself."""
    if x.size > FEW and not _is_short(x):
        return np.maximum(x, x.dtype.type(0)) + _above_relu(x)
    digits = 7 if type(x) is Steps else _DIGITS[x.dtype.char]
    power, far = elementary.exp(x), digits * np.log(2) - 2
    return unboxed(np.where(x > far, x, np.where(x < -far, power, elementary.log1p(power))))


def _sigmoid_slope(u: Any, y: Any) -> Any:
    """TensorFlow multiplies in another order where numbers fill no register."""
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
sigmoid = defop("sigmoid", _sigmoid, Facts(seed="exact"), x=lambda g, out: sigmoid_grad(g, out))
softplus = defop(
    "softplus",
    _softplus,
    x=lambda g, x: g * sigmoid(x),
)
softsign_grad = defop(
    "softsign_grad",
    lambda u, x: u / np.square(1 + np.abs(x)),
    Facts(unregistered="SoftsignGrad"),
    u=None,
    x=None,
)
softsign = defop(
    "softsign",
    lambda x: x / (1 + np.abs(x)),
    Facts(tangents="transposed", seed="exact"),  # as TensorFlow, which then finds no gradient of SoftsignGrad
    x=lambda g, x: softsign_grad(g, x),
)
elu = defop("elu", lambda x: unboxed(select(x < 0, elementary.exp(x) - 1, x)), Facts(seed="exact"), x=_elu_rule)
selu = defop("selu", _selu, Facts(seed="exact"), x=_selu_rule)
silu = defop("silu", lambda x, *, beta: x * _sigmoid(beta * x), Facts(over="entries", holomorphic=False), x=_silu_rule)

# ----- softmax, over the last axis -----


def _softmax(x: Any) -> Any:
    if not x.shape and (x.dtype == np.float32 or type(x) is Steps):  # of which TensorFlow has another kernel
        raise AbortedError("Input dims must be <= 5 and >=1. In softmax of a scalar: logits have at least one axis.")
    _check_axis(x)
    return softmax_of_rows(x)


def _check_axis(x: Any) -> None:
    require(bool(x.shape), "logits must have >= 1 dimension, got []. In a softmax of a scalar.")


def _away_and_total(x: Any) -> tuple[Any, Any]:
    """By how much logits are below the highest of their row, and the sum of the powers of that."""
    _check_axis(x)
    away = x - reduced(np.maximum, x, -1, keepdims=True) if x.size else x
    return away, added(elementary.exp.by_row(away), -1, keepdims=True)


def _log_softmax(x: Any) -> Any:
    away, total = _away_and_total(x)
    return away - elementary.log(total)


def _total(x: Any) -> Any:
    return reduce_sum(x, axis=-1, keepdims=True)


def _softmax_rule(g: Any, out: Any) -> Any:
    return (g - _total(g * out)) * out


softmax = defop("softmax", _softmax, Facts(seed="broadcast", over="rows", rounds_once=True), x=_softmax_rule)
log_softmax = defop("log_softmax", _log_softmax, Facts(over="rows"), x=lambda g, out: g - _total(g) * exp(out))

# ----- losses -----


def _logistic_loss(labels: Any, logits: Any) -> Any:
    return np.maximum(logits, logits.dtype.type(0)) - logits * labels + _above_relu(logits)


def _shares(logits: Any) -> Any:
    """The softmax, as the losses have it."""
    if not is_few(logits):
        return _softmax(logits)
    away, total = _away_and_total(logits)
    return elementary.exp(away) / total


def _cross_entropy(labels: Any, logits: Any) -> Any:
    away, total = _away_and_total(logits)
    return added(labels * (elementary.log(total) - away), -1)


_FEW_CLASSES = 32
"""How many classes there are at most in logits that are quicker worked through class by class than row by row.

Not in float16, of which NumPy rounds every step of a sum but along a row.
"""


def _sparse_cross_entropy_and_slope(labels: Any, logits: Any) -> tuple[Any, Any]:
    """The losses, and the slope of each by its logits: the softmax, of which the right class has 1 less.

    In between the rows lie one after the other, or the classes; `over` is the axis of the classes.
    """
    _check_labels(labels, logits)
    rows, few = logits.reshape(-1, logits.shape[-1]), is_few(logits)
    by_class = rows.shape[1] <= _FEW_CLASSES and rows.dtype.itemsize > 2 and not few
    away, over = (rows.T.copy(), 0) if by_class else (rows.copy(), 1)
    if away.size:
        away -= np.maximum.reduce(away, over, keepdims=True)
    right = _places(labels.reshape(-1), away.shape, over)
    chosen = away.take(right)
    if few:  # TensorFlow works the powers out twice, in its registers for themselves and for a sum
        powers, total = elementary.exp(away), added(elementary.exp.by_row(away), 1, True)
        losses = elementary.log.by_row(total)[:, 0] - chosen
    else:
        powers = np.exp(away, away)
        total = added(powers, over, True)
        losses = np.log(total).reshape(-1) - chosen
    powers /= total
    flush(powers).put(right, powers.take(right) - 1)
    return unboxed(losses.reshape(labels.shape)), (powers.T if by_class else powers).reshape(logits.shape)


def _check_labels(labels: Any, logits: Any) -> None:
    if labels.shape != logits.shape[:-1]:
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. "
            f"Received: labels.shape={labels.shape} and logits.shape={logits.shape}"
        )
    if labels.dtype.char not in "ilq":
        raise TypeError(f"The labels must be int32 or int64, not {labels.dtype.name}.")


def _places(labels: Any, shape: tuple[int, int], over: int) -> Any:
    """Where the right class of each row stands in memory, among numbers of this shape, of which `over` is the classes.

    Raises:
        InvalidArgumentError: one is no class.
    """
    examples = np.arange(shape[1 - over])
    try:
        return np.ravel_multi_index((examples, labels) if over else (labels, examples), shape)
    except ValueError:
        wrong = labels[(labels < 0) | (labels >= shape[over])][0]
        raise InvalidArgumentError(
            f"Received a label value of {wrong} which is outside the valid range of [0, {shape[over]}).  "
            f"Label values: {' '.join(map(str, labels))}",
            at_run=True,
        ) from None


sparse_softmax_cross_entropy_grad = defop(
    "sparse_softmax_cross_entropy_grad",
    lambda labels, logits: _sparse_cross_entropy_and_slope(labels, logits)[1],
    Facts(over="all"),
    labels=None,
    logits=lambda g, logits: _softmax_rule(g, softmax(logits)),
)
softmax_cross_entropy_grad = defop(
    "softmax_cross_entropy_grad",
    lambda labels, logits: _shares(logits) - labels,
    Facts(over="rows", rounds_once=True),
    labels=lambda g: -g,
    logits=lambda g, logits: _softmax_rule(g, softmax(logits)),
)


def _logistic_slope(u: Any, labels: Any, logits: Any) -> Any:
    """Of few numbers by the steps in which TensorFlow differentiates those of the loss."""
    if logits.size > FEW:
        return u * (_sigmoid(logits) - labels)
    power = elementary.exp(-np.abs(logits))
    share = u * (1 / (1 + power)) * power
    return unboxed(np.where(logits >= 0, u - u * labels - share, share - u * labels))


sigmoid_cross_entropy_grad = defop(
    "sigmoid_cross_entropy_grad",
    _logistic_slope,
    u=lambda g, labels, logits: sigmoid_cross_entropy_grad(g, labels, logits),
    labels=lambda g, u: -(g * u),
    logits=lambda g, u, logits: sigmoid_grad(g * u, sigmoid(logits)),
)
sigmoid_cross_entropy = defop(
    "sigmoid_cross_entropy_with_logits",
    _logistic_loss,
    Facts(seed="exact"),
    labels=lambda g, logits: -g * logits,
    logits=lambda g, labels, logits: sigmoid_cross_entropy_grad(g, labels, logits),
)
softmax_cross_entropy = defop(
    "softmax_cross_entropy_with_logits",
    lambda labels, logits: unboxed(_cross_entropy(labels, logits)),
    Facts(over="all", rounds_once=True),
    labels=lambda g, logits: -column(g) * log_softmax(logits),
    logits=lambda g, labels, logits: column(g) * softmax_cross_entropy_grad(labels, logits),
)


def _sparse_slope(labels: Any, logits: Any, residual: Any) -> Any:
    return sparse_softmax_cross_entropy_grad(labels, logits) if residual is None else residual


sparse_softmax_cross_entropy = defop(
    "sparse_softmax_cross_entropy_with_logits",
    lambda labels, logits: _sparse_cross_entropy_and_slope(labels, logits)[0],
    Facts(seed="broadcast", over="all"),
    forward=_sparse_cross_entropy_and_slope,
    labels=None,
    logits=lambda g, labels, logits, residual: column(g) * _sparse_slope(labels, logits, residual),
)
l2_loss = defop(
    "l2_loss",
    lambda x: added(x * x / 2, None),  # a sum that is halved afterwards may have overflown
    Facts(seed="broadcast", over="all"),
    x=lambda g, x: g * x,
)
