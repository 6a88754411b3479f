"""The losses of a batch that `functions` computes for each example."""

from __future__ import annotations

from typing import Any

from tapeviz.keras.losses import functions
from tapeviz.keras.losses.base import MEAN, LossFunction


class MeanSquaredError(LossFunction):
    """The mean of the squared differences.

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
    """The mean of the absolute differences.

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
    """Half the square of a difference up to `delta`, a straight line beyond it; the mean.

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
    """100 times the mean of the differences, each as a part of the true value.

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
    """The mean of the squared differences between log(y + 1).

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
    """The mean of log(cosh(difference)).

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
    """The mean of the cosines between vectors along an axis, negated.

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
    """The mean of y_pred - y_true log(y_pred).

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
    """The mean of max(1 - y_true y_pred, 0), for labels -1 and 1, or 0 and 1.

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
    """The mean of max(1 - y_true y_pred, 0) squared, for labels -1 and 1, or 0 and 1.

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
    """The mean of what the right class lacks to be 1 above the best wrong one, for one-hot labels.

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
    """The mean over the examples of the sum of y_true log(y_true / y_pred).

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


class Dice(LossFunction):
    """How little two sets have in common that are told by numbers from 0 to 1, over some axes or all.

    >>> import tapeviz as tf
    >>> round(float(tf.keras.losses.Dice()(tf.constant([1.0, 1.0]), tf.constant([1.0, 0.0]))), 4)
    0.3333
    """

    _settings_ = (*LossFunction._settings_, "axis")

    def __init__(
        self, reduction: str | None = MEAN, name: str | None = "dice", axis: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(functions.dice, name, reduction, dtype, axis=axis)


class Tversky(LossFunction):
    """As `Dice`, with weights of what is missing in the prediction, `alpha`, and of what is too much, `beta`.

    >>> import tapeviz as tf
    >>> round(float(tf.keras.losses.Tversky(1.0)(tf.constant([1.0, 1.0]), tf.constant([1.0, 0.0]))), 4)
    0.5
    """

    _settings_ = (*LossFunction._settings_, "alpha", "beta", "axis")

    def __init__(
        self,
        alpha: float = 0.5,
        beta: float = 0.5,
        reduction: str | None = MEAN,
        name: str | None = "tversky",
        axis: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.tversky, name, reduction, dtype, alpha=alpha, beta=beta, axis=axis)
