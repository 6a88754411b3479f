"""Labels and probabilities -> the largest value of one rate among the thresholds at which another is large enough."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.metrics.base import Metric
from tapeviz.tf.keras.metrics.confusion import COUNTS, counted
from tapeviz.tf.keras.metrics.thresholds import Thresholds

RECALL, PRECISION = ("true_positives", "false_negatives"), ("true_positives", "false_positives")
SPECIFICITY = ("true_negatives", "false_positives")
"""The counts a and b of a rate a / (a + b)."""


class Constrained(Metric):
    """Base class of the metrics of two rates."""

    _direction_ = "up"
    _told_: ClassVar[str]
    """The name of the argument: the least value of the first rate."""
    _least_: ClassVar[tuple[str, str]]
    """The counts of the rate that has a least value."""
    _best_: ClassVar[tuple[str, str]]
    """The counts of the rate of which the largest value is wanted."""

    def __init__(self, value: float, num_thresholds: int, class_id: int | None, name: str | None, dtype: Any) -> None:
        if not 0 <= value <= 1:
            raise ValueError(f"Argument `{self._told_}` must be in the range [0, 1]. Received: {self._told_}={value}")
        super().__init__(dtype, name)
        if num_thresholds <= 0:
            raise ValueError(f"Argument `num_thresholds` must be an integer > 0. Received: {num_thresholds=}")
        setattr(self, self._told_, value)
        self.value, self.num_thresholds, self.class_id = value, num_thresholds, class_id
        inner = [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)]
        self._thresholds = Thresholds([0.5] if num_thresholds == 1 else [0.0, *inner, 1.0])
        for each in COUNTS:
            setattr(self, each, self.add_variable((len(self.thresholds),), "zeros", name=each))

    @property
    def thresholds(self) -> list[Any]:
        """The thresholds that probabilities are compared with."""
        return self._thresholds.values

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Take the predictions for a batch in."""
        found = counted(y_true, y_pred, self._thresholds, sample_weight, class_id=self.class_id)
        for name, count in found.items():
            getattr(self, name).assign_add(count)

    def result(self) -> Any:
        """The largest value of the one rate where the other is large enough; 0 if that is nowhere."""
        least, wanted = self._rate_(self._least_), self._rate_(self._best_)
        return tf["reduce_max"](tf["where"](least >= self.value, wanted, 0.0))

    def _rate_(self, counts: tuple[str, str]) -> Any:
        some, others = (getattr(self, name) for name in counts)
        return tf["math.divide_no_nan"](some, some + others)

    def get_config(self) -> dict[str, Any]:
        """The arguments of `__init__`."""
        own = {"class_id": self.class_id, "num_thresholds": self.num_thresholds, self._told_: self.value}
        return super().get_config() | own


class SensitivityAtSpecificity(Constrained):
    """The largest recall at a specificity of at least so much (`tf.keras.metrics.SensitivityAtSpecificity`).

    Args:
        specificity: the least specificity, from 0 to 1.
        num_thresholds: how many thresholds, spread from 0 to 1.
        class_id: the only class that counts.
        name: the name of the metric.
        dtype: the dtype of its state.

    Raises:
        ValueError: a specificity that is not from 0 to 1, or no thresholds.

    >>> import tapeviz as tf
    >>> float(
    ...     tf.keras.metrics.SensitivityAtSpecificity(0.5)(tf.constant([0, 0, 1, 1]), tf.constant([0.0, 0.5, 0.3, 0.9]))
    ... )
    1.0
    """

    _told_, _least_, _best_ = "specificity", SPECIFICITY, RECALL

    def __init__(
        self,
        specificity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(specificity, num_thresholds, class_id, name, dtype)


class SpecificityAtSensitivity(Constrained):
    """The largest specificity at a sensitivity of at least so much (`tf.keras.metrics.SpecificityAtSensitivity`).

    Args:
        sensitivity: the least sensitivity, from 0 to 1.
        num_thresholds: how many thresholds, spread from 0 to 1.
        class_id: the only class that counts.
        name: the name of the metric.
        dtype: the dtype of its state.

    Raises:
        ValueError: a sensitivity that is not from 0 to 1, or no thresholds.

    >>> import tapeviz as tf
    >>> float(
    ...     tf.keras.metrics.SpecificityAtSensitivity(0.5)(tf.constant([0, 0, 1, 1]), tf.constant([0.0, 0.5, 0.3, 0.9]))
    ... )
    1.0
    """

    _told_, _least_, _best_ = "sensitivity", RECALL, SPECIFICITY

    def __init__(
        self,
        sensitivity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(sensitivity, num_thresholds, class_id, name, dtype)


class PrecisionAtRecall(Constrained):
    """The largest precision at a recall of at least so much (`tf.keras.metrics.PrecisionAtRecall`).

    Args:
        recall: the least recall, from 0 to 1.
        num_thresholds: how many thresholds, spread from 0 to 1.
        class_id: the only class that counts.
        name: the name of the metric.
        dtype: the dtype of its state.

    Raises:
        ValueError: a recall that is not from 0 to 1, or no thresholds.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.PrecisionAtRecall(0.5)(tf.constant([0, 0, 1, 1]), tf.constant([0.0, 0.5, 0.3, 0.9])))
    1.0
    """

    _told_, _least_, _best_ = "recall", RECALL, PRECISION

    def __init__(
        self,
        recall: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(recall, num_thresholds, class_id, name, dtype)


class RecallAtPrecision(Constrained):
    """The largest recall at a precision of at least so much (`tf.keras.metrics.RecallAtPrecision`).

    Args:
        precision: the least precision, from 0 to 1.
        num_thresholds: how many thresholds, spread from 0 to 1.
        class_id: the only class that counts.
        name: the name of the metric.
        dtype: the dtype of its state.

    Raises:
        ValueError: a precision that is not from 0 to 1, or no thresholds.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.RecallAtPrecision(0.5)(tf.constant([0, 0, 1, 1]), tf.constant([0.0, 0.5, 0.3, 0.9])))
    1.0
    """

    _told_, _least_, _best_ = "precision", PRECISION, RECALL

    def __init__(
        self,
        precision: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(precision, num_thresholds, class_id, name, dtype)
