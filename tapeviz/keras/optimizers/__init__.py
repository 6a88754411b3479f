"""`tf.keras.optimizers`: gradient descent and its relatives."""

from typing import Any

from tapeviz.engine.api import missing
from tapeviz.keras.optimizers import schedules
from tapeviz.keras.optimizers.adam import Adam, Adamax, AdamW, Nadam
from tapeviz.keras.optimizers.base import Optimizer
from tapeviz.keras.optimizers.rules import SGD, Adadelta, Adagrad, RMSprop

_BY_NAME = {each.__name__.lower(): each for each in (SGD, Adam, AdamW, Nadam, Adamax, RMSprop, Adagrad, Adadelta)}


def get(identifier: Any) -> Optimizer:
    """An optimizer by its name, with its default options, or itself.

    Raises:
        ValueError: there is none of that name.

    >>> get("adam").epsilon
    1e-07
    """
    if isinstance(identifier, Optimizer):
        return identifier
    if not isinstance(identifier, str) or identifier.lower() not in _BY_NAME:
        raise ValueError(f"Could not interpret optimizer identifier: {identifier}")
    return _BY_NAME[identifier.lower()]()


__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Nadam",
    "Optimizer",
    "RMSprop",
    "get",
    "schedules",
]
__getattr__ = missing("tapeviz.keras.optimizers")
