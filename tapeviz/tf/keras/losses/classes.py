"""The losses of a batch that `functions` computes for each example."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tapeviz.tf.keras.losses import functions
from tapeviz.tf.keras.losses.base import MEAN, LossFunction

OWN_NAME = ""
"""The default of an argument `name` for which the class has a name; None stands for a counted one."""


class _Named(LossFunction):
    """Base class of the losses that are a function without options, under a name of their own.

    Args:
        reduction: how the losses of the examples are combined, as in `Loss`.
        name: the name of the loss.
        dtype: the dtype that it is computed in.
    """

    _of_: ClassVar[Callable[..., Any]]
    _own_name_: ClassVar[str]

    def __init__(self, reduction: str | None = MEAN, name: str | None = OWN_NAME, dtype: Any = None) -> None:
        super().__init__(self._of_, self._own_name_ if name is OWN_NAME else name, reduction, dtype)


class MeanSquaredError(_Named):
    """The squares of the differences.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanSquaredError()(tf.constant([0.0, 2.0]), tf.constant([0.0, 0.0])))
    2.0
    """

    _of_ = staticmethod(functions.mean_squared_error)
    _own_name_ = "mean_squared_error"


class MeanAbsoluteError(_Named):
    """The absolute values of the differences.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanAbsoluteError()(tf.constant([0.0, 2.0]), tf.constant([0.0, 0.0])))
    1.0
    """

    _of_ = staticmethod(functions.mean_absolute_error)
    _own_name_ = "mean_absolute_error"


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


class MeanAbsolutePercentageError(_Named):
    """100 times the differences as fractions of the true values.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanAbsolutePercentageError()(tf.constant([1.0, 2.0]), tf.constant([1.5, 2.0])))
    25.0
    """

    _of_ = staticmethod(functions.mean_absolute_percentage_error)
    _own_name_ = "mean_absolute_percentage_error"


class MeanSquaredLogarithmicError(_Named):
    """The squares of the differences of log(y + 1).

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanSquaredLogarithmicError()(tf.constant([0.0, 1.0]), tf.constant([0.0, 1.0])))
    0.0
    """

    _of_ = staticmethod(functions.mean_squared_logarithmic_error)
    _own_name_ = "mean_squared_logarithmic_error"


class LogCosh(_Named):
    """log(cosh(difference)).

    >>> import tapeviz as tf
    >>> round(float(tf.keras.losses.LogCosh()(tf.constant([1.0]), tf.constant([0.0]))), 4)
    0.4338
    """

    _of_ = staticmethod(functions.log_cosh)
    _own_name_ = "log_cosh"


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


class Poisson(_Named):
    """y_pred - y_true * log(y_pred).

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.Poisson()(tf.constant([[0.0, 0.0]]), tf.constant([[1.0, 1.0]])))
    1.0
    """

    _of_ = staticmethod(functions.poisson)
    _own_name_ = "poisson"


class Hinge(_Named):
    """max(1 - y_true * y_pred, 0), for labels -1 and 1, or 0 and 1.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.Hinge()(tf.constant([-1.0, 1.0]), tf.constant([0.5, 0.5])))
    1.0
    """

    _of_ = staticmethod(functions.hinge)
    _own_name_ = "hinge"


class SquaredHinge(_Named):
    """The square of max(1 - y_true * y_pred, 0), for labels -1 and 1, or 0 and 1.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.SquaredHinge()(tf.constant([-1.0, 1.0]), tf.constant([0.5, 0.5])))
    1.25
    """

    _of_ = staticmethod(functions.squared_hinge)
    _own_name_ = "squared_hinge"


class CategoricalHinge(_Named):
    """max(1 + the largest score of a wrong class - the score of the right class, 0), for one-hot labels.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.CategoricalHinge()(tf.constant([[0.0, 1.0]]), tf.constant([[0.5, 1.0]])))
    0.5
    """

    _of_ = staticmethod(functions.categorical_hinge)
    _own_name_ = "categorical_hinge"


class KLDivergence(_Named):
    """The sum of y_true * log(y_true / y_pred) over the last axis.

    >>> import tapeviz as tf
    >>> round(float(tf.keras.losses.KLDivergence()(tf.constant([[0.5, 0.5]]), tf.constant([[0.25, 0.75]]))), 4)
    0.1438
    """

    _of_ = staticmethod(functions.kl_divergence)
    _own_name_ = "kl_divergence"
