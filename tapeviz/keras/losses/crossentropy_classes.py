"""The losses of a batch that `crossentropies` computes for each example."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.api.arguments import require_tensor
from tapeviz.keras.losses import crossentropies
from tapeviz.keras.losses.base import MEAN, Loss, LossFunction


class BinaryCrossentropy(LossFunction):
    """The mean of -y log(p) - (1 - y) log(1 - p); `from_logits` says that p = sigmoid(y_pred).

    >>> import tapeviz as tf
    >>> round(
    ...     float(
    ...         tf.keras.losses.BinaryCrossentropy(from_logits=True)(tf.constant([0.0, 1.0]), tf.constant([0.0, 0.0]))
    ...     ),
    ...     4,
    ... )
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
    """The mean of -sum(y log(p)), for one-hot labels; `from_logits` says that p = softmax(y_pred).

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
    """The mean of -log(p) of the right class, for labels that are class numbers.

    >>> import tapeviz as tf
    >>> round(
    ...     float(
    ...         tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)(
    ...             tf.constant([1]), tf.constant([[0.0, 0.0]])
    ...         )
    ...     ),
    ...     4,
    ... )
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
    """The mean of (1 - p)^gamma times the cross-entropy, where p is the probability of the right label.

    Args:
        apply_class_balancing: whether ones count `alpha`, and zeros 1 - alpha.
        gamma: how much less counts what is predicted well.
        from_logits, label_smoothing, axis: as for `BinaryCrossentropy`.

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
    """The mean of -sum(alpha (1 - p)^gamma y log(p)), for one-hot labels.

    Args:
        alpha: a factor of all, or a list of one for each class.
        gamma: how much less counts what is predicted well.
        from_logits, label_smoothing, axis: as for `CategoricalCrossentropy`.

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
