"""`tf.keras.losses`: losses of a batch, and the functions that give a loss for each example."""

from collections.abc import Callable
from typing import Any

from tapeviz.keras import naming
from tapeviz.keras.losses.classes import (
    BinaryCrossentropy,
    CategoricalCrossentropy,
    Hinge,
    Huber,
    KLDivergence,
    Loss,
    MeanAbsoluteError,
    MeanSquaredError,
    SparseCategoricalCrossentropy,
)
from tapeviz.keras.losses.functions import (
    binary_crossentropy,
    categorical_crossentropy,
    hinge,
    huber,
    kl_divergence,
    mean_absolute_error,
    mean_squared_error,
    sparse_categorical_crossentropy,
)

mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        each.__name__: each
        for each in (
            binary_crossentropy, categorical_crossentropy, hinge, huber, kl_divergence, mean_absolute_error,
            mean_squared_error, sparse_categorical_crossentropy,
        )
    },
    "mse": mse, "MSE": mse, "mae": mae, "MAE": mae,
}  # fmt: skip
_CLASSES: dict[str, type[Loss]] = {
    each.__name__: each
    for each in (
        BinaryCrossentropy, CategoricalCrossentropy, Hinge, Huber, KLDivergence, MeanAbsoluteError, MeanSquaredError,
        SparseCategoricalCrossentropy,
    )
}  # fmt: skip


def get(identifier: Any) -> Any:
    """A loss by its name, or itself; None stays None.

    Raises:
        ValueError: there is none of that name.

    >>> get("mse") is mean_squared_error
    True
    """
    if identifier is None or callable(identifier):
        return identifier
    if identifier in _FUNCTIONS:
        return _FUNCTIONS[identifier]
    if identifier in _CLASSES:
        return _CLASSES[identifier]()
    raise ValueError(f"Could not interpret loss identifier: {identifier}")


__all__ = sorted({*_FUNCTIONS, *_CLASSES, "Loss", "get"})
__getattr__ = naming.absent("tapeviz.keras.losses", __all__)
