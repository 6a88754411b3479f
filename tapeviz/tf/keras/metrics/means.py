"""Values of many batches -> their sum or mean so far, each example by its weight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras import losses
from tapeviz.tf.keras.losses.operands import convert_to_tensor, masked_weights, same_rank
from tapeviz.tf.keras.masks import mask_of
from tapeviz.tf.keras.metrics.base import Metric
from tapeviz.tf.keras.serialization import OfFunction, deserialized, serialized


class Sum(Metric):
    """The sum of all values so far (`tf.keras.metrics.Sum`).

    Args:
        name: the name of the metric.
        dtype: the dtype of its state.

    >>> import tapeviz as tf
    >>> total = tf.keras.metrics.Sum()
    >>> total.update_state([1.0, 2.0])
    >>> float(total([3.0, 4.0], sample_weight=[1.0, 0.5]))
    8.0
    """

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", self.dtype, name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Update the sum with some values. Those of one example are added first."""
        values, _ = _by_example(values, sample_weight, self.dtype, tf["reduce_sum"])
        self.total.assign_add(tf["reduce_sum"](values))

    def result(self) -> Any:
        """The sum."""
        return tf["identity"](self.total)


class Mean(Metric):
    """The mean of all values so far (`tf.keras.metrics.Mean`).

    Args:
        name: the name of the metric.
        dtype: the dtype of its state.

    >>> import tapeviz as tf
    >>> mean = tf.keras.metrics.Mean()
    >>> mean.update_state([1.0, 2.0])
    >>> mean.update_state(6.0)
    >>> float(mean.result())
    3.0
    """

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", self.dtype, name="total")
        self.count = self.add_variable((), "zeros", self.dtype, name="count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Update the mean with some values. Those of one example are averaged first."""
        values, weights = _by_example(values, sample_weight, self.dtype, tf["reduce_mean"])
        self.total.assign_add(tf["reduce_sum"](values))
        self.count.assign_add(values._value.size if weights is None else tf["reduce_sum"](weights))

    def result(self) -> Any:
        """The mean, 0 if there were no values."""
        return tf["math.divide_no_nan"](self.total, self.count)


def _by_example(values: Any, weights: Any, dtype: Any, reduce: Callable[..., Any]) -> tuple[Any, Any]:
    """The weighted value of each example, and its weight; several values or weights of an example are reduced."""

    def reduced(each: Any, rank: int) -> Any:
        return reduce(each, axis=tuple(range(rank, each.ndim))) if each.ndim > rank else each

    values = tf["cast"](values, dtype)
    if weights is None:
        return reduced(values, 1), None
    values, weights = same_rank(values, convert_to_tensor(weights, dtype))
    values = reduced(values, weights.ndim)
    weights = tf["broadcast_to"](weights, tuple(values.shape))
    return reduced(values * weights, 1), reduced(weights, 1)


class MeanMetricWrapper(OfFunction, Mean):
    """The mean of a function of labels and predictions so far (`tf.keras.metrics.MeanMetricWrapper`).

    Args:
        fn: the function, of `(y_true, y_pred)`.
        name: the name of the metric.
        dtype: the dtype of its state.
        kwargs: further arguments of the function.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.MeanMetricWrapper(tf.keras.losses.huber, name="huber", delta=0.5)
    >>> float(metric(tf.constant([[0.0]]), tf.constant([[2.0]])))
    0.875
    """

    def __init__(self, fn: Callable[..., Any], name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name, dtype)
        self._function, self._options = fn, kwargs
        if self._direction_ is None and losses.is_of_keras(fn):
            self._direction_ = "down"

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        told = super().get_config()
        wrapped = {"fn": serialized(self._function), **self._options} if type(self) is MeanMetricWrapper else {}
        return told | wrapped

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A new metric from a config.

        Raises:
            TypeError: the function is not one of Keras.
        """
        return cls(**config | ({"fn": deserialized(config["fn"])} if "fn" in config else {}))

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Update the state with the labels and predictions of a batch."""
        values = self._function(y_true, y_pred, **self._options)
        weights = masked_weights(mask_of(y_pred), sample_weight, self.dtype)
        if weights is not None:
            weights = masked_weights(mask_of(values), weights, self.dtype)
        super().update_state(values, weights)


class RootMeanSquaredError(Mean):
    """The square root of the mean of the squares of the differences so far (`tf.keras.metrics.RootMeanSquaredError`).

    Args:
        name: the name of the metric.
        dtype: the dtype of its state.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.RootMeanSquaredError()(tf.constant([0.0, 1.0]), tf.constant([0.0, 3.0])))
    1.4142135381698608
    """

    _direction_ = "down"

    def __init__(self, name: str | None = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Update the state with the labels and predictions of a batch."""
        y_true, y_pred = same_rank(convert_to_tensor(y_true, self.dtype), convert_to_tensor(y_pred, self.dtype))
        super().update_state(tf["square"](y_pred - y_true), sample_weight)

    def result(self) -> Any:
        """The root of the mean."""
        return tf["sqrt"](super().result())
