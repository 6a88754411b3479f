"""Labels and predicted classes -> how far the regions of each class overlap (intersection over union)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.floats import EPSILON
from tapeviz.tf.keras.losses.operands import convert_to_tensor
from tapeviz.tf.keras.metrics.base import Metric
from tapeviz.tf.keras.serialization import tells_arguments


@tells_arguments
class IoU(Metric):
    """The intersection over union of labels and predictions, as a mean over some classes (`tf.keras.metrics.IoU`).

    Args:
        num_classes: how many classes there are; numbers beyond them do not count.
        target_class_ids: the classes of which the mean is taken; -1 is the last.
        name: its name.
        dtype: of the counts, int64 by default.
        ignore_class: a label that does not count.
        sparse_y_true: whether labels are class numbers; else their highest entry tells the class.
        sparse_y_pred: the same of predictions.
        axis: where the entries of each class are.

    Raises:
        ValueError: a target that is none of the classes.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.IoU(num_classes=2, target_class_ids=[0])
    >>> round(float(metric(tf.constant([0, 0, 1, 1]), tf.constant([0, 1, 0, 1]))), 4)
    0.3333
    """

    _direction_ = "up"

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(dtype or "int64", name)
        try:
            largest = max(target_class_ids)
        except ValueError as error:
            raise ValueError(f"{error}: `target_class_ids` should name at least one class.") from None
        if largest >= num_classes:
            raise ValueError(f"Target class id {largest} is out of range, which is [0, {num_classes}).")
        self.num_classes, self.target_class_ids = num_classes, list(target_class_ids)
        self.ignore_class, self.axis = ignore_class, axis
        self.sparse_y_true, self.sparse_y_pred = sparse_y_true, sparse_y_pred
        self.total_cm = self.add_variable(
            (num_classes, num_classes), "zeros", self.dtype, name="total_confusion_matrix"
        )

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Update the confusion matrix with the labels and predictions of a batch, and return it."""
        y_true = y_true if self.sparse_y_true else tf["argmax"](y_true, self.axis)
        y_pred = y_pred if self.sparse_y_pred else tf["argmax"](y_pred, self.axis)
        labels, classes = (tf["reshape"](convert_to_tensor(each, self.dtype), (-1,)) for each in (y_true, y_pred))
        if "float" in str(getattr(sample_weight, "dtype", "")) and "int" in self.dtype:
            warnings.warn(
                "You are passing weight as `float`, but dtype is `int`. This may result in an incorrect weight due to "
                f"type casting Consider using integer weights. Or count in floats: {type(self).__name__}(..., "
                'dtype="float32").',
                stacklevel=2,
            )
        weights = convert_to_tensor(1.0 if sample_weight is None else sample_weight, self.dtype)
        if sample_weight is not None and weights.ndim > 1:
            weights = tf["reshape"](weights, (-1,))
        if self.ignore_class is not None:
            weights = weights * tf["cast"](labels != convert_to_tensor(self.ignore_class, self.dtype), self.dtype)
        known = convert_to_tensor(np.arange(self.num_classes), self.dtype)
        is_label, is_class = (tf["cast"](tf["expand_dims"](each, 1) == known, self.dtype) for each in (labels, classes))
        weights = tf["broadcast_to"](weights, tuple(labels.shape))
        met = tf["linalg.matmul"](is_label * tf["expand_dims"](weights, 1), is_class, transpose_a=True)
        return self.total_cm.assign_add(met)

    def result(self) -> Any:
        """The mean over the classes that labels or predictions have, 0 without any."""
        matrix = tf["cast"](self.total_cm, "float32")
        common = tf["linalg.diag_part"](matrix)
        either = tf["reduce_sum"](matrix, axis=0) + tf["reduce_sum"](matrix, axis=1) - common
        classes = [int(each) + self.num_classes * (each < 0) for each in self.target_class_ids]
        common, either = (tf["gather"](each, classes) for each in (common, either))
        seen = tf["reduce_sum"](tf["cast"](either > 1e-9, "float32"))
        return tf["math.divide_no_nan"](tf["reduce_sum"](common / (either + EPSILON)), seen)


class MeanIoU(IoU):
    """The mean intersection over union of all classes (`tf.keras.metrics.MeanIoU`).

    Args:
        num_classes: how many classes there are; numbers beyond them do not count.
        name: its name.
        dtype: of the counts, int64 by default.
        ignore_class: a label that does not count.
        sparse_y_true: whether labels are class numbers; else their highest entry tells the class.
        sparse_y_pred: the same of predictions.
        axis: where the entries of each class are.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.MeanIoU(num_classes=2)
    >>> round(float(metric(tf.constant([0, 0, 1, 1]), tf.constant([0, 1, 0, 1]))), 4)
    0.3333
    """

    _settings_ = ("num_classes", *Metric._settings_, "ignore_class", "sparse_y_true", "sparse_y_pred", "axis")

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        targets = range(num_classes)
        super().__init__(num_classes, targets, name, dtype, ignore_class, sparse_y_true, sparse_y_pred, axis)


class BinaryIoU(IoU):
    """The intersection over union of two classes, split by a threshold (`tf.keras.metrics.BinaryIoU`).

    Args:
        target_class_ids: of which classes, 0 or 1, the mean is taken.
        threshold: predictions from here on are of class 1.
        name: its name.
        dtype: of the counts, int64 by default.

    Raises:
        ValueError: a target that is neither 0 nor 1.

    >>> import tapeviz as tf
    >>> round(float(tf.keras.metrics.BinaryIoU()(tf.constant([0, 0, 1, 1]), tf.constant([0.1, 0.6, 0.3, 0.9]))), 4)
    0.3333
    """

    _settings_ = ("target_class_ids", "threshold", *Metric._settings_)

    def __init__(
        self,
        target_class_ids: Sequence[int] = (0, 1),
        threshold: float = 0.5,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(2, target_class_ids, name, dtype)
        self.threshold = threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Update the confusion matrix with the labels and predictions of a batch, and return it."""
        return super().update_state(y_true, convert_to_tensor(y_pred, "float32") >= self.threshold, sample_weight)


class OneHotIoU(IoU):
    """`IoU` for one-hot labels (`tf.keras.metrics.OneHotIoU`).

    Args:
        num_classes: how many classes there are.
        target_class_ids: the classes of which the mean is taken.
        name: its name.
        dtype: of the counts, int64 by default.
        ignore_class: a class that does not count.
        sparse_y_pred: whether predictions are class numbers; else their highest entry tells the class.
        axis: where the entries of each class are.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.OneHotIoU(num_classes=2, target_class_ids=[1])
    >>> round(float(metric(tf.constant([[0, 1], [1, 0]]), tf.constant([[0.1, 0.9], [0.2, 0.8]]))), 4)
    0.5
    """

    _settings_ = ("num_classes", "target_class_ids", *Metric._settings_, "ignore_class", "sparse_y_pred", "axis")

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(num_classes, target_class_ids, name, dtype, ignore_class, False, sparse_y_pred, axis)


class OneHotMeanIoU(MeanIoU):
    """`MeanIoU` for one-hot labels (`tf.keras.metrics.OneHotMeanIoU`).

    Args:
        num_classes: how many classes there are.
        name: its name.
        dtype: of the counts, int64 by default.
        ignore_class: a class that does not count.
        sparse_y_pred: whether predictions are class numbers; else their highest entry tells the class.
        axis: where the entries of each class are.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.OneHotMeanIoU(num_classes=2)
    >>> round(float(metric(tf.constant([[0, 1], [1, 0]]), tf.constant([[0.1, 0.9], [0.2, 0.8]]))), 4)
    0.25
    """

    _settings_ = ("num_classes", *Metric._settings_, "ignore_class", "sparse_y_pred", "axis")

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(num_classes, name, dtype, ignore_class, False, sparse_y_pred, axis)
