"""Labels and predictions -> the share of right ones so far: equal, the likeliest, among the k best."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.floats import floatx
from tapeviz.tf.keras.losses.operands import convert_to_tensor, pair, same_rank
from tapeviz.tf.keras.metrics.means import MeanMetricWrapper
from tapeviz.tf.keras.serialization import tells_arguments
from tapeviz.tf.keras.symbolic.operations import OPERATIONS


class ShareOfRight(MeanMetricWrapper):
    """The mean of a function that is 1 for a right prediction and 0 for a wrong one."""

    _direction_ = "up"


class Accuracy(ShareOfRight):
    """The fraction of predictions that equal the labels (`tf.keras.metrics.Accuracy`).

    Args:
        name: the name of the metric.
        dtype: the dtype of its state.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.Accuracy()(tf.constant([0, 1]), tf.constant([0, 2])))
    0.5
    """

    def __init__(self, name: str | None = "accuracy", dtype: Any = None) -> None:
        super().__init__(_equal, name, dtype)


@tells_arguments
class BinaryAccuracy(ShareOfRight):
    """The fraction of probabilities that are on the right side of a threshold (`tf.keras.metrics.BinaryAccuracy`).

    Args:
        name: the name of the metric.
        dtype: the dtype of its state.
        threshold: the threshold.

    >>> import tapeviz as tf
    >>> float(tf.keras.metrics.BinaryAccuracy()(tf.constant([0.0, 1.0]), tf.constant([0.2, 0.3])))
    0.5
    """

    def __init__(self, name: str | None = "binary_accuracy", dtype: Any = None, threshold: float = 0.5) -> None:
        super().__init__(binary_accuracy, name, dtype, threshold=threshold)
        self.threshold = threshold


class CategoricalAccuracy(ShareOfRight):
    """The fraction of examples whose most probable class is the right one, for one-hot labels.

    Args:
        name: the name of the metric.
        dtype: the dtype of its state.

    >>> import tapeviz as tf
    >>> accuracy = tf.keras.metrics.CategoricalAccuracy()
    >>> float(accuracy(tf.constant([[1, 0], [0, 1]]), tf.constant([[0.9, 0.1], [0.8, 0.2]])))
    0.5
    """

    def __init__(self, name: str | None = "categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(categorical_accuracy, name, dtype)


class SparseCategoricalAccuracy(ShareOfRight):
    """The fraction of examples whose most probable class is the right one, for labels that are class numbers.

    Args:
        name: the name of the metric.
        dtype: the dtype of its state.

    >>> import tapeviz as tf
    >>> accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
    >>> float(accuracy(tf.constant([0, 1]), tf.constant([[0.9, 0.1], [0.8, 0.2]])))
    0.5
    """

    def __init__(self, name: str | None = "sparse_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(sparse_categorical_accuracy, name, dtype)


@tells_arguments
class TopKCategoricalAccuracy(ShareOfRight):
    """The fraction of examples whose right class is among the `k` most probable ones, for one-hot labels.

    Args:
        k: how many classes count.
        name: the name of the metric.
        dtype: the dtype of its state.

    >>> import tapeviz as tf
    >>> accuracy = tf.keras.metrics.TopKCategoricalAccuracy(k=2)
    >>> float(accuracy(tf.constant([[0, 0, 1], [1, 0, 0]]), tf.constant([[0.1, 0.6, 0.3], [0.1, 0.7, 0.2]])))
    0.5
    """

    def __init__(self, k: int = 5, name: str | None = "top_k_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(top_k_categorical_accuracy, name, dtype, k=k)
        self.k = k


class SparseTopKCategoricalAccuracy(ShareOfRight):
    """`TopKCategoricalAccuracy` for labels that are class numbers.

    Args:
        k: how many classes count.
        name: the name of the metric.
        dtype: the dtype of its state.
        from_sorted_ids: whether predictions are class numbers, the most probable first.

    >>> import tapeviz as tf
    >>> accuracy = tf.keras.metrics.SparseTopKCategoricalAccuracy(k=2)
    >>> float(accuracy(tf.constant([2, 0]), tf.constant([[0.1, 0.6, 0.3], [0.1, 0.7, 0.2]])))
    0.5
    """

    _settings_ = ("name", "dtype", "k")

    def __init__(
        self,
        k: int = 5,
        name: str | None = "sparse_top_k_categorical_accuracy",
        dtype: Any = None,
        from_sorted_ids: bool = False,
    ) -> None:
        super().__init__(sparse_top_k_categorical_accuracy, name, dtype, k=k, from_sorted_ids=from_sorted_ids)
        self.k, self.from_sorted_ids = k, from_sorted_ids

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor by name; `from_sorted_ids` only if it is true."""
        return super().get_config() | ({"from_sorted_ids": True} if self.from_sorted_ids else {})


def _equal(y_true: Any, y_pred: Any) -> Any:
    """1 for each prediction that equals its label."""
    return tf["cast"](tf["equal"](*pair(y_true, y_pred)), floatx())


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """For each example, 1 if its most probable class is the right one, else 0. The labels are class numbers.

    >>> sparse_categorical_accuracy([0, 1], [[0.9, 0.1], [0.8, 0.2]]).numpy().tolist()
    [1.0, 0.0]
    """
    y_pred = tensor_of(y_pred)
    y_true = convert_to_tensor(y_true, y_pred.dtype)
    if y_true.ndim == y_pred.ndim and y_true.shape[-1] == 1:
        y_true = tf["squeeze"](y_true, -1)
    return tf["cast"](tf["equal"](y_true, tf["cast"](tf["argmax"](y_pred, -1), y_true.dtype)), floatx())


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """For each example, 1 if its most probable class is the right one, else 0. The labels are one-hot.

    >>> categorical_accuracy([[0, 1]], [[0.2, 0.8]]).numpy().tolist()
    [1.0]
    """
    return sparse_categorical_accuracy(tf["argmax"](tensor_of(y_true), -1), y_pred)


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """For each probability, 1 if it is on the right side of a threshold, else 0.

    Args:
        y_true: labels, 0 or 1.
        y_pred: probabilities.
        threshold: the threshold.

    >>> binary_accuracy([0.0, 1.0], [0.2, 0.3]).numpy().tolist()
    [1.0, 0.0]
    """
    y_true, y_pred = same_rank(tensor_of(y_true), tensor_of(y_pred))
    above = OPERATIONS["Greater"].function(y_pred, tensor_of(threshold))
    return tf["cast"](tf["equal"](y_true, tf["cast"](above, y_true.dtype)), floatx())


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5, from_sorted_ids: bool = False) -> Any:
    """For each example, 1 if its right class is among the most probable ones, else 0. The labels are class numbers.

    Args:
        y_true: the labels.
        y_pred: a probability for each class.
        k: how many classes count.
        from_sorted_ids: whether predictions are class numbers, the most probable first.

    >>> sparse_top_k_categorical_accuracy([2, 0], [[0.1, 0.6, 0.3], [0.1, 0.7, 0.2]], k=2).numpy().tolist()
    [1.0, 0.0]
    """
    y_pred = tensor_of(y_pred)
    y_true = convert_to_tensor(y_true, y_pred.dtype if from_sorted_ids else "int32")
    labels = tf["reshape"](y_true, (-1,)) if y_true.ndim > 1 else y_true
    rows = tf["reshape"](y_pred, (-1, y_pred.shape[-1])) if y_pred.ndim > 2 else y_pred
    if from_sorted_ids:
        right = tf["reduce_any"](tf["equal"](tf["expand_dims"](labels, 1), rows[:, :k]), axis=1)
    else:
        right = tf["math.in_top_k"](labels, rows, k=k)
    return tf["reshape"](tf["cast"](right, floatx()), tuple(y_true.shape))


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """For each example, 1 if its right class is among the most probable ones, else 0. The labels are one-hot.

    Args:
        y_true: the labels.
        y_pred: a probability for each class.
        k: how many classes count.

    >>> top_k_categorical_accuracy([[0, 0, 1], [1, 0, 0]], [[0.1, 0.6, 0.3], [0.1, 0.7, 0.2]], k=2).numpy().tolist()
    [1.0, 0.0]
    """
    return sparse_top_k_categorical_accuracy(tf["argmax"](tensor_of(y_true), -1), y_pred, k)
