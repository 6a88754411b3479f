"""True and predicted values -> a loss for each example."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.api import EXPORTS
from tapeviz.engine.api.arguments import tensor_of
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.tensor import TensorLike
from tapeviz.keras.activations import Probabilities

EPSILON = 1e-7
"""Probabilities are kept this far from 0 and 1."""

tf = EXPORTS


def typed(value: Any, dtype: Any) -> Any:
    """A value as a tensor of a dtype."""
    tensor = tensor_of(value)
    return tensor if tensor.dtype is as_dtype(dtype) else tf["cast"](tensor, dtype)


def same_rank(x: Any, y: Any) -> tuple[Any, Any]:
    """Two tensors of one rank: where one has a further last axis of length 1, it is dropped, or added to a vector."""
    if abs(x.ndim - y.ndim) != 1:
        return x, y
    longer, shorter = (x, y) if x.ndim > y.ndim else (y, x)
    if longer.shape[-1] == 1:
        if shorter.ndim == 1:
            shorter = tf["expand_dims"](shorter, -1)
        else:
            longer = tf["squeeze"](longer, -1)
    return (longer, shorter) if x.ndim > y.ndim else (shorter, longer)


def heeding(mask: Any, weights: Any, dtype: Any) -> Any:
    """Weights that are 0 where a mask does not count; either may be None."""
    if mask is None:
        return weights
    counted = typed(mask, dtype)
    return counted if weights is None else tf["multiply"](*same_rank(counted, typed(weights, dtype)))


def _pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    y_pred = tensor_of(y_pred)
    return same_rank(typed(y_true, y_pred.dtype), y_pred)


def _mean(values: Any) -> Any:
    """The mean over the last axis, of integers too."""
    return tf["reduce_mean"](values if values.dtype.is_floating else typed(values, "float32"), axis=-1)


# ----- a loss per example -----


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """The mean over the last axis of the squared differences.

    >>> mean_squared_error([[0.0, 2.0]], [[0.0, 0.0]]).numpy().tolist()
    [2.0]
    """
    y_true, y_pred = _pair(y_true, y_pred)
    return _mean(tf["square"](y_true - y_pred))


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """The mean over the last axis of the absolute differences.

    >>> mean_absolute_error([[0.0, 2.0]], [[0.0, 0.0]]).numpy().tolist()
    [1.0]
    """
    y_true, y_pred = _pair(y_true, y_pred)
    return _mean(tf["abs"](y_true - y_pred))


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Half the square of a difference up to `delta`, a straight line beyond it; the mean over the last axis.

    >>> huber([[0.0, 2.0]], [[0.0, 0.0]]).numpy().tolist()
    [0.75]
    """
    y_true, y_pred = _pair(y_true, y_pred)
    error = y_pred - y_true
    size = tf["abs"](error)
    return _mean(tf["where"](size <= delta, 0.5 * tf["square"](error), delta * size - 0.5 * delta**2))


def hinge(y_true: Any, y_pred: Any) -> Any:
    """max(1 - y_true y_pred, 0), the mean over the last axis; labels 0 and 1 are read as -1 and 1.

    >>> hinge([[0.0, 1.0]], [[0.5, 0.5]]).numpy().tolist()
    [1.0]
    """
    y_pred = tensor_of(y_pred)
    y_true = typed(y_true, y_pred.dtype)
    if ((y_true._value == 0) | (y_true._value == 1)).all():
        y_true = 2.0 * y_true - 1.0
    return _mean(tf["maximum"](1.0 - y_true * y_pred, 0.0))


def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """The sum over the last axis of y_true log(y_true / y_pred).

    >>> kl_divergence([[0.5, 0.5]], [[0.5, 0.5]]).numpy().tolist()
    [0.0]
    """
    y_pred = tensor_of(y_pred)
    y_true = tf["clip_by_value"](typed(y_true, y_pred.dtype), EPSILON, 1.0)
    y_pred = tf["clip_by_value"](y_pred, EPSILON, 1.0)
    return tf["reduce_sum"](y_true * tf["math.log"](y_true / y_pred), axis=-1)


def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """-y log(p) - (1 - y) log(1 - p), the mean over an axis.

    Raises:
        ValueError: labels and predictions of different shapes.

    >>> round(float(binary_crossentropy([[1.0]], [[0.5]])[0]), 4)
    0.6931
    """
    y_pred = tensor_of(y_pred)
    y_true = typed(y_true, y_pred.dtype)
    _same_shape(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    logits = _logits(y_pred, from_logits)
    if logits is not None:
        return tf["reduce_mean"](tf["nn.sigmoid_cross_entropy_with_logits"](y_true, logits), axis=axis)
    p = inside(y_pred)
    return tf["reduce_mean"](-(y_true * tf["math.log"](p) + (1 - y_true) * tf["math.log"](1 - p)), axis=axis)


def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """-sum of y log(p) over an axis, for labels that are probabilities themselves.

    Raises:
        ValueError: labels and predictions of different shapes.

    >>> round(float(categorical_crossentropy([[0.0, 1.0]], [[0.5, 0.5]])[0]), 4)
    0.6931
    """
    y_pred = tensor_of(y_pred)
    y_true = typed(y_true, y_pred.dtype)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / y_true.shape[-1]
    _same_shape(y_true, y_pred)
    logits = _logits(y_pred, from_logits)
    if logits is not None:
        return tf["nn.softmax_cross_entropy_with_logits"](y_true, logits, axis=axis)
    p = inside(y_pred / tf["reduce_sum"](y_pred, axis, keepdims=True))
    return -tf["reduce_sum"](y_true * tf["math.log"](p), axis)


def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, ignore_class: int | None = None, axis: int = -1
) -> Any:
    """-log(p) of the right class, for labels that are class numbers.

    Probabilities are normalised once more, so that their gradient is that of a softmax over their logarithms.

    Raises:
        ValueError: labels whose shape is not that of the predictions without the last axis; another axis of classes.

    >>> round(float(sparse_categorical_crossentropy([1], [[0.5, 0.5]])[0]), 4)
    0.6931
    """
    y_pred, y_true = tensor_of(y_pred), tensor_of(y_true)
    if axis not in (-1, y_pred.ndim - 1):
        raise ValueError(f"Only axis=-1 is currently supported. Received: axis={axis}")
    if y_true.ndim == y_pred.ndim and y_true.shape[-1] == 1:
        y_true = tf["squeeze"](y_true, -1)
    if y_true.shape != y_pred.shape[:-1]:
        raise ValueError(
            "Arguments `target` and `output` must have the same shape up until the last dimension: "
            f"target.shape={tuple(y_true.shape)}, output.shape={tuple(y_pred.shape)}"
        )
    classes = typed(y_true, "int64")
    counted = None if ignore_class is None else classes != ignore_class
    if counted is not None:
        classes = tf["where"](counted, classes, tf["zeros_like"](classes))
    logits = _logits(y_pred, from_logits)
    logits = tf["math.log"](inside(y_pred)) if logits is None else logits
    found = tf["nn.sparse_softmax_cross_entropy_with_logits"](classes, logits)
    return found if counted is None else tf["where"](counted, found, 0.0)


def _same_shape(y_true: TensorLike, y_pred: TensorLike) -> None:
    if y_true.shape != y_pred.shape:
        raise ValueError(
            "Arguments `target` and `output` must have the same shape. "
            f"Received: target.shape={tuple(y_true.shape)}, output.shape={tuple(y_pred.shape)}"
        )


def _logits(y_pred: Any, from_logits: bool) -> Any:
    """What probabilities were made from, where that is known; a softmax or sigmoid loses nothing on the way."""
    return y_pred.logits if isinstance(y_pred, Probabilities) else y_pred if from_logits else None


def inside(probabilities: Any) -> Any:
    """Probabilities kept away from 0 and 1."""
    return tf["clip_by_value"](probabilities, EPSILON, 1.0 - EPSILON)
