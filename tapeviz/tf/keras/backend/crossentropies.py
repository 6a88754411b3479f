"""True and predicted values -> cross-entropies of each example, as `tf.keras.backend` has them."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.floats import EPSILON
from tapeviz.tf.keras.losses.crossentropies import categorical_focal, focal
from tapeviz.tf.keras.losses.functions import inside


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """The binary cross-entropy, elementwise.

    Args:
        target: labels, 0 or 1, or probabilities.
        output: probabilities.
        from_logits: whether they are logits.

    >>> round(float(binary_crossentropy(1.0, 0.5)), 4)
    0.6931
    """
    target, output = tensor_of(target), tensor_of(output)
    if from_logits:
        return tf["nn.sigmoid_cross_entropy_with_logits"](target, output)
    output = inside(output)
    known = target * tf["math.log"](output + EPSILON)
    return -(known + (1 - target) * tf["math.log"](1 - output + EPSILON))


def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """The cross-entropy between two distributions along an axis.

    Args:
        target: one-hot labels, or probabilities.
        output: probabilities, which are divided by their sum.
        from_logits: whether they are logits.
        axis: the axis of the classes.

    >>> round(float(categorical_crossentropy([0.0, 1.0], [2.0, 2.0])), 4)
    0.6931
    """
    target, output = tensor_of(target), tensor_of(output)
    target.shape.assert_is_compatible_with(output.shape)
    if from_logits:
        return tf["nn.softmax_cross_entropy_with_logits"](target, output, axis)
    output = inside(output / tf["reduce_sum"](output, axis, True))
    return -tf["reduce_sum"](target * tf["math.log"](output), axis)


def sparse_categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1, ignore_class: int | None = None
) -> Any:
    """The cross-entropy for labels that are class numbers.

    Args:
        target: the labels.
        output: a probability for each class.
        from_logits: whether they are logits.
        axis: the axis of the classes.
        ignore_class: a label whose loss is 0.

    >>> round(float(sparse_categorical_crossentropy([1], [[0.5, 0.5]])[0]), 4)
    0.6931
    """
    target, output = tf["cast"](tensor_of(target), "int64"), tensor_of(output)
    if not from_logits:
        output = tf["math.log"](inside(output))
    rank = output.shape.rank
    if axis % rank != rank - 1:
        output = tf["transpose"](output, [each for each in range(rank) if each != axis % rank] + [axis % rank])
    shape = output.shape[:-1]
    reshaped = target.shape.rank != rank - 1
    if reshaped:
        target, output = tf["reshape"](target, [-1]), tf["reshape"](output, [-1, output.shape[-1]])
    valid = None if ignore_class is None else target != ignore_class
    if valid is not None:
        target = tf["where"](valid, target, 0)
    losses = tf["nn.sparse_softmax_cross_entropy_with_logits"](target, output)
    if valid is not None:
        losses = tf["where"](valid, losses, 0.0)
    return tf["reshape"](losses, shape) if reshaped and (rank >= 3 or valid is not None) else losses


def binary_focal_crossentropy(
    target: Any,
    output: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
) -> Any:
    """The binary cross-entropy with less weight for well predicted labels, elementwise.

    Args:
        target: labels, 0 or 1.
        output: probabilities.
        apply_class_balancing: whether ones have the weight `alpha`, and zeros 1 - `alpha`.
        alpha: that weight.
        gamma: how much less well predicted labels count.
        from_logits: whether `output` are logits.

    >>> round(float(binary_focal_crossentropy(1.0, 0.5)), 4)
    0.1733
    """
    share = tf["sigmoid"](output) if from_logits else output
    entropy = binary_crossentropy(target, output, from_logits)
    return focal(target, share, entropy, apply_class_balancing, alpha, gamma)


def categorical_focal_crossentropy(
    target: Any, output: Any, alpha: float = 0.25, gamma: float = 2.0, from_logits: bool = False, axis: int = -1
) -> Any:
    """The cross-entropy between two distributions with less weight for well predicted labels.

    Args:
        target: one-hot labels, or probabilities.
        output: probabilities.
        alpha: a factor.
        gamma: how much less well predicted labels count.
        from_logits: whether `output` are logits.
        axis: the axis of the classes.

    >>> round(float(categorical_focal_crossentropy([0.0, 1.0], [0.5, 0.5])), 4)
    0.0433
    """
    target, output = tensor_of(target), tensor_of(output)
    target.shape.assert_is_compatible_with(output.shape)
    return categorical_focal(target, output, alpha, gamma, from_logits, axis)
