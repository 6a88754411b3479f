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

    def __init_subclass__(cls, of: Callable[..., Any] | None = None, own_name: str = "", **options: Any) -> None:
        super().__init_subclass__(**options)
        if of is not None:
            cls._of_, cls._own_name_ = staticmethod(of), own_name

    def __init__(self, reduction: str | None = MEAN, name: str | None = OWN_NAME, dtype: Any = None) -> None:
        super().__init__(self._of_, self._own_name_ if name is OWN_NAME else name, reduction, dtype)


class MeanSquaredError(_Named, of=functions.mean_squared_error, own_name="mean_squared_error"):
    """The squares of the differences.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanSquaredError()(tf.constant([0.0, 2.0]), tf.constant([0.0, 0.0])))
    2.0
    """


class MeanAbsoluteError(_Named, of=functions.mean_absolute_error, own_name="mean_absolute_error"):
    """The absolute values of the differences.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanAbsoluteError()(tf.constant([0.0, 2.0]), tf.constant([0.0, 0.0])))
    1.0
    """


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


class MeanAbsolutePercentageError(
    _Named, of=functions.mean_absolute_percentage_error, own_name="mean_absolute_percentage_error"
):
    """100 times the differences as fractions of the true values.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanAbsolutePercentageError()(tf.constant([1.0, 2.0]), tf.constant([1.5, 2.0])))
    25.0
    """


class MeanSquaredLogarithmicError(
    _Named, of=functions.mean_squared_logarithmic_error, own_name="mean_squared_logarithmic_error"
):
    """The squares of the differences of log(y + 1).

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanSquaredLogarithmicError()(tf.constant([0.0, 1.0]), tf.constant([0.0, 1.0])))
    0.0
    """


class LogCosh(_Named, of=functions.log_cosh, own_name="log_cosh"):
    """log(cosh(difference)).

    >>> import tapeviz as tf
    >>> round(float(tf.keras.losses.LogCosh()(tf.constant([1.0]), tf.constant([0.0]))), 4)
    0.4338
    """


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


class Poisson(_Named, of=functions.poisson, own_name="poisson"):
    """y_pred - y_true * log(y_pred).

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.Poisson()(tf.constant([[0.0, 0.0]]), tf.constant([[1.0, 1.0]])))
    1.0
    """


class Hinge(_Named, of=functions.hinge, own_name="hinge"):
    """max(1 - y_true * y_pred, 0), for labels -1 and 1, or 0 and 1.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.Hinge()(tf.constant([-1.0, 1.0]), tf.constant([0.5, 0.5])))
    1.0
    """


class SquaredHinge(_Named, of=functions.squared_hinge, own_name="squared_hinge"):
    """The square of max(1 - y_true * y_pred, 0), for labels -1 and 1, or 0 and 1.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.SquaredHinge()(tf.constant([-1.0, 1.0]), tf.constant([0.5, 0.5])))
    1.25
    """


class CategoricalHinge(_Named, of=functions.categorical_hinge, own_name="categorical_hinge"):
    """max(1 + the largest score of a wrong class - the score of the right class, 0), for one-hot labels.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.CategoricalHinge()(tf.constant([[0.0, 1.0]]), tf.constant([[0.5, 1.0]])))
    0.5
    """


class KLDivergence(_Named, of=functions.kl_divergence, own_name="kl_divergence"):
    """The sum of y_true * log(y_true / y_pred) over the last axis.

    >>> import tapeviz as tf
    >>> round(float(tf.keras.losses.KLDivergence()(tf.constant([[0.5, 0.5]]), tf.constant([[0.25, 0.75]]))), 4)
    0.1438
    """
