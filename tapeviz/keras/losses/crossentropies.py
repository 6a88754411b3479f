"""True and predicted probabilities, or logits -> a cross-entropy for each example."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.api import EXPORTS as tf
from tapeviz.engine.api.arguments import require_tensor, tensor_of
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.keras.activations.functions import sigmoid
from tapeviz.keras.activations.probabilities import Probabilities
from tapeviz.keras.losses.functions import inside
from tapeviz.keras.masks import with_mask
from tapeviz.keras.symbolic.placeholders import shape_of


def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """-y log(p) - (1 - y) log(1 - p), the mean over an axis.

    Raises:
        ValueError: labels and predictions have different shapes.

    >>> round(float(binary_crossentropy([[1.0]], [[0.5]])[0]), 4)
    0.6931
    """
    y_pred = tensor_of(y_pred)
    y_true = tf["cast"](y_true, y_pred.dtype)
    _same_shape(y_true, y_pred)
    y_true = _smoothed(y_true, label_smoothing, 2)
    return tf["reduce_mean"](_of_each(y_true, y_pred, from_logits), axis=axis)


def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """-sum of y log(p) over an axis, for labels that are probabilities themselves.

    Raises:
        ValueError: labels and predictions have different shapes.

    >>> round(float(categorical_crossentropy([[0.0, 1.0]], [[0.5, 0.5]])[0]), 4)
    0.6931
    """
    y_pred = tensor_of(y_pred)
    y_true = tf["cast"](y_true, y_pred.dtype)
    y_true = _smoothed(y_true, label_smoothing, y_true.shape[-1])
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
        AttributeError: lists, where all other losses take them.

    >>> import tapeviz as tf
    >>> round(float(sparse_categorical_crossentropy(tf.constant([1]), tf.constant([[0.5, 0.5]]))[0]), 4)
    0.6931
    """
    require_tensor("sparse_categorical_crossentropy", "shape", y_true, y_pred)
    y_pred, y_true = tensor_of(y_pred), tensor_of(y_true)
    if axis not in (-1, y_pred.ndim - 1):
        raise ValueError(f"Only axis=-1 is currently supported. Received: axis={axis}")
    if y_true.ndim == y_pred.ndim and y_true.shape[-1] == 1:
        y_true = tf["squeeze"](y_true, -1)
    if y_true.ndim != y_pred.ndim - 1:
        raise ValueError(
            "Argument `output` must have rank (ndim) `target.ndim - 1`. Received: "
            f"target.shape={shape_of(y_true)}, output.shape={shape_of(y_pred)}"
        )
    if y_true.shape != y_pred.shape[:-1]:
        raise ValueError(
            "Arguments `target` and `output` must have the same shape up until the last dimension: "
            f"target.shape={shape_of(y_true)}, output.shape={shape_of(y_pred)}"
        )
    classes = tf["cast"](y_true, "int64")
    counted = None if ignore_class is None else classes != ignore_class
    if counted is not None:
        classes = tf["where"](counted, classes, tf["zeros_like"](classes))
    logits = _logits(y_pred, from_logits)
    logits = tf["math.log"](inside(y_pred)) if logits is None else logits
    found = tf["nn.sparse_softmax_cross_entropy_with_logits"](classes, logits)
    return found if counted is None else with_mask(tf["where"](counted, found, 0.0), counted)


# ----- less of what is predicted well (Lin et al., "Focal Loss for Dense Object Detection", 2017) -----


def binary_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """(1 - p)^gamma times the cross-entropy, where p is the probability of the right label; the mean over an axis.

    `alpha` is what ones count beside zeros, with `apply_class_balancing`.

    Raises:
        ValueError: labels and predictions have different shapes.

    >>> round(float(binary_focal_crossentropy([[1.0]], [[0.5]])[0]), 4)
    0.1733
    """
    y_pred = tensor_of(y_pred)
    y_true = _smoothed(tf["cast"](y_true, y_pred.dtype), label_smoothing, 2)
    _same_shape(y_true, y_pred)
    share = sigmoid(y_pred) if from_logits else y_pred
    loss = focal(y_true, share, _of_each(y_true, share, from_logits=False), apply_class_balancing, alpha, gamma)
    return tf["reduce_mean"](loss, axis=axis)


def focal(y_true: Any, share: Any, entropy: Any, balanced: bool, alpha: float, gamma: float) -> Any:
    """The cross-entropy of each number, less of what is predicted well."""
    loss = tf["pow"](1.0 - (y_true * share + (1 - y_true) * (1 - share)), gamma) * entropy
    return (y_true * alpha + (1 - y_true) * (1 - alpha)) * loss if balanced else loss


def categorical_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """-sum over an axis of alpha (1 - p)^gamma y log(p), for labels that are probabilities themselves.

    >>> round(float(categorical_focal_crossentropy([[0.0, 1.0]], [[0.5, 0.5]])[0]), 4)
    0.0433
    """
    y_pred = tensor_of(y_pred)
    y_true = tf["cast"](y_true, y_pred.dtype)
    y_true = _smoothed(y_true, label_smoothing, y_true.shape[-1])
    return categorical_focal(y_true, y_pred, alpha, gamma, from_logits, axis)


def categorical_focal(y_true: Any, y_pred: Any, alpha: float, gamma: float, from_logits: bool, axis: int) -> Any:
    """The same for tensors of one shape and dtype."""
    shares = tf["nn.softmax"](y_pred, axis=axis) if from_logits else y_pred
    shares = inside(shares / tf["reduce_sum"](shares, axis, keepdims=True))
    return tf["reduce_sum"](tf["pow"](1.0 - shares, gamma) * alpha * (-y_true * tf["math.log"](shares)), axis)


# ----- what they have in common -----


def _smoothed(y_true: Any, part: float, classes: int) -> Any:
    """Labels of which a part is spread over all classes."""
    return y_true * (1.0 - part) + part / classes if part else y_true


def _of_each(y_true: Any, y_pred: Any, from_logits: bool) -> Any:
    """The cross-entropy of each number by itself."""
    logits = _logits(y_pred, from_logits)
    if logits is not None:
        return tf["nn.sigmoid_cross_entropy_with_logits"](y_true, logits)
    p = inside(y_pred)
    return -(y_true * tf["math.log"](p) + (1 - y_true) * tf["math.log"](1 - p))


def _same_shape(y_true: TensorLike, y_pred: TensorLike) -> None:
    if y_true.shape != y_pred.shape:
        alike = "shape" if y_true.ndim == y_pred.ndim else "rank (ndim)"
        raise ValueError(
            f"Arguments `target` and `output` must have the same {alike}. "
            f"Received: target.shape={shape_of(y_true)}, output.shape={shape_of(y_pred)}"
        )


def _logits(y_pred: Any, from_logits: bool) -> Any:
    """What probabilities were made from, where that is known; a softmax or sigmoid loses nothing on the way."""
    return y_pred.logits if isinstance(y_pred, Probabilities) else y_pred if from_logits else None
