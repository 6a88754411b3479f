"""Labels and probabilities -> how many are right and wrong on each side of some thresholds, and shares of these."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.floats import floatx
from tapeviz.tf.keras.losses.operands import convert_to_tensor, same_rank
from tapeviz.tf.keras.metrics.base import Metric
from tapeviz.tf.keras.metrics.thresholds import Thresholds
from tapeviz.tf.keras.variable import Variable

TRUE_POSITIVES, FALSE_POSITIVES = "true_positives", "false_positives"
TRUE_NEGATIVES, FALSE_NEGATIVES = "true_negatives", "false_negatives"
COUNTS = (TRUE_POSITIVES, FALSE_POSITIVES, TRUE_NEGATIVES, FALSE_NEGATIVES)

BELOW_ALL = -1e10
"""The value given to predictions that are not among the best `top_k`; all others are above it."""


def counted(
    y_true: Any,
    y_pred: Any,
    thresholds: Thresholds,
    sample_weight: Any = None,
    by_label: bool = False,
    label_weights: Any = None,
    top_k: int | None = None,
    class_id: int | None = None,
) -> dict[str, Any]:
    """The numbers of true and false positives and negatives for each threshold, by name.

    Args:
        y_true: labels; all but 0 are positive.
        y_pred: a probability for each label.
        thresholds: the thresholds that the probabilities are compared with.
        sample_weight: the weight of each example, or of each label.
        by_label: whether to count each column separately; the counts then have a second axis.
        label_weights: the weight of each column.
        top_k: only the `top_k` likeliest classes can be predicted as positive.
        class_id: the only class to count.

    Raises:
        ValueError: there is a `class_id`, but the predictions have only one number for each example.
    """
    y_true, y_pred = same_rank(tf["cast"](y_true, floatx()), tf["cast"](y_pred, floatx()))
    if top_k is not None:
        y_pred = _only_best(y_pred, top_k)
    if class_id is not None:
        if y_pred.ndim == 1:
            raise ValueError(
                "When class_id is provided, y_pred must be a 2D array with shape (num_samples, num_classes), found "
                f"shape: {tuple(y_pred.shape)}"
            )
        y_true, y_pred = y_true[..., class_id], y_pred[..., class_id]
    weights = _weights(y_pred, sample_weight, label_weights)
    if not by_label:
        y_true, y_pred, weights = (tf["reshape"](each, (-1,)) for each in (y_true, y_pred, weights))
    positive, predicted = tf["cast"](y_true, "bool"), thresholds.below(y_pred)
    negative, refused = tf["logical_not"](positive), tf["logical_not"](predicted)
    pairs = ((positive, predicted), (negative, predicted), (negative, refused), (positive, refused))
    met = (tf["cast"](tf["logical_and"](*pair), floatx()) * weights for pair in pairs)
    return {name: tf["reduce_sum"](each, axis=1) for name, each in zip(COUNTS, met, strict=True)}


def _weights(y_pred: Any, sample_weight: Any, label_weights: Any) -> Any:
    weights = tf["cast"](1.0 if sample_weight is None else sample_weight, floatx())
    if 0 < weights.ndim < y_pred.ndim:
        weights = tf["reshape"](weights, (*weights.shape, *(1,) * (y_pred.ndim - weights.ndim)))
    weights = tf["broadcast_to"](weights, tuple(y_pred.shape))
    return weights if label_weights is None else weights * convert_to_tensor(label_weights, floatx())


def _only_best(y_pred: Any, k: int) -> Any:
    """The predictions, with those that are not among the best `k` of their row below all thresholds."""
    _, places = tf["math.top_k"](y_pred, k)
    best = tf["reduce_sum"](tf["one_hot"](places, y_pred.shape[-1]), axis=-2)
    return y_pred * best + BELOW_ALL * (1.0 - best)


class Counting(Metric):
    """The base class of metrics that count true and false positives and negatives for thresholds."""

    _counts_: ClassVar[tuple[str, ...]] = ()
    """The names of the counts, in the order of the variables."""

    def __init__(
        self, thresholds: Any, name: str | None, dtype: Any, top_k: int | None = None, class_id: int | None = None
    ) -> None:
        super().__init__(dtype, name)
        self._told = thresholds
        self.top_k, self.class_id = top_k, class_id
        default = 0.5 if top_k is None else BELOW_ALL
        if thresholds is None:
            self._thresholds = Thresholds([default], checked=False)
        else:
            self._thresholds = Thresholds(list(thresholds) if np.ndim(thresholds) else [thresholds])
        self._state = {each: self._counter_(each) for each in self._counts_}

    def _counter_(self, name: str) -> Variable:
        return self.add_variable((len(self.thresholds),), "zeros", name=name)

    @property
    def thresholds(self) -> list[Any]:
        """The thresholds that probabilities are compared with."""
        return self._thresholds.values

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Update the state with the labels and predictions of a batch."""
        found = counted(y_true, y_pred, self._thresholds, sample_weight, top_k=self.top_k, class_id=self.class_id)
        for name, variable in self._state.items():
            variable.assign_add(found[name])

    def get_config(self) -> dict[str, Any]:
        """The arguments of `__init__`."""
        return super().get_config() | {"thresholds": self._told}

    def _one_or_all_(self, numbers: Any) -> Any:
        """The single number if there is one threshold, else the numbers of all."""
        return tf["identity"](numbers)[0] if len(self.thresholds) == 1 else numbers


class Count(Counting):
    """The base class of metrics that are one of these counts."""

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(thresholds, name, dtype)
        (self.accumulator,) = self._state.values()

    def _counter_(self, name: str) -> Variable:
        return super()._counter_("accumulator")

    def result(self) -> Any:
        """The count; for several thresholds, the count of each."""
        return self._one_or_all_(self.accumulator)


class TruePositives(Count):
    """The number of positive labels with a probability above the threshold (`tf.keras.metrics.TruePositives`).

    Raises:
        ValueError: a threshold is not between 0 and 1.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.TruePositives()(tf.constant([0, 1, 1]), tf.constant([0.9, 0.8, 0.3])))
    1.0
    """

    _counts_ = (TRUE_POSITIVES,)


class FalsePositives(Count):
    """The number of negative labels with a probability above the threshold (`tf.keras.metrics.FalsePositives`).

    Raises:
        ValueError: a threshold is not between 0 and 1.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.FalsePositives()(tf.constant([0, 1, 1]), tf.constant([0.9, 0.8, 0.3])))
    1.0
    """

    _counts_ = (FALSE_POSITIVES,)


class TrueNegatives(Count):
    """The number of negative labels with a probability up to the threshold (`tf.keras.metrics.TrueNegatives`).

    Raises:
        ValueError: a threshold is not between 0 and 1.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.TrueNegatives()(tf.constant([0, 0, 1]), tf.constant([0.9, 0.2, 0.3])))
    1.0
    """

    _counts_ = (TRUE_NEGATIVES,)


class FalseNegatives(Count):
    """The number of positive labels with a probability up to the threshold (`tf.keras.metrics.FalseNegatives`).

    Raises:
        ValueError: a threshold is not between 0 and 1.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.FalseNegatives()(tf.constant([0, 1, 1]), tf.constant([0.9, 0.8, 0.3])))
    1.0
    """

    _counts_ = (FALSE_NEGATIVES,)


class Share(Counting):
    """The base class of metrics a / (a + b) of two of these counts."""

    _direction_ = "up"

    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(thresholds, name, dtype, top_k, class_id)
        vars(self).update(self._state)

    def result(self) -> Any:
        """The fraction, 0 if both counts are 0; for several thresholds, that of each."""
        part, rest = self._state.values()
        return self._one_or_all_(tf["math.divide_no_nan"](part, part + rest))

    def get_config(self) -> dict[str, Any]:
        """The arguments of `__init__`."""
        return super().get_config() | {"top_k": self.top_k, "class_id": self.class_id}


class Precision(Share):
    """The fraction of predictions above the threshold that are right (`tf.keras.metrics.Precision`).

    Args:
        thresholds: a number from 0 to 1, or a list of them; 0.5 by default.
        top_k: how many of the likeliest classes count as predicted.
        class_id: the only class that counts.
        name: its name.
        dtype: told in its config.

    Raises:
        ValueError: a threshold is not between 0 and 1.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.Precision()(tf.constant([0, 1, 1]), tf.constant([0.9, 0.8, 0.3])))
    0.5
    """

    _counts_ = (TRUE_POSITIVES, FALSE_POSITIVES)


class Recall(Share):
    """The fraction of positive labels with a probability above the threshold (`tf.keras.metrics.Recall`).

    Args:
        thresholds: a number from 0 to 1, or a list of them; 0.5 by default.
        top_k: how many of the likeliest classes count as predicted.
        class_id: the only class that counts.
        name: its name.
        dtype: told in its config.

    Raises:
        ValueError: a threshold is not between 0 and 1.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.Recall()(tf.constant([0, 1, 1]), tf.constant([0.9, 0.8, 0.3])))
    0.5
    """

    _counts_ = (TRUE_POSITIVES, FALSE_NEGATIVES)
