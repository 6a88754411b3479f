"""True and predicted values -> a loss for each example."""

from __future__ import annotations

import math
from typing import Any

from tapeviz.engine.api import EXPORTS as tf
from tapeviz.engine.api.arguments import tensor_of
from tapeviz.keras.floats import EPSILON
from tapeviz.keras.losses.operands import convert_to_tensor, pair
from tapeviz.keras.symbolic.promotion import result_type
from tapeviz.keras.unit_vectors import normalize


def _mean(values: Any) -> Any:
    """The mean over the last axis, of integers too."""
    is_exact = values.dtype.is_integer or values.dtype.is_bool
    return tf["reduce_mean"](tf["cast"](values, "float32") if is_exact else values, axis=-1)


def _of_dtype(number: float, beside: Any) -> float:
    """A number as it is beside a tensor: without its fraction, if that holds integers."""
    return int(number) if beside.dtype.is_integer else number


# ----- a loss per example -----


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """The mean over the last axis of the squared differences.

    >>> mean_squared_error([[0.0, 2.0]], [[0.0, 0.0]]).numpy().tolist()
    [2.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    return _mean(tf["square"](y_true - y_pred))


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """The mean over the last axis of the absolute differences.

    >>> mean_absolute_error([[0.0, 2.0]], [[0.0, 0.0]]).numpy().tolist()
    [1.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    return _mean(tf["abs"](y_true - y_pred))


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Half the square of a difference up to `delta`, a straight line beyond it; the mean over the last axis.

    >>> huber([[0.0, 2.0]], [[0.0, 0.0]]).numpy().tolist()
    [0.75]
    """
    y_true, y_pred = pair(y_true, y_pred)
    delta, half = _of_dtype(delta, y_pred), _of_dtype(0.5, y_pred)
    error = y_pred - y_true
    size = tf["abs"](error)
    return _mean(tf["where"](size <= delta, half * tf["square"](error), delta * size - half * delta**2))


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """100 times the mean over the last axis of the differences, each as a part of the true value.

    >>> mean_absolute_percentage_error([[1.0, 2.0]], [[1.5, 2.0]]).numpy().tolist()
    [25.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    least = tf["maximum"](tf["abs"](y_true), _of_dtype(EPSILON, y_pred))
    return 100.0 * _mean(tf["abs"]((y_true - y_pred) / least))


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """The mean over the last axis of the squared differences between log(y + 1); what is negative counts as 0.

    >>> mean_squared_logarithmic_error([[0.0, 1.0]], [[0.0, 1.0]]).numpy().tolist()
    [0.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    y_pred, y_true = (tf["cast"](each, result_type(each.dtype, "float32")) for each in (y_pred, y_true))
    predicted, true = (tf["math.log"](tf["maximum"](each, EPSILON) + 1.0) for each in (y_pred, y_true))
    return _mean(tf["square"](predicted - true))


def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """log(cosh(difference)), about half the square near 0 and a straight line far off; the mean over the last axis.

    >>> round(float(log_cosh([[1.0]], [[0.0]])[0]), 4)
    0.4338
    """
    y_true, y_pred = pair(y_true, y_pred)
    error = y_pred - y_true
    return _mean(error + tf["math.softplus"](error * -2.0) - math.log(2.0))


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """The cosine of the angle between two vectors along an axis, negated: -1 where they point the same way.

    >>> cosine_similarity([[0.0, 1.0]], [[0.0, 2.0]]).numpy().tolist()
    [-1.0]
    """
    y_true, y_pred = (normalize(each, axis) for each in pair(y_true, y_pred))
    return -tf["reduce_sum"](y_true * y_pred, axis=axis)


def poisson(y_true: Any, y_pred: Any) -> Any:
    """The mean over the last axis of y_pred - y_true log(y_pred).

    >>> poisson([[0.0, 0.0]], [[1.0, 1.0]]).numpy().tolist()
    [1.0]
    """
    y_pred = tensor_of(y_pred)
    y_true = convert_to_tensor(y_true, y_pred.dtype)
    return _mean(y_pred - y_true * tf["math.log"](y_pred + EPSILON))


def hinge(y_true: Any, y_pred: Any) -> Any:
    """max(1 - y_true y_pred, 0), the mean over the last axis; labels 0 and 1 are read as -1 and 1.

    >>> hinge([[0.0, 1.0]], [[0.5, 0.5]]).numpy().tolist()
    [1.0]
    """
    return _mean(_short_of_margin(y_true, y_pred))


def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """The squares of what `hinge` sums, the mean over the last axis.

    >>> squared_hinge([[0.0, 1.0]], [[0.5, 0.5]]).numpy().tolist()
    [1.25]
    """
    return _mean(tf["square"](_short_of_margin(y_true, y_pred)))


def _short_of_margin(y_true: Any, y_pred: Any) -> Any:
    """max(1 - y_true y_pred, 0), for labels -1 and 1, or 0 and 1."""
    y_pred = tensor_of(y_pred)
    y_true = tf["cast"](y_true, y_pred.dtype)
    if ((y_true._value == 0) | (y_true._value == 1)).all():
        y_true = 2.0 * y_true - 1.0
    return tf["maximum"](1.0 - y_true * y_pred, 0.0)


def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """max(1 + the largest score of a wrong class - that of the right one, 0), for one-hot labels.

    >>> categorical_hinge([[0.0, 1.0]], [[0.5, 1.0]]).numpy().tolist()
    [0.5]
    """
    y_pred = tensor_of(y_pred)
    y_true = tf["cast"](y_true, y_pred.dtype)
    right = tf["reduce_sum"](y_true * y_pred, axis=-1)
    return tf["maximum"](tf["reduce_max"]((1.0 - y_true) * y_pred, axis=-1) - right + 1.0, 0.0)


def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """The sum over the last axis of y_true log(y_true / y_pred).

    >>> kl_divergence([[0.5, 0.5]], [[0.5, 0.5]]).numpy().tolist()
    [0.0]
    """
    y_pred = tensor_of(y_pred)
    y_true = tf["clip_by_value"](convert_to_tensor(y_true, y_pred.dtype), EPSILON, 1.0)
    y_pred = tf["clip_by_value"](y_pred, EPSILON, 1.0)
    return tf["reduce_sum"](y_true * tf["math.log"](y_true / y_pred), axis=-1)


def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Any:
    """1 - 2 |A ∩ B| / (|A| + |B|) for two sets that are told by numbers from 0 to 1, over some axes or all.

    >>> round(float(dice([1.0, 1.0], [1.0, 0.0])), 4)
    0.3333
    """
    y_pred = tensor_of(y_pred)
    y_true = tf["cast"](y_true, y_pred.dtype)
    both, true, predicted = (tf["reduce_sum"](each, axis=axis) for each in (y_true * y_pred, y_true, y_pred))
    return 1 - 2.0 * both / (true + predicted + EPSILON)


def tversky(y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5, axis: Any = None) -> Any:
    """As `dice`, with weights of what is only in the one set, `alpha`, and only in the other, `beta`.

    >>> round(float(tversky([1.0, 1.0], [1.0, 0.0], alpha=1.0)), 4)
    0.5
    """
    y_pred = tensor_of(y_pred)
    y_true = tf["cast"](y_true, y_pred.dtype)
    both, only_true, only_predicted = (
        tf["reduce_sum"](each, axis=axis) for each in (y_true * y_pred, (1 - y_pred) * y_true, y_pred * (1 - y_true))
    )
    return 1 - both / (both + only_true * alpha + only_predicted * beta + EPSILON)


def inside(probabilities: Any) -> Any:
    """Probabilities kept away from 0 and 1."""
    return tf["clip_by_value"](probabilities, EPSILON, 1.0 - EPSILON)
