"""The losses of a batch that `crossentropies` computes for each example."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.functions.arguments import require_tensor
from tapeviz.tf.keras.losses import crossentropies
from tapeviz.tf.keras.losses.base import MEAN, Loss, LossFunction


class BinaryCrossentropy(LossFunction):
    """-y * log(p) - (1 - y) * log(1 - p).

    Args:
        from_logits: whether predictions are logits, so that p = sigmoid(y_pred).
        label_smoothing: how far labels are moved from 0 and 1 towards 0.5.
        axis: the axis of the mean for each example.
        reduction: how the losses of the examples are combined, as in `Loss`.
        name: the name of the loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    >>> round(float(loss(tf.constant([0.0, 1.0]), tf.constant([0.0, 0.0]))), 4)
    0.6931
    """

    _settings_ = (*Loss._settings_, "from_logits", "label_smoothing", "axis")

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = MEAN,
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            crossentropies.binary_crossentropy,
            name,
            reduction,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class CategoricalCrossentropy(LossFunction):
    """-sum(y * log(p)), for one-hot labels.

    Args:
        from_logits: whether predictions are logits, so that p = softmax(y_pred).
        label_smoothing: how far labels are moved towards equal probabilities.
        axis: the axis of the classes.
        reduction: how the losses of the examples are combined, as in `Loss`.
        name: the name of the loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> round(float(tf.keras.losses.CategoricalCrossentropy()(tf.constant([[0.0, 1.0]]), tf.constant([[0.5, 0.5]]))), 4)
    0.6931
    """

    _settings_ = (*Loss._settings_, "from_logits", "label_smoothing", "axis")

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = MEAN,
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            crossentropies.categorical_crossentropy,
            name,
            reduction,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class SparseCategoricalCrossentropy(LossFunction):
    """-log(p) of the right class, for labels that are class numbers.

    Args:
        from_logits: whether predictions are logits, so that p = softmax(y_pred).
        ignore_class: a label whose loss is 0.
        reduction: how the losses of the examples are combined, as in `Loss`.
        axis: the axis of the classes.
        name: the name of the loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    >>> round(float(loss(tf.constant([1]), tf.constant([[0.0, 0.0]]))), 4)
    0.6931
    """

    _settings_ = (*Loss._settings_, "from_logits", "ignore_class")

    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: int | None = None,
        reduction: str | None = MEAN,
        axis: int = -1,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            crossentropies.sparse_categorical_crossentropy,
            name,
            reduction,
            dtype,
            from_logits=from_logits,
            ignore_class=ignore_class,
            axis=axis,
        )

    def _taken_(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        wanted, predicted = super()._taken_(y_true, y_pred)
        if nest.is_nested(y_true):  # of which Keras makes a list of tensors
            require_tensor(self.name, "shape", y_true)
        return wanted, predicted


class BinaryFocalCrossentropy(LossFunction):
    """(1 - p) ** gamma times the cross-entropy, where p is the probability of the right label.

    Args:
        apply_class_balancing: whether ones have the weight `alpha`, and zeros 1 - `alpha`.
        alpha: that weight.
        gamma: how much less well predicted labels count.
        from_logits: whether predictions are logits. This and the remaining arguments are those of `BinaryCrossentropy`.

    >>> import tapeviz as tf
    >>> round(float(tf.keras.losses.BinaryFocalCrossentropy()(tf.constant([1.0]), tf.constant([0.5]))), 4)
    0.1733
    """

    _settings_ = (*Loss._settings_, "from_logits", "label_smoothing", "axis", "apply_class_balancing", "alpha", "gamma")

    def __init__(
        self,
        apply_class_balancing: bool = False,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = MEAN,
        name: str | None = "binary_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            crossentropies.binary_focal_crossentropy,
            name,
            reduction,
            dtype,
            apply_class_balancing=apply_class_balancing,
            alpha=alpha,
            gamma=gamma,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class CategoricalFocalCrossentropy(LossFunction):
    """-sum(alpha * (1 - p) ** gamma * y * log(p)), for one-hot labels.

    Args:
        alpha: a factor, or a list of one for each class.
        gamma: how much less well predicted labels count.
        from_logits: whether predictions are logits. This and the remaining arguments are those of
            `CategoricalCrossentropy`.

    >>> import tapeviz as tf
    >>> loss = tf.keras.losses.CategoricalFocalCrossentropy()
    >>> round(float(loss(tf.constant([[0.0, 1.0]]), tf.constant([[0.5, 0.5]]))), 4)
    0.0433
    """

    _settings_ = (*Loss._settings_, "from_logits", "label_smoothing", "axis", "alpha", "gamma")

    def __init__(
        self,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = MEAN,
        name: str | None = "categorical_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            crossentropies.categorical_focal_crossentropy,
            name,
            reduction,
            dtype,
            alpha=alpha,
            gamma=gamma,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )
