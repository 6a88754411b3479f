"""The losses of a batch that `functions` computes for each example."""

from __future__ import annotations

from typing import Any

from tapeviz.tf.keras.losses import functions
from tapeviz.tf.keras.losses.base import MEAN, LossFunction


class MeanSquaredError(LossFunction):
    """The squares of the differences.

    Args:
        reduction: how the losses of the examples are combined, as in `Loss`.
        name: the name of the loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanSquaredError()(tf.constant([0.0, 2.0]), tf.constant([0.0, 0.0])))
    2.0
    """

    def __init__(
        self,
        reduction: str | None = MEAN,
        name: str | None = "mean_squared_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.mean_squared_error, name, reduction, dtype)


class MeanAbsoluteError(LossFunction):
    """The absolute values of the differences.

    Args:
        reduction: how the losses of the examples are combined, as in `Loss`.
        name: the name of the loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanAbsoluteError()(tf.constant([0.0, 2.0]), tf.constant([0.0, 0.0])))
    1.0
    """

    def __init__(
        self,
        reduction: str | None = MEAN,
        name: str | None = "mean_absolute_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.mean_absolute_error, name, reduction, dtype)


class Huber(LossFunction):
    """Half the squares of the differences up to `delta`, and straight lines beyond it.

    Args:
        delta: the difference at which the line starts.
        reduction: how the losses of the examples are combined, as in `Loss`.
        name: the name of the loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.Huber()(tf.constant([0.0, 2.0]), tf.constant([0.0, 0.0])))
    0.75
    """

    def __init__(
        self,
        delta: float = 1.0,
        reduction: str | None = MEAN,
        name: str | None = "huber_loss",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.huber, name, reduction, dtype, delta=delta)


class MeanAbsolutePercentageError(LossFunction):
    """100 times the differences as fractions of the true values.

    Args:
        reduction: how the losses of the examples are combined, as in `Loss`.
        name: the name of the loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanAbsolutePercentageError()(tf.constant([1.0, 2.0]), tf.constant([1.5, 2.0])))
    25.0
    """

    def __init__(
        self,
        reduction: str | None = MEAN,
        name: str | None = "mean_absolute_percentage_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.mean_absolute_percentage_error, name, reduction, dtype)


class MeanSquaredLogarithmicError(LossFunction):
    """The squares of the differences of log(y + 1).

    Args:
        reduction: how the losses of the examples are combined, as in `Loss`.
        name: the name of the loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanSquaredLogarithmicError()(tf.constant([0.0, 1.0]), tf.constant([0.0, 1.0])))
    0.0
    """

    def __init__(
        self,
        reduction: str | None = MEAN,
        name: str | None = "mean_squared_logarithmic_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.mean_squared_logarithmic_error, name, reduction, dtype)


class LogCosh(LossFunction):
    """log(cosh(difference)).

    Args:
        reduction: how the losses of the examples are combined, as in `Loss`.
        name: the name of the loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> round(float(tf.keras.losses.LogCosh()(tf.constant([1.0]), tf.constant([0.0]))), 4)
    0.4338
    """

    def __init__(
        self,
        reduction: str | None = MEAN,
        name: str | None = "log_cosh",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.log_cosh, name, reduction, dtype)


class CosineSimilarity(LossFunction):
    """The negative cosines between vectors along an axis.

    Args:
        axis: the axis.
        reduction: how the losses of the examples are combined, as in `Loss`.
        name: the name of the loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.CosineSimilarity()(tf.constant([[0.0, 1.0]]), tf.constant([[0.0, 2.0]])))
    -1.0
    """

    def __init__(
        self,
        axis: int = -1,
        reduction: str | None = MEAN,
        name: str | None = "cosine_similarity",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.cosine_similarity, name, reduction, dtype, axis=axis)


class Poisson(LossFunction):
    """y_pred - y_true * log(y_pred).

    Args:
        reduction: how the losses of the examples are combined, as in `Loss`.
        name: the name of the loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.Poisson()(tf.constant([[0.0, 0.0]]), tf.constant([[1.0, 1.0]])))
    1.0
    """

    def __init__(
        self,
        reduction: str | None = MEAN,
        name: str | None = "poisson",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.poisson, name, reduction, dtype)


class Hinge(LossFunction):
    """max(1 - y_true * y_pred, 0), for labels -1 and 1, or 0 and 1.

    Args:
        reduction: how the losses of the examples are combined, as in `Loss`.
        name: the name of the loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.Hinge()(tf.constant([-1.0, 1.0]), tf.constant([0.5, 0.5])))
    1.0
    """

    def __init__(
        self,
        reduction: str | None = MEAN,
        name: str | None = "hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.hinge, name, reduction, dtype)


class SquaredHinge(LossFunction):
    """The square of max(1 - y_true * y_pred, 0), for labels -1 and 1, or 0 and 1.

    Args:
        reduction: how the losses of the examples are combined, as in `Loss`.
        name: the name of the loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.SquaredHinge()(tf.constant([-1.0, 1.0]), tf.constant([0.5, 0.5])))
    1.25
    """

    def __init__(
        self,
        reduction: str | None = MEAN,
        name: str | None = "squared_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.squared_hinge, name, reduction, dtype)


class CategoricalHinge(LossFunction):
    """max(1 + the largest score of a wrong class - the score of the right class, 0), for one-hot labels.

    Args:
        reduction: how the losses of the examples are combined, as in `Loss`.
        name: the name of the loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.CategoricalHinge()(tf.constant([[0.0, 1.0]]), tf.constant([[0.5, 1.0]])))
    0.5
    """

    def __init__(
        self,
        reduction: str | None = MEAN,
        name: str | None = "categorical_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.categorical_hinge, name, reduction, dtype)


class KLDivergence(LossFunction):
    """The sum of y_true * log(y_true / y_pred) over the last axis.

    Args:
        reduction: how the losses of the examples are combined, as in `Loss`.
        name: the name of the loss.
        dtype: the dtype that it is computed in.

    >>> import tapeviz as tf
    >>> round(float(tf.keras.losses.KLDivergence()(tf.constant([[0.5, 0.5]]), tf.constant([[0.25, 0.75]]))), 4)
    0.1438
    """

    def __init__(
        self,
        reduction: str | None = MEAN,
        name: str | None = "kl_divergence",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.kl_divergence, name, reduction, dtype)
