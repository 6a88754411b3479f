"""`tf.keras.optimizers`: gradient descent and its relatives.

- every one    `base`, with mixins: `learning_rate`, `slots`, `clipping`, `accumulating`, `averaging`, `decaying`, and
               `subclassing`; the gradients that it gets: `gradient_array`, `gradient_errors`
- each of them `rules`, and `adam` with its family; `schedules/` of their learning rates
- in the log    `noting`, what each step goes by
"""

from typing import Any

from tapeviz.tf.keras.optimizers import schedules
from tapeviz.tf.keras.optimizers.adam import Adam, Adamax, AdamW, Nadam
from tapeviz.tf.keras.optimizers.base import Optimizer
from tapeviz.tf.keras.optimizers.rules import SGD, Adadelta, Adagrad, Ftrl, Lion, RMSprop
from tapeviz.tf.keras.registry import Registry
from tapeviz.tf.keras.serialization import serialized
from tapeviz.tf.names import missing

_CLASSES = (Optimizer, SGD, Adam, AdamW, Nadam, Adamax, RMSprop, Adagrad, Adadelta, Ftrl, Lion)
_known = Registry("optimizer", {each.__name__.lower(): each for each in _CLASSES})


def get(identifier: Any) -> Any:
    """An optimizer.

    Args:
        identifier: its name, for the default options; its config, or the optimizer itself. None stays None.

    Raises:
        ValueError: an unknown name.

    >>> get("adam").epsilon
    1e-07
    """
    config = {"class_name": identifier, "config": {}} if isinstance(identifier, str) else identifier
    found = deserialize(config) if isinstance(config, dict) else config
    if not isinstance(found, Optimizer | None):
        raise _known.unknown(identifier)
    return found


def serialize(optimizer: Any) -> Any:
    """A description of an optimizer as plain values, from which `deserialize` can make another one.

    >>> serialize(SGD(0.5))["class_name"]
    'SGD'
    """
    return serialized(optimizer)


def deserialize(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
    """An optimizer from the description that `serialize` returns.

    Args:
        config: the description. Upper and lower case of the name are not distinguished.
        custom_objects: the user's classes by their names.

    Raises:
        KeyError: the description has no class.
        TypeError: the class is unknown, or does not accept the config.

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
__getattr__ = missing(__name__)
