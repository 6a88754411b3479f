"""Values of many batches -> one number so far (`tf.keras.metrics`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.engine.api import EXPORTS as tf
from tapeviz.engine.api.arguments import tensor_of
from tapeviz.engine.dtypes import as_dtype
from tapeviz.keras import losses, naming
from tapeviz.keras.configuration import Configured
from tapeviz.keras.floats import floatx
from tapeviz.keras.losses import (
    KLD,
    MAE,
    MAPE,
    MSE,
    MSLE,
    binary_crossentropy,
    binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy,
    categorical_hinge,
    hinge,
    huber,
    kld,
    kullback_leibler_divergence,
    logcosh,
    mae,
    mape,
    mse,
    msle,
    poisson,
    sparse_categorical_crossentropy,
    squared_hinge,
)
from tapeviz.keras.losses.functions import heeding, same_rank, typed
from tapeviz.keras.masks import mask_of
from tapeviz.keras.variable import Variable


class Metric(Configured):
    """A number that is updated batch by batch: subclass it with `update_state` and `result`.

    Calling a metric updates it and gives the result.

    >>> class Count(Metric):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.seen = self.add_weight(name="seen")
    ...
    ...     def update_state(self, values):
    ...         self.seen.assign_add(len(values))
    ...
    ...     def result(self):
    ...         return self.seen
    >>> float(Count()([4.0, 5.0]))
    2.0
    """

    module = "keras.metrics"
    settings: tuple[str, ...] = ("name", "dtype")

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        self.name = naming.named_after(self) if name is None else name
        self.dtype = as_dtype(dtype or floatx()).name
        self.variables: list[Variable] = []

    def add_variable(
        self,
        shape: Any = (),
        initializer: Any = "zeros",
        dtype: Any = None,
        aggregation: str = "sum",
        name: str | None = None,
    ) -> Variable:
        """A variable of the metric's state, which no tape watches."""
        with naming.within(self.name):
            variable = Variable(initializer, shape, dtype or self.dtype, trainable=False, name=name)
        self.variables.append(variable)
        return variable

    def add_weight(
        self, shape: Any = (), initializer: Any = "zeros", dtype: Any = None, name: str | None = None
    ) -> Variable:
        """The same, by Keras' other name."""
        return self.add_variable(shape, initializer, dtype, name=name)

    def update_state(self, *args: Any, **kwargs: Any) -> None:
        """Take another batch in."""
        raise NotImplementedError(f"{type(self).__name__} must define update_state.")

    def result(self) -> Any:
        """The number so far, as a tensor."""
        raise NotImplementedError(f"{type(self).__name__} must define result.")

    def reset_state(self) -> None:
        """Forget every batch."""
        for variable in self.variables:
            variable.assign(variable._value * 0)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.update_state(*args, **kwargs)
        return self.result()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


class Mean(Metric):
    """The mean of all values so far, weighted if weights are given (`tf.keras.metrics.Mean`).

    >>> import tapeviz as tf
    >>> mean = tf.keras.metrics.Mean()
    >>> mean.update_state([1.0, 2.0])
    >>> mean.update_state(6.0)
    >>> float(mean.result())
    3.0
    """

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), name="total")
        self.count = self.add_variable((), name="count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Take values in; those of one example are averaged first."""
        values = typed(values, self.dtype)
        weights = None if sample_weight is None else typed(sample_weight, self.dtype)
        if weights is not None:
            values, weights = same_rank(values, weights)
            values = _averaged(values, weights.ndim)
            weights = tf["broadcast_to"](weights, tuple(values.shape))
            values, weights = _averaged(values * weights, 1), _averaged(weights, 1)
        values = _averaged(values, 1)
        self.total.assign_add(tf["reduce_sum"](values))
        self.count.assign_add(tf["reduce_sum"](weights) if weights is not None else values._value.size)

    def result(self) -> Any:
        """The mean, 0 if there were no values."""
        return tf["math.divide_no_nan"](self.total, self.count)


def _averaged(values: Any, rank: int) -> Any:
    """The mean over all axes but the first ones."""
    return tf["reduce_mean"](values, axis=tuple(range(rank, values.ndim))) if values.ndim > rank else values


class MeanOf(Mean):
    """The mean of a function of `(y_true, y_pred)`."""

    def __init__(self, function: Callable[..., Any], name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.function = function

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Take the predictions for a batch in."""
        super().update_state(self.function(y_true, y_pred), heeding(mask_of(y_pred), sample_weight, self.dtype))


class SparseCategoricalAccuracy(MeanOf):
    """The share of examples whose likeliest class is the right one (`tf.keras.metrics.SparseCategoricalAccuracy`).

    >>> import tapeviz as tf
    >>> accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
    >>> float(accuracy(tf.constant([0, 1]), tf.constant([[0.9, 0.1], [0.8, 0.2]])))
    0.5
    """

    def __init__(self, name: str | None = "sparse_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(sparse_categorical_accuracy, name, dtype)


class Accuracy(MeanOf):
    """The share of predictions that equal the labels (`tf.keras.metrics.Accuracy`).

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.Accuracy()(tf.constant([0, 1]), tf.constant([0, 2])))
    0.5
    """

    def __init__(self, name: str | None = "accuracy", dtype: Any = None) -> None:
        super().__init__(_equal, name, dtype)


class BinaryAccuracy(MeanOf):
    """The share of probabilities on the right side of the threshold (`tf.keras.metrics.BinaryAccuracy`).

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.BinaryAccuracy()(tf.constant([0.0, 1.0]), tf.constant([0.2, 0.3])))
    0.5
    """

    settings = ("name", "dtype", "threshold")

    def __init__(self, name: str | None = "binary_accuracy", dtype: Any = None, threshold: float = 0.5) -> None:
        super().__init__(lambda y_true, y_pred: binary_accuracy(y_true, y_pred, threshold), name, dtype)
        self.threshold = threshold


class CategoricalAccuracy(MeanOf):
    """The share of examples whose likeliest class is the right one, for one-hot labels.

    >>> import tapeviz as tf
    >>> accuracy = tf.keras.metrics.CategoricalAccuracy()
    >>> float(accuracy(tf.constant([[1, 0], [0, 1]]), tf.constant([[0.9, 0.1], [0.8, 0.2]])))
    0.5
    """

    def __init__(self, name: str | None = "categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(categorical_accuracy, name, dtype)


class MeanSquaredError(MeanOf):
    """The mean of the squared differences so far (`tf.keras.metrics.MeanSquaredError`).

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.MeanSquaredError()(tf.constant([0.0, 1.0]), tf.constant([0.0, 3.0])))
    2.0
    """

    def __init__(self, name: str | None = "mean_squared_error", dtype: Any = None) -> None:
        super().__init__(mse, name, dtype)


class MeanAbsoluteError(MeanOf):
    """The mean of the differences' sizes so far (`tf.keras.metrics.MeanAbsoluteError`).

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.MeanAbsoluteError()(tf.constant([0.0, 1.0]), tf.constant([0.0, 3.0])))
    1.0
    """

    def __init__(self, name: str | None = "mean_absolute_error", dtype: Any = None) -> None:
        super().__init__(mae, name, dtype)


def _equal(y_true: Any, y_pred: Any) -> Any:
    """1 for each prediction that equals its label."""
    y_pred = tensor_of(y_pred)
    y_true, y_pred = same_rank(typed(y_true, y_pred.dtype), y_pred)
    return typed(tf["equal"](y_true, y_pred), floatx())


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 for each example whose likeliest class is the right one, for labels that are class numbers.

    >>> sparse_categorical_accuracy([0, 1], [[0.9, 0.1], [0.8, 0.2]]).numpy().tolist()
    [1.0, 0.0]
    """
    y_true, y_pred = tensor_of(y_true), tensor_of(y_pred)
    if y_true.ndim == y_pred.ndim and y_true.shape[-1] == 1:
        y_true = tf["squeeze"](y_true, -1)
    return typed(tf["equal"](y_true, typed(tf["argmax"](y_pred, -1), y_true.dtype)), floatx())


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 for each example whose likeliest class is the right one, for one-hot labels.

    >>> categorical_accuracy([[0, 1]], [[0.2, 0.8]]).numpy().tolist()
    [1.0]
    """
    return sparse_categorical_accuracy(tf["argmax"](tensor_of(y_true), -1), y_pred)


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """1 for each probability on the right side of the threshold.

    >>> binary_accuracy([0.0, 1.0], [0.2, 0.3]).numpy().tolist()
    [1.0, 0.0]
    """
    y_true, y_pred = same_rank(tensor_of(y_true), tensor_of(y_pred))
    return typed(typed(y_pred > threshold, y_true.dtype) == y_true, floatx())


def accuracy_for(y_true: Any, y_pred: Any) -> Callable[..., Any]:
    """What "accuracy" means for labels and predictions of these shapes."""
    if y_pred.shape[-1] == 1:
        return binary_accuracy
    if y_true.ndim < y_pred.ndim or y_true.shape[-1] == 1:
        return sparse_categorical_accuracy
    return categorical_accuracy


_NAMED = {each.__name__: each for each in (sparse_categorical_accuracy, categorical_accuracy, binary_accuracy)}


class AccuracyByShape(MeanOf):
    """The share of right predictions; what is right is seen from the shapes of the first batch."""

    def __init__(self, name: str | None = "accuracy", dtype: Any = None) -> None:
        super().__init__(self._decide, name, dtype)

    def _decide(self, y_true: Any, y_pred: Any) -> Any:
        self.function = accuracy_for(tensor_of(y_true), tensor_of(y_pred))
        return self.function(y_true, y_pred)


def get(identifier: Any) -> Metric:
    """A metric for `compile`: by its name, from a function, or itself.

    Raises:
        ValueError: there is none of that name.

    >>> get("mae")
    <MeanOf name=mae>
    """
    if isinstance(identifier, Metric):
        return identifier
    if identifier in ("accuracy", "acc"):
        return AccuracyByShape(identifier)
    if callable(identifier):
        return MeanOf(identifier, getattr(identifier, "__name__", None) or identifier.name)
    try:
        return MeanOf(_NAMED.get(identifier) or losses.get(identifier), identifier)
    except ValueError:
        raise ValueError(f"Could not interpret metric identifier: {identifier}") from None


__all__ = [
    "KLD",
    "MAPE",
    "MSLE",
    "binary_focal_crossentropy",
    "categorical_focal_crossentropy",
    "categorical_hinge",
    "kld",
    "kullback_leibler_divergence",
    "logcosh",
    "mape",
    "msle",
    "poisson",
    "squared_hinge",
    "MAE",
    "MSE",
    "Accuracy",
    "BinaryAccuracy",
    "CategoricalAccuracy",
    "Mean",
    "MeanAbsoluteError",
    "MeanSquaredError",
    "Metric",
    "SparseCategoricalAccuracy",
    "binary_crossentropy",
    "categorical_crossentropy",
    "get",
    "hinge",
    "huber",
    "mae",
    "mse",
    "sparse_categorical_crossentropy",
    *_NAMED,
]
__getattr__ = naming.absent("tapeviz.keras.metrics", __all__)
