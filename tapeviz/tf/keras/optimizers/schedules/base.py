"""The base class of schedules: a step count -> the learning rate of that step."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras.serialization import Configured


class LearningRateSchedule(Configured):
    """The base class of schedules, which return the learning rate for the number of a step.

    Subclasses define `__call__`.

    >>> class Halves(LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 0.5 ** int(step)
    >>> Halves()(2)
    0.25
    """

    _module_ = "keras.optimizers.schedules"

    def __call__(self, step: Any) -> Any:
        name = type(self).__name__
        raise NotImplementedError(f"Learning rate schedule '{name}' must override `__call__(self, step)`.")

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor by name.

        Raises:
            NotImplementedError: the class does not define it.
        """
        if not self._settings_:
            raise NotImplementedError(
                f"Learning rate schedule '{type(self).__name__}' must override `get_config()` in order to be "
                "serializable."
            )
        return super().get_config()


def as_float(number: Any) -> Any:
    """The number as a tensor of floats; integers become float32, as in Keras."""
    return number if number.dtype.is_floating else tf["cast"](number, "float32")


def require_steps(steps: int, name: str = "decay_steps") -> None:
    if steps <= 0:
        raise ValueError(f"Argument `{name}` must be > 0. Received: {name}={steps}")
