"""`tf.keras.optimizers`: gradient descent and its relatives.

- every one    `base`, with mixins: `learning_rate`, `slots`, `clipping`, `accumulating`, `averaging`, `decaying`, and
               `subclassing`; the gradients that it gets: `gradient_array`, `missing_gradients`, `shape_errors`
- each of them `rules`, and `adam` with its family; `schedules/` of their learning rates
"""

from typing import Any

from tapeviz.engine.api import missing
from tapeviz.keras.optimizers import schedules
from tapeviz.keras.optimizers.adam import Adam, Adamax, AdamW, Nadam
from tapeviz.keras.optimizers.base import Optimizer
from tapeviz.keras.optimizers.rules import SGD, Adadelta, Adagrad, Ftrl, Lion, RMSprop
from tapeviz.keras.serialization import Registry, serialized

_CLASSES = (Optimizer, SGD, Adam, AdamW, Nadam, Adamax, RMSprop, Adagrad, Adadelta, Ftrl, Lion)
_known = Registry("optimizer", {each.__name__.lower(): each for each in _CLASSES})


def get(identifier: Any) -> Any:
    """An optimizer by its name, with its default options, by its config, or itself; None stays None.

    Raises:
        ValueError: there is none of that name.

    >>> get("adam").epsilon
    1e-07
    """
    config = {"class_name": identifier, "config": {}} if isinstance(identifier, str) else identifier
    found = deserialize(config) if isinstance(config, dict) else config
    if not isinstance(found, Optimizer | None):
        raise _known.unknown(identifier)
    return found


def serialize(optimizer: Any) -> Any:
    """How an optimizer was made, as plain values.

    >>> serialize(SGD(0.5))["class_name"]
    'SGD'
    """
    return serialized(optimizer)


def deserialize(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
    """An optimizer from what `serialize` says of it, one's own by `custom_objects`; the case of letters is no matter.

    Raises:
        KeyError: a config that tells no class.
        TypeError: a class of one's own, or one that cannot be made of its config.

    >>> float(deserialize(serialize(SGD(0.5))).learning_rate)
    0.5
    """
    name = config["class_name"].lower()
    return _known.deserialize(config | {"class_name": name} if name in _known.by_name else config, custom_objects)


__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Ftrl",
    "Lion",
    "Nadam",
    "Optimizer",
    "RMSprop",
    "deserialize",
    "get",
    "schedules",
    "serialize",
]
__getattr__ = missing("tapeviz.keras.optimizers")
