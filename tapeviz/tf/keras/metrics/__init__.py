"""`tf.keras.metrics`: numbers that are updated batch by batch, and the functions that some are the means of.

- every one    `base`; `means`; `of_losses`, the means of losses
- each of them `accuracy`; `confusion` at `thresholds`, and `curves` over all, and two rates, one `constrained`;
               `overlap` of classes; `scores`
"""

from __future__ import annotations

from typing import Any

from tapeviz.tf.keras.losses import (
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
from tapeviz.tf.keras.metrics.accuracy import (
    Accuracy,
    BinaryAccuracy,
    CategoricalAccuracy,
    SparseCategoricalAccuracy,
    SparseTopKCategoricalAccuracy,
    TopKCategoricalAccuracy,
    binary_accuracy,
    categorical_accuracy,
    sparse_categorical_accuracy,
    sparse_top_k_categorical_accuracy,
    top_k_categorical_accuracy,
)
from tapeviz.tf.keras.metrics.base import Metric
from tapeviz.tf.keras.metrics.confusion import (
    FalseNegatives,
    FalsePositives,
    Precision,
    Recall,
    TrueNegatives,
    TruePositives,
)
from tapeviz.tf.keras.metrics.constrained import (
    PrecisionAtRecall,
    RecallAtPrecision,
    SensitivityAtSpecificity,
    SpecificityAtSensitivity,
)
from tapeviz.tf.keras.metrics.curves import AUC
from tapeviz.tf.keras.metrics.means import Mean, MeanMetricWrapper, RootMeanSquaredError, Sum
from tapeviz.tf.keras.metrics.of_losses import (
    BinaryCrossentropy,
    CategoricalCrossentropy,
    CategoricalHinge,
    CosineSimilarity,
    Hinge,
    KLDivergence,
    LogCoshError,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    MeanSquaredLogarithmicError,
    Poisson,
    SparseCategoricalCrossentropy,
    SquaredHinge,
)
from tapeviz.tf.keras.metrics.overlap import BinaryIoU, IoU, MeanIoU, OneHotIoU, OneHotMeanIoU
from tapeviz.tf.keras.metrics.scores import F1Score, FBetaScore, R2Score
from tapeviz.tf.keras.registry import Registry, by_names
from tapeviz.tf.keras.serialization import serialized
from tapeviz.tf.names import missing

_SHORT = {
    "bce": BinaryCrossentropy,
    "mse": MeanSquaredError,
    "mae": MeanAbsoluteError,
    "mape": MeanAbsolutePercentageError,
    "msle": MeanSquaredLogarithmicError,
}
_CLASSES = [each for each in globals().values() if isinstance(each, type) and issubclass(each, Metric)]
_known = Registry("metric", by_names(_CLASSES) | _SHORT | {name.upper(): each for name, each in _SHORT.items()})


def get(identifier: Any) -> Any:
    """A metric.

    Args:
        identifier: its name, its class, its config, or the metric itself, which may be a function. None stays None.

    Raises:
        ValueError: an unknown name.

    >>> get("mae")
    <MeanAbsoluteError name=mean_absolute_error>
    """
    return _known.get(identifier)


def serialize(metric: Any) -> Any:
    """A description of a metric as plain values, from which `deserialize` can make another one.

    >>> serialize(Sum())["config"]
    {'name': 'sum', 'dtype': 'float32'}
    """
    return serialized(metric)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """A metric from the description that `serialize` returns.

    Args:
        config: the description, or a name. As in Keras, an unknown name is returned unchanged.
        custom_objects: the user's classes by their names.

    Raises:
        ValueError: the description has no name.
        TypeError: the class is unknown, or does not accept the config.

    >>> deserialize(serialize(Sum("total")))
    <Sum name=total>
    """
    return _known.deserialize(config, custom_objects)


__all__ = [
    "AUC", "KLD", "MAE", "MAPE", "MSE", "MSLE", "Accuracy", "BinaryAccuracy", "BinaryCrossentropy", "BinaryIoU",
    "CategoricalAccuracy", "CategoricalCrossentropy", "CategoricalHinge", "CosineSimilarity", "F1Score", "FBetaScore",
    "FalseNegatives", "FalsePositives", "Hinge", "IoU", "KLDivergence", "LogCoshError", "Mean", "MeanAbsoluteError",
    "MeanAbsolutePercentageError", "MeanIoU", "MeanMetricWrapper", "MeanSquaredError", "MeanSquaredLogarithmicError",
    "Metric", "OneHotIoU", "OneHotMeanIoU", "Poisson", "Precision", "PrecisionAtRecall", "R2Score", "Recall",
    "RecallAtPrecision", "RootMeanSquaredError", "SensitivityAtSpecificity", "SparseCategoricalAccuracy",
    "SparseCategoricalCrossentropy", "SparseTopKCategoricalAccuracy", "SpecificityAtSensitivity", "SquaredHinge",
    "Sum", "TopKCategoricalAccuracy", "TrueNegatives", "TruePositives", "binary_accuracy", "binary_crossentropy",
    "binary_focal_crossentropy", "categorical_accuracy", "categorical_crossentropy", "categorical_focal_crossentropy",
    "categorical_hinge", "deserialize", "get", "hinge", "huber", "kld", "kullback_leibler_divergence", "logcosh",
    "mae", "mape", "mse", "msle", "poisson", "serialize", "sparse_categorical_accuracy",
    "sparse_categorical_crossentropy", "sparse_top_k_categorical_accuracy", "squared_hinge",
    "top_k_categorical_accuracy",
]  # fmt: skip
__getattr__ = missing(__name__)
