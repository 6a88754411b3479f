"""True and predicted values -> a loss for each example."""

from __future__ import annotations

import math
from typing import Any

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.floats import EPSILON
from tapeviz.tf.keras.losses.operands import convert_to_tensor, pair
from tapeviz.tf.keras.symbolic.promotion import result_type
from tapeviz.tf.keras.unit_vectors import normalize


def _mean(values: Any) -> Any:
    """The mean over the last axis, of integers too."""
    is_exact = values.dtype.is_integer or values.dtype.is_bool
    return tf["reduce_mean"](tf["cast"](values, "float32") if is_exact else values, axis=-1)


def _of_dtype(number: float, beside: Any) -> float:
    """A number as it is beside a tensor: without its fraction, if that holds integers."""
    return int(number) if beside.dtype.is_integer else number


# ----- a loss per example -----


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of the squares of the differences over the last axis.

    >>> mean_squared_error([[0.0, 2.0]], [[0.0, 0.0]]).numpy().tolist()
    [2.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    return _mean(tf["square"](y_true - y_pred))


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of the absolute values of the differences over the last axis.

    >>> mean_absolute_error([[0.0, 2.0]], [[0.0, 0.0]]).numpy().tolist()
    [1.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    return _mean(tf["abs"](y_true - y_pred))


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """The mean over the last axis of half the squares of the differences, and of straight lines where they are large.

    Args:
        y_true: the true values.
        y_pred: the predicted values.
        delta: the difference at which the line starts.

    >>> huber([[0.0, 2.0]], [[0.0, 0.0]]).numpy().tolist()
    [0.75]
    """
    y_true, y_pred = pair(y_true, y_pred)
    delta, half = _of_dtype(delta, y_pred), _of_dtype(0.5, y_pred)
    error = y_pred - y_true
    size = tf["abs"](error)
    return _mean(tf["where"](size <= delta, half * tf["square"](error), delta * size - half * delta**2))


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """100 times the mean over the last axis of the differences as fractions of the true values.

    >>> mean_absolute_percentage_error([[1.0, 2.0]], [[1.5, 2.0]]).numpy().tolist()
    [25.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    least = tf["maximum"](tf["abs"](y_true), _of_dtype(EPSILON, y_pred))
    return 100.0 * _mean(tf["abs"]((y_true - y_pred) / least))


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of the squares of the differences of log(y + 1) over the last axis. Negative numbers count as 0.

    >>> mean_squared_logarithmic_error([[0.0, 1.0]], [[0.0, 1.0]]).numpy().tolist()
    [0.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    y_pred, y_true = (tf["cast"](each, result_type(each.dtype, "float32")) for each in (y_pred, y_true))
    predicted, true = (tf["math.log"](tf["maximum"](each, EPSILON) + 1.0) for each in (y_pred, y_true))
    return _mean(tf["square"](predicted - true))


def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """The mean of log(cosh(difference)) over the last axis. It is about half the square for small differences.

    >>> round(float(log_cosh([[1.0]], [[0.0]])[0]), 4)
    0.4338
    """
    y_true, y_pred = pair(y_true, y_pred)
    error = y_pred - y_true
    return _mean(error + tf["math.softplus"](error * -2.0) - math.log(2.0))


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """The negative cosine between two vectors along an axis. It is -1 if they have the same direction.

    Args:
        y_true: the true vectors.
        y_pred: the predicted vectors.
        axis: the axis.

    >>> cosine_similarity([[0.0, 1.0]], [[0.0, 2.0]]).numpy().tolist()
    [-1.0]
    """
    y_true, y_pred = (normalize(each, axis) for each in pair(y_true, y_pred))
    return -tf["reduce_sum"](y_true * y_pred, axis=axis)


def poisson(y_true: Any, y_pred: Any) -> Any:
    """The mean of y_pred - y_true * log(y_pred) over the last axis.

    >>> poisson([[0.0, 0.0]], [[1.0, 1.0]]).numpy().tolist()
    [1.0]
    """
    y_pred = tensor_of(y_pred)
    y_true = convert_to_tensor(y_true, y_pred.dtype)
    return _mean(y_pred - y_true * tf["math.log"](y_pred + EPSILON))


def hinge(y_true: Any, y_pred: Any) -> Any:
    """The mean of max(1 - y_true * y_pred, 0) over the last axis. Labels 0 and 1 are read as -1 and 1.

    >>> hinge([[0.0, 1.0]], [[0.5, 0.5]]).numpy().tolist()
    [1.0]
    """
    return _mean(_short_of_margin(y_true, y_pred))


def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """The mean of the squares of max(1 - y_true * y_pred, 0) over the last axis. Labels 0 and 1 are read as -1 and 1.

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
    """max(1 + the largest score of a wrong class - the score of the right class, 0), for one-hot labels.

    >>> categorical_hinge([[0.0, 1.0]], [[0.5, 1.0]]).numpy().tolist()
    [0.5]
    """
    y_pred = tensor_of(y_pred)
    y_true = tf["cast"](y_true, y_pred.dtype)
    right = tf["reduce_sum"](y_true * y_pred, axis=-1)
    return tf["maximum"](tf["reduce_max"]((1.0 - y_true) * y_pred, axis=-1) - right + 1.0, 0.0)


def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """The sum of y_true * log(y_true / y_pred) over the last axis.

    >>> kl_divergence([[0.5, 0.5]], [[0.5, 0.5]]).numpy().tolist()
    [0.0]
    """
    y_pred = tensor_of(y_pred)
    y_true = tf["clip_by_value"](convert_to_tensor(y_true, y_pred.dtype), EPSILON, 1.0)
    y_pred = tf["clip_by_value"](y_pred, EPSILON, 1.0)
    return tf["reduce_sum"](y_true * tf["math.log"](y_true / y_pred), axis=-1)


def inside(probabilities: Any) -> Any:
    """Probabilities, limited to a range that excludes 0 and 1."""
    return tf["clip_by_value"](probabilities, EPSILON, 1.0 - EPSILON)
