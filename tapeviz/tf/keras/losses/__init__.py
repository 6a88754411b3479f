"""`tf.keras.losses`: losses of a batch, and the functions that give a loss for each example.

- every one    `base`; what it is called on, `operands`
- by example   `functions` and `crossentropies`, with the classes that take them over a batch: `classes`,
               `crossentropy_classes`
- of sets      `overlap`
"""

from typing import Any

from tapeviz.tf.keras.losses import functions
from tapeviz.tf.keras.losses.base import Loss, Reduction
from tapeviz.tf.keras.losses.classes import (
    CategoricalHinge,
    CosineSimilarity,
    Hinge,
    Huber,
    KLDivergence,
    LogCosh,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    MeanSquaredLogarithmicError,
    Poisson,
    SquaredHinge,
)
from tapeviz.tf.keras.losses.crossentropies import (
    binary_crossentropy,
    binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy,
    sparse_categorical_crossentropy,
)
from tapeviz.tf.keras.losses.crossentropy_classes import (
    BinaryCrossentropy,
    BinaryFocalCrossentropy,
    CategoricalCrossentropy,
    CategoricalFocalCrossentropy,
    SparseCategoricalCrossentropy,
)
from tapeviz.tf.keras.losses.functions import (
    categorical_hinge,
    cosine_similarity,
    hinge,
    huber,
    poisson,
    squared_hinge,
)
from tapeviz.tf.keras.losses.overlap import Dice, Tversky, dice, tversky
from tapeviz.tf.keras.registry import Registry
from tapeviz.tf.keras.serialization import serialized
from tapeviz.tf.names import missing

mse = MSE = functions.mean_squared_error
mae = MAE = functions.mean_absolute_error
mape = MAPE = functions.mean_absolute_percentage_error
msle = MSLE = functions.mean_squared_logarithmic_error
kld = KLD = kullback_leibler_divergence = functions.kl_divergence
logcosh = functions.log_cosh

__all__ = [
    "KLD", "MAE", "MAPE", "MSE", "MSLE", "BinaryCrossentropy", "BinaryFocalCrossentropy", "CategoricalCrossentropy",
    "CategoricalFocalCrossentropy", "CategoricalHinge", "CosineSimilarity", "Dice", "Hinge", "Huber", "KLDivergence",
    "LogCosh", "Loss", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredError",
    "MeanSquaredLogarithmicError", "Poisson", "Reduction", "SparseCategoricalCrossentropy", "SquaredHinge", "Tversky",
    "binary_crossentropy", "binary_focal_crossentropy", "categorical_crossentropy", "categorical_focal_crossentropy",
    "categorical_hinge", "cosine_similarity", "deserialize", "dice", "get", "hinge", "huber", "kld",
    "kullback_leibler_divergence", "logcosh", "mae", "mape", "mse", "msle", "poisson", "serialize",
    "sparse_categorical_crossentropy", "squared_hinge", "tversky",
]  # fmt: skip
_NOT_BY_NAME = ("Reduction", "get", "serialize", "deserialize", "kullback_leibler_divergence", "logcosh")
_known = Registry(
    "loss",
    {
        **{name: globals()[name] for name in __all__ if name not in _NOT_BY_NAME},
        **{each.__name__: each for each in (mse, mae, mape, msle, kld, logcosh)},
        "bce": binary_crossentropy,
        "BCE": binary_crossentropy,
    },
)


def get(identifier: Any) -> Any:
    """A loss.

    Args:
        identifier: its name, its class, its config, or the loss itself, which may be a function. None stays None.

    Raises:
        ValueError: an unknown name.

    >>> get("mean_squared_error") is mse
    True
    """
    return _known.get(identifier)


def is_of_keras(loss: Any) -> bool:
    """Whether a loss is one of Keras' functions or classes, not a user's own.

    >>> is_of_keras(mse), is_of_keras(Hinge()), is_of_keras(abs)
    (True, True, False)
    """
    return any(each in (loss, type(loss)) for each in _known.by_name.values())


def serialize(loss: Any) -> Any:
    """A description of a loss as plain values, from which `deserialize` can make another one; for a function, its name.

    >>> serialize(MeanSquaredError())["config"]["name"]
    'mean_squared_error'
    """
    return serialized(loss)


def deserialize(name: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """A loss from the description that `serialize` returns.

    Args:
        name: the description, or a name. As in Keras, an unknown name is returned unchanged.
        custom_objects: the user's classes by their names.

    Raises:
        ValueError: the description has no name.
        TypeError: the class is unknown, or does not accept the config.

    >>> deserialize(serialize(Hinge())).name
    'hinge'
    """
    return _known.deserialize(name, custom_objects)


__getattr__ = missing(__name__)
