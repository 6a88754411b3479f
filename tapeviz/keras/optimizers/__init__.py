"""`tf.keras.optimizers`: gradient descent and its relatives.

- every one    `base`; `gradients`, as they are given; `averaging` of variables, `decaying` of weights; `owning`, for
               a rule of one's own
- each of them `rules`, and `adam` with its kin; `schedules` of their learning rates
"""

from typing import Any

from tapeviz.engine.api import missing
from tapeviz.keras.optimizers import schedules
from tapeviz.keras.optimizers.adam import Adam, Adamax, AdamW, Nadam
from tapeviz.keras.optimizers.base import Optimizer
from tapeviz.keras.optimizers.rules import SGD, Adadelta, Adagrad, RMSprop
from tapeviz.keras.serialization import identified, plain

_BY_NAME = {each.__name__.lower(): each for each in (SGD, Adam, AdamW, Nadam, Adamax, RMSprop, Adagrad, Adadelta)}


def get(identifier: Any) -> Any:
    """An optimizer by its name, with its default options, by its config, or itself; None stays None.

    Raises:
        ValueError: there is none of that name.

    >>> get("adam").epsilon
    1e-07
    """
    if identifier is None or isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if not isinstance(identifier, str) or identifier.lower() not in _BY_NAME:
        raise ValueError(f"Could not interpret optimizer identifier: {identifier}")
    return _BY_NAME[identifier.lower()]()


def serialize(optimizer: Optimizer) -> dict[str, Any]:
    """How an optimizer was made, as plain values.

    >>> serialize(SGD(0.5))["class_name"]
    'SGD'
    """
    told: dict[str, Any] = plain(optimizer)
    return told


def deserialize(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
    """An optimizer from what `serialize` says of it; `custom_objects` are classes by their names.

    Raises:
        ValueError: a class that is not known.

    >>> float(deserialize(serialize(SGD(0.5))).learning_rate)
    0.5
    """
    known = {**_BY_NAME, **{each.__name__: each for each in _BY_NAME.values()}, **(custom_objects or {})}
    return identified(config, known, "optimizer")


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
    "deserialize",
    "get",
    "schedules",
    "serialize",
]
__getattr__ = missing("tapeviz.keras.optimizers")
