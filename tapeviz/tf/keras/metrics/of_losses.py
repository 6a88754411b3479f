"""Labels and predictions -> the mean so far of one of `tf.keras.losses`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tapeviz.tf.keras import losses
from tapeviz.tf.keras.losses import functions
from tapeviz.tf.keras.losses.classes import OWN_NAME
from tapeviz.tf.keras.metrics.means import MeanMetricWrapper
from tapeviz.tf.keras.serialization import tells_arguments


class _NamedMean(MeanMetricWrapper):
    """Base class of the means of a function without options, under a name of their own.

    Args:
        name: the name of the metric.
        dtype: the dtype of its state.
    """

    _of_: ClassVar[Callable[..., Any]]
    _own_name_: ClassVar[str]

    def __init_subclass__(cls, of: Callable[..., Any] | None = None, own_name: str = "", **options: Any) -> None:
        super().__init_subclass__(**options)
        if of is not None:
            cls._of_, cls._own_name_ = staticmethod(of), own_name

    def __init__(self, name: str | None = OWN_NAME, dtype: Any = None) -> None:
        super().__init__(self._of_, self._own_name_ if name is OWN_NAME else name, dtype)


class MeanSquaredError(_NamedMean, of=functions.mean_squared_error, own_name="mean_squared_error"):
    """The mean of the squares of the differences so far (`tf.keras.metrics.MeanSquaredError`).

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.MeanSquaredError()(tf.constant([0.0, 1.0]), tf.constant([0.0, 3.0])))
    2.0
    """


class MeanAbsoluteError(_NamedMean, of=functions.mean_absolute_error, own_name="mean_absolute_error"):
    """The mean of the absolute values of the differences so far (`tf.keras.metrics.MeanAbsoluteError`).

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.MeanAbsoluteError()(tf.constant([0.0, 1.0]), tf.constant([0.0, 3.0])))
    1.0
    """


class MeanAbsolutePercentageError(
    _NamedMean, of=functions.mean_absolute_percentage_error, own_name="mean_absolute_percentage_error"
):
    """100 times the mean of the differences as fractions of the true values so far.

    It is `tf.keras.metrics.MeanAbsolutePercentageError`.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.MeanAbsolutePercentageError()(tf.constant([1.0, 2.0]), tf.constant([1.5, 2.0])))
    25.0
    """


class MeanSquaredLogarithmicError(
    _NamedMean, of=functions.mean_squared_logarithmic_error, own_name="mean_squared_logarithmic_error"
):
    """The mean of the squares of the differences of log(y + 1) so far.

    It is `tf.keras.metrics.MeanSquaredLogarithmicError`.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.MeanSquaredLogarithmicError()(tf.constant([0.0, 1.0]), tf.constant([0.0, 1.0])))
    0.0
    """


class LogCoshError(_NamedMean, of=functions.log_cosh, own_name="logcosh"):
    """The mean of log(cosh(difference)) so far (`tf.keras.metrics.LogCoshError`).

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.LogCoshError()(tf.constant([0.0, 1.0]), tf.constant([0.0, 1.0])))
    0.0
    """


class Hinge(_NamedMean, of=losses.hinge, own_name="hinge"):
    """The mean of max(1 - y_true * y_pred, 0) so far (`tf.keras.metrics.Hinge`).

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.Hinge()(tf.constant([-1.0, 1.0]), tf.constant([0.5, 0.5])))
    1.0
    """


class SquaredHinge(_NamedMean, of=losses.squared_hinge, own_name="squared_hinge"):
    """The mean of the squares of max(1 - y_true * y_pred, 0) so far (`tf.keras.metrics.SquaredHinge`).

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.SquaredHinge()(tf.constant([-1.0, 1.0]), tf.constant([0.5, 0.5])))
    1.25
    """


class CategoricalHinge(_NamedMean, of=losses.categorical_hinge, own_name="categorical_hinge"):
    """The mean of the losses of `tf.keras.losses.CategoricalHinge` so far (`tf.keras.metrics.CategoricalHinge`).

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.CategoricalHinge()(tf.constant([[0.0, 1.0]]), tf.constant([[0.5, 0.25]])))
    1.25
    """


class KLDivergence(_NamedMean, of=functions.kl_divergence, own_name="kl_divergence"):
    """The mean of the sums of y_true * log(y_true / y_pred) so far (`tf.keras.metrics.KLDivergence`).

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.KLDivergence()(tf.constant([[0.5, 0.5]]), tf.constant([[0.5, 0.5]])))
    0.0
    """


class Poisson(_NamedMean, of=losses.poisson, own_name="poisson"):
    """The mean of y_pred - y_true * log(y_pred) so far (`tf.keras.metrics.Poisson`).

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.Poisson()(tf.constant([0.0, 0.0]), tf.constant([1.0, 1.0])))
    1.0
    """


class CosineSimilarity(MeanMetricWrapper):
    """The mean of the cosines between vectors along an axis so far (`tf.keras.metrics.CosineSimilarity`).

    Args:
        name: the name of the metric.
        dtype: the dtype of its state.
        axis: the axis.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.CosineSimilarity()(tf.constant([[0.0, 1.0]]), tf.constant([[0.0, 2.0]])))
    1.0
    """

    _direction_ = "up"

    def __init__(self, name: str | None = "cosine_similarity", dtype: Any = None, axis: int = -1) -> None:
        super().__init__(_cosine, name, dtype, axis=axis)


def _cosine(y_true: Any, y_pred: Any, axis: int) -> Any:
    """The cosine, of which the loss is the negative."""
    return -losses.cosine_similarity(y_true, y_pred, axis=axis)


@tells_arguments
class BinaryCrossentropy(MeanMetricWrapper):
    """The mean of -y * log(p) - (1 - y) * log(1 - p) so far (`tf.keras.metrics.BinaryCrossentropy`).

    Args:
        name: the name of the metric.
        dtype: the dtype of its state.
        from_logits: whether predictions are logits, so that p = sigmoid(y_pred).
        label_smoothing: how far labels are moved from 0 and 1 towards 0.5.

    >>> import tapeviz as tf
    >>> round(float(tf.keras.metrics.BinaryCrossentropy()(tf.constant([[1.0]]), tf.constant([[0.5]]))), 4)
    0.6931
    """

    def __init__(
        self,
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        super().__init__(
            losses.binary_crossentropy, name, dtype, from_logits=from_logits, label_smoothing=label_smoothing
        )


@tells_arguments
class CategoricalCrossentropy(MeanMetricWrapper):
    """The mean of -sum(y * log(p)) for one-hot labels so far (`tf.keras.metrics.CategoricalCrossentropy`).

    Args:
        name: the name of the metric.
        dtype: the dtype of its state.
        from_logits: whether predictions are logits, so that p = softmax(y_pred).
        label_smoothing: how far labels are moved towards equal probabilities.
        axis: the axis of the classes.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.CategoricalCrossentropy()
    >>> round(float(metric(tf.constant([[0.0, 1.0]]), tf.constant([[0.5, 0.5]]))), 4)
    0.6931
    """

    def __init__(
        self,
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
        axis: int = -1,
    ) -> None:
        options: dict[str, Any] = {"from_logits": from_logits, "label_smoothing": label_smoothing, "axis": axis}
        super().__init__(losses.categorical_crossentropy, name, dtype, **options)


@tells_arguments
class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """The mean of -log(p) of the right class so far (`tf.keras.metrics.SparseCategoricalCrossentropy`).

    Args:
        name: the name of the metric.
        dtype: the dtype of its state.
        from_logits: whether predictions are logits, so that p = softmax(y_pred).
        ignore_class: a label that does not count.
        axis: the axis of the classes.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.SparseCategoricalCrossentropy()
    >>> round(float(metric(tf.constant([1]), tf.constant([[0.5, 0.5]]))), 4)
    0.6931
    """

    def __init__(
        self,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        ignore_class: int | None = None,
        axis: int = -1,
    ) -> None:
        options: dict[str, Any] = {"from_logits": from_logits, "ignore_class": ignore_class, "axis": axis}
        super().__init__(losses.sparse_categorical_crossentropy, name, dtype, **options)
