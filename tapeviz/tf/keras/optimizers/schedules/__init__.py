"""`tf.keras.optimizers.schedules`: a step count -> the learning rate of that step.

`base` is what every one is; `decays` and `cosine` are the schedules.
"""

from __future__ import annotations

from typing import Any

from tapeviz.tf.keras.optimizers.schedules.base import LearningRateSchedule
from tapeviz.tf.keras.optimizers.schedules.cosine import CosineDecay, CosineDecayRestarts
from tapeviz.tf.keras.optimizers.schedules.decays import (
    ExponentialDecay,
    InverseTimeDecay,
    PiecewiseConstantDecay,
    PolynomialDecay,
)
from tapeviz.tf.keras.registry import Registry
from tapeviz.tf.keras.serialization import serialized
from tapeviz.tf.names import missing

_CLASSES = (
    LearningRateSchedule, CosineDecay, CosineDecayRestarts, ExponentialDecay, InverseTimeDecay, PiecewiseConstantDecay,
    PolynomialDecay,
)  # fmt: skip
_known = Registry("learning rate schedule", {each.__name__: each for each in _CLASSES})


def serialize(learning_rate_schedule: Any) -> Any:
    """A description of a schedule as plain values, from which `deserialize` can make another one.

    >>> serialize(ExponentialDecay(1.0, 10, 0.5))["class_name"]
    'ExponentialDecay'
    """
    return serialized(learning_rate_schedule)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """A schedule from the description that `serialize` returns.

    Args:
        config: the description, or a name. As in Keras, an unknown name is returned unchanged.
        custom_objects: the user's classes by their names.

    Raises:
        ValueError: the description has no name.
        TypeError: the class is unknown, or does not accept the config.

    >>> float(deserialize(serialize(ExponentialDecay(1.0, decay_steps=10, decay_rate=0.25)))(5))
    0.5
    """
    return _known.deserialize(config, custom_objects)


__all__ = [
    "CosineDecay",
    "CosineDecayRestarts",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LearningRateSchedule",
    "PiecewiseConstantDecay",
    "PolynomialDecay",
    "deserialize",
    "serialize",
]
__getattr__ = missing(__name__)
