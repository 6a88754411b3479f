"""Labels and probabilities -> the area under the curve of two rates over all thresholds (`tf.keras.metrics.AUC`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.engine.values.convert import bare
from tapeviz.tf.keras.floats import EPSILON
from tapeviz.tf.keras.losses.operands import convert_to_tensor
from tapeviz.tf.keras.metrics.base import Metric
from tapeviz.tf.keras.metrics.confusion import COUNTS, counted
from tapeviz.tf.keras.metrics.thresholds import Thresholds

CURVES = ("PR", "ROC", "PRGAIN")
HEIGHTS: dict[str, Callable[[Any, Any], Any]] = {
    "interpolation": lambda left, right: (left + right) / 2.0,
    "majoring": lambda left, right: tf["maximum"](left, right),
    "minoring": lambda left, right: tf["minimum"](left, right),
}
"""How high a curve is between two points."""


class AUC(Metric):
    """The area under a curve: 1 if a threshold separates the labels, 0.5 for random predictions.

    It is `tf.keras.metrics.AUC`.

    Args:
        num_thresholds: how many thresholds there are, at equal distances from 0 to 1.
        curve: "ROC" (true against false positive rate), "PR" (precision against recall) or "PRGAIN".
        summation_method: the height of the curve between two points: "interpolation", "minoring" for the lower point,
            or "majoring" for the higher one.
        name: the name of the metric.
        dtype: the dtype in its config.
        thresholds: the thresholds between 0 and 1, instead of their number.
        multi_label: whether each column of the labels has its own curve. The result is the mean of their areas.
        num_labels: the number of columns.
        label_weights: the weight of each column.
        from_logits: whether predictions are logits.

    Raises:
        ValueError: an unknown curve or method, fewer than two thresholds, or `num_labels` or `label_weights` without
            `multi_label`.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.AUC()(tf.constant([0, 0, 1, 1]), tf.constant([0.0, 0.5, 0.3, 0.9])))
    0.75
    """

    _direction_ = "up"
    _settings_ = (
        *Metric._settings_, "num_thresholds", "curve", "summation_method", "multi_label", "num_labels", "label_weights",
        "from_logits",
    )  # fmt: skip

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        summation_method: str = "interpolation",
        name: str | None = None,
        dtype: Any = None,
        thresholds: Any = None,
        multi_label: bool = False,
        num_labels: int | None = None,
        label_weights: Any = None,
        from_logits: bool = False,
    ) -> None:
        if curve not in CURVES:
            raise ValueError(f'Invalid AUC curve value: "{curve}". Expected values are ["PR", "ROC", "PRGAIN"]')
        if summation_method not in HEIGHTS:
            raise ValueError(
                f'Invalid AUC summation method value: "{summation_method}". '
                'Expected values are ["interpolation", "majoring", "minoring"]'
            )
        if thresholds is None and num_thresholds <= 1:
            raise ValueError(f"Argument `num_thresholds` must be an integer > 1. Received: {num_thresholds=}")
        super().__init__(dtype, name)
        if num_labels is not None and not multi_label:
            raise ValueError("`num_labels` is needed only when `multi_label` is True.")
        self._told = None if thresholds is None else list(np.sort(thresholds))
        inner = np.linspace(0.0, 1.0, num_thresholds)[1:-1] if self._told is None else self._told
        self.num_thresholds = len(inner) + 2
        self._thresholds = Thresholds([-EPSILON, *inner, 1.0 + EPSILON], checked=False)
        self.curve, self.summation_method, self.from_logits = curve, summation_method, from_logits
        self.multi_label, self.num_labels = multi_label, num_labels
        self.label_weights = None if label_weights is None else np.asarray(label_weights, np.float32)
        if not multi_label or num_labels:
            self._begin_(num_labels)

    def _begin_(self, columns: int | None) -> None:
        shape = (self.num_thresholds,) if columns is None else (self.num_thresholds, columns)
        for name in COUNTS:
            setattr(self, name, self.add_variable(shape, "zeros", name=name))

    @property
    def thresholds(self) -> list[Any]:
        """All thresholds. The first one is less than 0, and the last one greater than 1."""
        return self._thresholds.values

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return super().get_config() | ({} if self._told is None else {"thresholds": self._told})

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Update the state with the labels and predictions of a batch.

        Raises:
            ValueError: with `multi_label`, predictions without columns, or labels with another number of them.
        """
        y_pred = convert_to_tensor(y_pred, self.dtype)
        labels, predictions = np.size(bare(y_true)), np.size(y_pred._value)
        if labels != predictions and self._thresholds.spread and not self.multi_label:
            raise ValueError(
                "Argument `segment_ids` and `data` should have same leading dimension. "
                f"Got ({predictions},) v.s. ({labels},)."
            )
        if self.multi_label and y_pred.ndim != 2:
            raise ValueError(
                f"`y_pred` must have rank 2 when `multi_label=True`. Found rank {y_pred.ndim}. "
                f"Full shape received for `y_pred`: {tuple(y_pred.shape)}"
            )
        if not self.variables:
            self._begin_(y_pred.shape[1])
        if self.from_logits:
            y_pred = tf["sigmoid"](y_pred)
        factors = None if self.multi_label else self.label_weights
        found = counted(y_true, y_pred, self._thresholds, sample_weight, self.multi_label, factors)
        for name, count in found.items():
            getattr(self, name).assign_add(count)

    def result(self) -> Any:
        """The area."""
        interpolated = self.curve == "PR" and self.summation_method == "interpolation"
        parts = self._between_precisions_() if interpolated else self._between_rates_()
        if not self.multi_label:
            return tf["reduce_sum"](parts)
        areas = tf["reduce_sum"](parts, axis=0)
        if self.label_weights is None:
            return tf["reduce_mean"](areas)
        weights = convert_to_tensor(self.label_weights, areas.dtype)
        return tf["math.divide_no_nan"](tf["reduce_sum"](areas * weights), tf["reduce_sum"](weights))

    def _between_rates_(self) -> Any:
        """The areas between each two thresholds of the curve's two rates."""
        ratio = tf["math.divide_no_nan"]
        tp, fp, tn, fn = (getattr(self, name) for name in COUNTS)
        recall = ratio(tp, tp + fn)
        if self.curve == "ROC":
            x, y = ratio(fp, fp + tn), recall
        elif self.curve == "PR":
            x, y = recall, ratio(tp, tp + fp)
        else:
            odds = (tp + fn) / (fp + tn + EPSILON)
            x, y = (1.0 - odds * wrong / (tp + EPSILON) for wrong in (fn, fp))
            x = tf["clip_by_value"](x, 0.0, 1.0)
        return (x[:-1] - x[1:]) * HEIGHTS[self.summation_method](y[:-1], y[1:])

    def _between_precisions_(self) -> Any:
        """The areas between each two thresholds, right positives growing evenly with all of them (Davis, Goadrich)."""
        ratio, least = tf["math.divide_no_nan"], tf["maximum"]
        tp, fp, _, fn = (getattr(self, name) for name in COUNTS)
        positives = tp + fp
        here, there = positives[:-1], positives[1:]
        gained = tp[:-1] - tp[1:]
        slope = ratio(gained, least(here - there, 0.0))
        start = tp[1:] - slope * there
        growth = tf["where"](tf["logical_and"](here > 0, there > 0), ratio(here, least(there, 0.0)), 1.0)
        return ratio(slope * (gained + start * tf["math.log"](growth)), least(tp[1:] + fn[1:], 0.0))
