"""Labels and predictions -> one score for each class or output: the explained variance, the F score."""

from __future__ import annotations

import warnings
from typing import Any

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.floats import EPSILON
from tapeviz.tf.keras.losses.operands import convert_to_tensor
from tapeviz.tf.keras.metrics.base import Metric
from tapeviz.tf.keras.serialization import tells_arguments
from tapeviz.tf.keras.variable import Variable


class ScoreByColumn(Metric):
    """Base class of metrics whose state has a number for each column of the labels, made at the first batch."""

    _direction_ = "up"
    _kind_: str
    """The metric's name in error messages."""

    def _columns_(self, y_true: Any, y_pred: Any, weights: Any) -> tuple[Any, Any, Any]:
        """The labels, the predictions, and the weights of the examples as a column."""
        y_true, y_pred = convert_to_tensor(y_true, self.dtype), convert_to_tensor(y_pred, self.dtype)
        if y_true.ndim != 2 or y_pred.ndim != 2:
            raise ValueError(
                f"{self._kind_} expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
                f"y_pred.shape={tuple(y_pred.shape)} and y_true.shape={tuple(y_true.shape)}."
            )
        weights = convert_to_tensor(1.0 if weights is None else weights, self.dtype)
        return y_true, y_pred, tf["expand_dims"](weights, 1) if weights.ndim == 1 else weights


@tells_arguments
class R2Score(ScoreByColumn):
    """The fraction of the labels' variance that is explained (`tf.keras.metrics.R2Score`).

    It is 1 for perfect predictions, and 0 if every prediction is the mean of the labels.

    Args:
        class_aggregation: "uniform_average" or "variance_weighted_average" of the outputs, or None for each.
        num_regressors: the number of regressors that the predictions were made from, to adjust the score.
        name: the metric's name.
        dtype: the dtype of its state.

    Raises:
        ValueError: an unknown aggregation, a negative number, or labels or predictions that do not have two axes.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.R2Score()(tf.constant([[1.0], [2.0], [3.0]]), tf.constant([[1.0], [2.0], [2.0]])))
    0.5
    """

    _kind_ = "R2Score"
    squared_sum: Variable
    sum: Variable
    residual: Variable
    count: Variable

    def __init__(
        self,
        class_aggregation: str | None = "uniform_average",
        num_regressors: int = 0,
        name: str | None = "r2_score",
        dtype: Any = None,
    ) -> None:
        valid = (None, "uniform_average", "variance_weighted_average")
        if class_aggregation not in valid:
            raise ValueError(
                f"Invalid value for argument `class_aggregation`. Expected one of {valid}. "
                f"Received: class_aggregation={class_aggregation}"
            )
        if num_regressors < 0:
            raise ValueError(
                "Invalid value for argument `num_regressors`. Expected a value >= 0. "
                f"Received: num_regressors={num_regressors}"
            )
        super().__init__(dtype, name)
        self.class_aggregation, self.num_regressors = class_aggregation, num_regressors
        self.num_samples = self.add_variable((), "zeros", name="num_samples")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Update the state with the labels and predictions of a batch."""
        y_true, y_pred, weights = self._columns_(y_true, y_pred, sample_weight)
        if len(self.variables) == 1:
            for name in ("squared_sum", "sum", "residual", "count"):
                setattr(self, name, self.add_variable((y_true.shape[1],), "zeros", name=name))
        weights = tf["broadcast_to"](weights, tuple(y_true.shape))
        weighted = y_true * weights
        self.sum.assign_add(tf["reduce_sum"](weighted, axis=0))
        self.squared_sum.assign_add(tf["reduce_sum"](y_true * weighted, axis=0))
        self.residual.assign_add(tf["reduce_sum"](tf["square"](y_true - y_pred) * weights, axis=0))
        self.count.assign_add(tf["reduce_sum"](weights, axis=0))
        self.num_samples.assign_add(y_true._value.size)

    def result(self) -> Any:
        """The score; without an aggregation, that of each output."""
        variance = self.squared_sum - self.sum * (self.sum / self.count)
        scores = 1 - self.residual / variance
        scores = tf["where"](tf["math.is_inf"](scores), tf["zeros_like"](scores), scores)
        if self.class_aggregation == "uniform_average":
            scores = tf["reduce_mean"](scores)
        elif self.class_aggregation is not None:
            scores = tf["reduce_sum"](variance * scores) / tf["reduce_sum"](variance)
        return self._adjusted_(scores)

    def _adjusted_(self, scores: Any) -> Any:
        """The score, less what so many regressors explain by chance."""
        spare = self.num_samples - self.num_regressors - 1
        if self.num_regressors == 0:
            return scores
        if spare <= 0:
            warnings.warn(
                f"{self.name} is not adjusted: it needs more examples than the {self.num_regressors} regressors + 1.",
                stacklevel=3,
            )
            return scores
        return 1.0 - (1.0 - scores) * (self.num_samples - 1) / spare


@tells_arguments
class FBetaScore(ScoreByColumn):
    """The mean of precision and recall, the latter counting `beta` times as much (`tf.keras.metrics.FBetaScore`).

    Args:
        average: "micro" (all classes at once), "macro" (the mean), "weighted" (by the labels), or None for each class.
        beta: a float above 0.
        threshold: above which a prediction counts; without one, the highest of each row does.
        name: its name.
        dtype: of its state.

    Raises:
        ValueError: another average, beta or threshold, or labels and predictions without two axes.

    >>> import tapeviz as tf
    >>> score = tf.keras.metrics.FBetaScore(average="macro", beta=2.0, threshold=0.5)
    >>> round(float(score(tf.constant([[1.0, 0.0], [0.0, 1.0]]), tf.constant([[0.9, 0.8], [0.2, 0.7]]))), 4)
    0.9167
    """

    _kind_ = "FBetaScore"
    true_positives: Variable
    false_positives: Variable
    false_negatives: Variable
    intermediate_weights: Variable

    def __init__(
        self,
        average: str | None = None,
        beta: float = 1.0,
        threshold: float | None = None,
        name: str | None = "fbeta_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(dtype, name)
        if average not in (None, "micro", "macro", "weighted"):
            raise ValueError(
                "Invalid `average` argument value. Expected one of: {None, 'micro', 'macro', 'weighted'}. "
                f"Received: average={average}"
            )
        _require_float("beta", beta)
        if beta <= 0.0:
            raise ValueError(f"Invalid `beta` argument value. It should be > 0. Received: beta={beta}")
        if threshold is not None:
            _require_float("threshold", threshold)
            if not 0.0 < threshold <= 1.0:
                raise ValueError(
                    "Invalid `threshold` argument value. It should verify 0 < threshold <= 1. "
                    f"Received: threshold={threshold}"
                )
        self.average, self.beta, self.threshold = average, beta, threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Update the state with the labels and predictions of a batch."""
        y_true, y_pred, weights = self._columns_(y_true, y_pred, sample_weight)
        if not self.variables:
            shape = () if self.average == "micro" else (y_true.shape[1],)
            for name in ("true_positives", "false_positives", "false_negatives", "intermediate_weights"):
                setattr(self, name, self.add_variable(shape, "zeros", self.dtype, name=name))
        if self.threshold is None:
            highest = tf["reduce_max"](y_pred, axis=-1, keepdims=True)
            chosen = tf["logical_and"](y_pred >= highest, tf["abs"](y_pred) > 1e-9)
        else:
            chosen = y_pred > self.threshold
        found, axis = tf["cast"](chosen, self.dtype), None if self.average == "micro" else 0
        for variable, each in (
            (self.true_positives, found * y_true),
            (self.false_positives, found * (1 - y_true)),
            (self.false_negatives, (1 - found) * y_true),
            (self.intermediate_weights, y_true),
        ):
            variable.assign_add(tf["reduce_sum"](each * weights, axis))

    def result(self) -> Any:
        """The score; without an average, that of each class."""
        right = self.true_positives
        precision = right / (right + self.false_positives + EPSILON)
        recall = right / (right + self.false_negatives + EPSILON)
        factor = self.beta**2
        scores = (1 + factor) * (precision * recall) / (precision * factor + recall + EPSILON)
        if self.average == "weighted":
            weights = self.intermediate_weights / (tf["reduce_sum"](self.intermediate_weights) + EPSILON)
            return tf["reduce_sum"](scores * weights)
        return scores if self.average is None else tf["reduce_mean"](scores)


class F1Score(FBetaScore):
    """The harmonic mean of precision and recall (`tf.keras.metrics.F1Score`).

    Args:
        average: "micro" (all classes at once), "macro" (the mean), "weighted" (by the labels), or None for each class.
        threshold: above which a prediction counts; without one, the highest of each row does.
        name: its name.
        dtype: of its state.

    Raises:
        ValueError: another average or threshold, or labels and predictions without two axes.

    >>> import tapeviz as tf
    >>> score = tf.keras.metrics.F1Score(average="micro")
    >>> round(float(score(tf.constant([[1.0, 0.0], [0.0, 1.0]]), tf.constant([[0.9, 0.1], [0.7, 0.3]]))), 4)
    0.5
    """

    _settings_ = (*Metric._settings_, "average", "threshold")

    def __init__(
        self,
        average: str | None = None,
        threshold: float | None = None,
        name: str | None = "f1_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(average, 1.0, threshold, name, dtype)


def _require_float(argument: str, value: Any) -> None:
    if not isinstance(value, float):
        raise ValueError(
            f"Invalid `{argument}` argument value. It should be a Python float. "
            f"Received: {argument}={value} of type '{type(value)}'"
        )
