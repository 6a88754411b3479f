"""A step count -> the learning rate of that step (`tf.keras.optimizers.schedules`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.api import EXPORTS as tf
from tapeviz.engine.constant import convert_to_tensor
from tapeviz.keras import naming
from tapeviz.keras.configuration import Configured


class LearningRateSchedule(Configured):
    """A learning rate that depends on the step: subclass it with `__call__(step)`.

    >>> class Halves(LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 0.5 ** int(step)
    >>> Halves()(2)
    0.25
    """

    module = "keras.optimizers.schedules"

    def __call__(self, step: Any) -> Any:
        name = type(self).__name__
        raise NotImplementedError(f"Learning rate schedule '{name}' must override `__call__(self, step)`.")


class ExponentialDecay(LearningRateSchedule):
    """initial_learning_rate * decay_rate ** (step / decay_steps); with `staircase`, in whole steps.

    Raises:
        ValueError: decay_steps that are not positive.

    >>> float(ExponentialDecay(1.0, decay_steps=10, decay_rate=0.25)(5))
    0.5
    """

    settings = ("initial_learning_rate", "decay_steps", "decay_rate", "staircase", "name")

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        decay_rate: float,
        staircase: bool = False,
        name: str = "ExponentialDecay",
    ) -> None:
        if decay_steps <= 0:
            raise ValueError(f"Argument `decay_steps` must be > 0. Received: decay_steps={decay_steps}")
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps, self.decay_rate, self.staircase, self.name = decay_steps, decay_rate, staircase, name

    def __call__(self, step: Any) -> Any:
        start = convert_to_tensor(self.initial_learning_rate)
        exponent = tf["cast"](step, start.dtype) / self.decay_steps
        if self.staircase:
            exponent = tf["floor"](exponent)
        return start * tf["pow"](float(np.float32(self.decay_rate)), exponent)


def get(identifier: Any) -> Any:
    """A schedule from what `get_config` of an optimizer says of it; anything else as it is.

    >>> get({"class_name": "ExponentialDecay", "config": ExponentialDecay(1.0, 1, 0.5).get_config()})(1).numpy().item()
    0.5
    """
    if not isinstance(identifier, dict):
        return identifier
    return {"ExponentialDecay": ExponentialDecay}[identifier["class_name"]].from_config(identifier["config"])


__all__ = ["ExponentialDecay", "LearningRateSchedule"]
__getattr__ = naming.absent("tapeviz.keras.optimizers.schedules", __all__)
