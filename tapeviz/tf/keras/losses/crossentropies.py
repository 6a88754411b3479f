"""True and predicted probabilities, or logits -> a cross-entropy for each example."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.arguments import require_tensor, tensor_of
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.tf.keras.activations.functions import sigmoid
from tapeviz.tf.keras.activations.probabilities import Probabilities
from tapeviz.tf.keras.losses.functions import inside
from tapeviz.tf.keras.masks import with_mask
from tapeviz.tf.keras.symbolic.placeholders import shape_of


def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """The mean of -y * log(p) - (1 - y) * log(1 - p) over an axis.

    Args:
        y_true: labels, 0 or 1, or probabilities.
        y_pred: probabilities in the same shape.
        from_logits: whether predictions are logits, so that p = sigmoid(y_pred).
        label_smoothing: how far labels are moved from 0 and 1 towards 0.5.
        axis: the axis of the mean.

    Raises:
        ValueError: the shapes differ.

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
    """The sum of -y * log(p) over an axis.

    Args:
        y_true: one-hot labels, or probabilities.
        y_pred: probabilities in the same shape.
        from_logits: whether predictions are logits, so that p = softmax(y_pred).
        label_smoothing: how far labels are moved towards equal probabilities.
        axis: the axis of the classes.

    Raises:
        ValueError: the shapes differ.

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
    """-log(p) of the right class.

    As in Keras, probabilities are normalized again: the gradient is that of a softmax of their logarithms.

    Args:
        y_true: labels that are class numbers.
        y_pred: a probability for each class.
        from_logits: whether predictions are logits, so that p = softmax(y_pred).
        ignore_class: a label whose loss is 0.
        axis: the axis of the classes, which must be the last one.

    Raises:
        ValueError: the shape of the labels is not that of the predictions without the last axis, or another `axis`.
        AttributeError: the arguments are lists.

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
    """The mean of (1 - p) ** gamma times the cross-entropy over an axis, where p is the probability of the right label.

    Args:
        y_true: labels, 0 or 1.
        y_pred: probabilities in the same shape.
        apply_class_balancing: whether ones have the weight `alpha`, and zeros 1 - `alpha`.
        alpha: that weight.
        gamma: how much less well predicted labels count.
        from_logits: whether predictions are logits.
        label_smoothing: how far labels are moved from 0 and 1 towards 0.5.
        axis: the axis of the mean.

    Raises:
        ValueError: the shapes differ.

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
    """Cross-entropies, multiplied by the factor by which a focal loss reduces those of well predicted labels."""
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
    """The sum of -alpha * (1 - p) ** gamma * y * log(p) over an axis.

    Args:
        y_true: one-hot labels, or probabilities.
        y_pred: probabilities in the same shape.
        alpha: a factor, or one for each class.
        gamma: how much less well predicted labels count.
        from_logits: whether predictions are logits.
        label_smoothing: how far labels are moved towards equal probabilities.
        axis: the axis of the classes.

    >>> round(float(categorical_focal_crossentropy([[0.0, 1.0]], [[0.5, 0.5]])[0]), 4)
    0.0433
    """
    y_pred = tensor_of(y_pred)
    y_true = tf["cast"](y_true, y_pred.dtype)
    y_true = _smoothed(y_true, label_smoothing, y_true.shape[-1])
    return categorical_focal(y_true, y_pred, alpha, gamma, from_logits, axis)


def categorical_focal(y_true: Any, y_pred: Any, alpha: float, gamma: float, from_logits: bool, axis: int) -> Any:
    """`categorical_focal_crossentropy` of tensors of one shape and dtype."""
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
