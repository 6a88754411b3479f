"""A step count -> the learning rate of that step (`tf.keras.optimizers.schedules`)."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from tapeviz.engine.api import EXPORTS as tf
from tapeviz.engine.api import missing
from tapeviz.engine.constant import convert_to_tensor
from tapeviz.keras.serialization import Configured, Registry, serialized


class LearningRateSchedule(Configured):
    """A learning rate that depends on the step: subclass it with `__call__(step)`.

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
        """Its arguments by name.

        Raises:
            NotImplementedError: its class tells of none.
        """
        if not self._settings_:
            raise NotImplementedError(
                f"Learning rate schedule '{type(self).__name__}' must override `get_config()` in order to be "
                "serializable."
            )
        return super().get_config()


class _Decay(LearningRateSchedule):
    """A rate that has decayed once after each `decay_steps`, and in between by parts, unless in a staircase."""

    _settings_ = ("initial_learning_rate", "decay_steps", "decay_rate", "staircase", "name")

    def __init__(self, rate: float, decay_steps: int, decay_rate: float, staircase: bool, name: str) -> None:
        _require_steps(decay_steps)
        self.initial_learning_rate = rate
        self.decay_steps, self.decay_rate, self.staircase, self.name = decay_steps, decay_rate, staircase, name

    def __call__(self, step: Any) -> Any:
        start = convert_to_tensor(self.initial_learning_rate)
        kind = start.dtype.as_numpy_dtype  # integers too, which leave nothing of a rate below 1
        times = tf["cast"](step, start.dtype) / kind(self.decay_steps)
        times = tf["floor"](times) if self.staircase else times
        return self._decayed_(tf["cast"](start, times.dtype), float(kind(np.float32(self.decay_rate))), times)

    def _decayed_(self, start: Any, rate: float, times: Any) -> Any:
        """The learning rate after it has decayed so many times."""
        raise NotImplementedError


class ExponentialDecay(_Decay):
    """initial_learning_rate * decay_rate ** (step / decay_steps); with `staircase`, in whole steps.

    Raises:
        ValueError: decay_steps that are not positive.

    >>> float(ExponentialDecay(1.0, decay_steps=10, decay_rate=0.25)(5))
    0.5
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        decay_rate: float,
        staircase: bool = False,
        name: str = "ExponentialDecay",
    ) -> None:
        super().__init__(initial_learning_rate, decay_steps, decay_rate, staircase, name)

    def _decayed_(self, start: Any, rate: float, times: Any) -> Any:
        return start * tf["pow"](rate, times)


class InverseTimeDecay(_Decay):
    """initial_learning_rate / (1 + decay_rate * step / decay_steps); with `staircase`, in whole steps.

    Raises:
        ValueError: decay_steps that are not positive.

    >>> float(InverseTimeDecay(1.0, decay_steps=10, decay_rate=3.0)(10))
    0.25
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        decay_rate: float,
        staircase: bool = False,
        name: str = "InverseTimeDecay",
    ) -> None:
        super().__init__(initial_learning_rate, decay_steps, decay_rate, staircase, name)

    def _decayed_(self, start: Any, rate: float, times: Any) -> Any:
        return start / (1.0 + rate * times)


class PolynomialDecay(LearningRateSchedule):
    """From one rate to another along (1 - step / decay_steps) ** power; with `cycle`, again and again, ever longer.

    Raises:
        ValueError: decay_steps that are not positive.

    >>> float(PolynomialDecay(1.0, decay_steps=10, end_learning_rate=0.5)(5))
    0.75
    """

    _settings_ = ("initial_learning_rate", "decay_steps", "end_learning_rate", "power", "cycle", "name")

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        end_learning_rate: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        name: str = "PolynomialDecay",
    ) -> None:
        _require_steps(decay_steps)
        self.initial_learning_rate, self.end_learning_rate = initial_learning_rate, end_learning_rate
        self.decay_steps, self.power, self.cycle, self.name = decay_steps, power, cycle, name

    def __call__(self, step: Any) -> Any:
        start = convert_to_tensor(self.initial_learning_rate)
        now, steps = tf["cast"](step, start.dtype), tf["cast"](self.decay_steps, start.dtype)
        if self.cycle:
            steps = steps * tf["maximum"](tf["math.ceil"](now / steps), 1.0)
        else:
            now = tf["minimum"](now, steps)
        return (start - self.end_learning_rate) * (1.0 - now / steps) ** float(self.power) + self.end_learning_rate


class CosineDecay(LearningRateSchedule):
    """Down half a wave of the cosine, to `alpha` times the rate; before that, up a line to `warmup_target` if given.

    Raises:
        ValueError: decay_steps that are not positive.

    >>> float(CosineDecay(1.0, decay_steps=10, alpha=0.5)(5))
    0.75
    """

    _settings_ = ("initial_learning_rate", "decay_steps", "alpha", "name", "warmup_target", "warmup_steps")

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        alpha: float = 0.0,
        name: str = "CosineDecay",
        warmup_target: float | None = None,
        warmup_steps: int = 0,
    ) -> None:
        _require_steps(decay_steps)
        self.initial_learning_rate, self.decay_steps, self.alpha = initial_learning_rate, decay_steps, alpha
        self.name, self.warmup_target, self.warmup_steps = name, warmup_target, warmup_steps

    def __call__(self, step: Any) -> Any:
        start = convert_to_tensor(self.initial_learning_rate)
        now = tf["cast"](step, start.dtype)
        if self.warmup_target is None:
            return self._down_(start, now)
        top = tf["cast"](self.warmup_target, start.dtype)
        if now < self.warmup_steps:
            return (top - start) * (now / self.warmup_steps) + start
        return self._down_(top, now - self.warmup_steps)

    def _down_(self, rate: Any, now: Any) -> Any:
        part = tf["minimum"](now, float(self.decay_steps)) / self.decay_steps
        wave = 0.5 * (1.0 + tf["cos"](part * math.pi))
        return rate * ((1 - self.alpha) * wave + self.alpha)


class CosineDecayRestarts(LearningRateSchedule):
    """Down half a wave of the cosine, then again from the top: each wave `t_mul` times longer, `m_mul` times lower.

    Args:
        initial_learning_rate: where the first wave begins.
        first_decay_steps: how long it is.
        t_mul: how many times longer each next wave is.
        m_mul: by what its top is multiplied.
        alpha: the share of the rate that all waves end at.

    Raises:
        ValueError: first_decay_steps that are not positive.

    >>> rate = CosineDecayRestarts(1.0, first_decay_steps=10, m_mul=0.5)
    >>> [round(float(rate(step)), 3) for step in (5, 10, 20)]
    [0.5, 0.5, 0.25]
    """

    _settings_ = ("initial_learning_rate", "first_decay_steps", "t_mul", "m_mul", "alpha", "name")

    def __init__(
        self,
        initial_learning_rate: float,
        first_decay_steps: int,
        t_mul: float = 2.0,
        m_mul: float = 1.0,
        alpha: float = 0.0,
        name: str = "SGDRDecay",
    ) -> None:
        _require_steps(first_decay_steps, "first_decay_steps")
        self.initial_learning_rate, self.first_decay_steps = initial_learning_rate, first_decay_steps
        self.t_mul, self.m_mul, self.alpha, self.name = t_mul, m_mul, alpha, name

    def __call__(self, step: Any) -> Any:
        start = convert_to_tensor(self.initial_learning_rate)
        times = tf["cast"](step, start.dtype) / self.first_decay_steps
        if self.t_mul == 1:
            waves = tf["floor"](times)
            part = times - waves
        else:  # the waves before this one are a geometric series
            longer = tf["cast"](self.t_mul, start.dtype)
            waves = tf["floor"](tf["math.log"](1.0 - times * (1.0 - longer)) / tf["math.log"](longer))
            length = tf["pow"](longer, waves)
            part = (times - (1.0 - length) / (1.0 - longer)) / length
        top = tf["pow"](tf["cast"](self.m_mul, start.dtype), waves)
        wave = 0.5 * top * (1.0 + tf["cos"](part * math.pi))
        return start * ((1 - self.alpha) * wave + self.alpha)


class PiecewiseConstantDecay(LearningRateSchedule):
    """One rate up to and including each boundary, the last one behind them all.

    Raises:
        ValueError: not one rate more than there are boundaries.

    >>> rate = PiecewiseConstantDecay([10, 20], [1.0, 0.5, 0.25])
    >>> float(rate(10)), float(rate(11)), float(rate(30))
    (1.0, 0.5, 0.25)
    """

    _settings_ = ("boundaries", "values", "name")

    def __init__(self, boundaries: list[Any], values: list[Any], name: str = "PiecewiseConstant") -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of length {len(values)}."
            )
        self.boundaries, self.values, self.name = boundaries, values, name

    def __call__(self, step: Any) -> Any:
        now = convert_to_tensor(step)
        past = [now > tf["cast"](each, now.dtype) for each in self.boundaries]
        within = [~past[0], *(low & ~high for low, high in pairwise(past)), past[-1]]
        values = [convert_to_tensor(each) for each in self.values]
        shares = [tf["cast"](each, values[0].dtype) * value for each, value in zip(within, values, strict=True)]
        return tf["add_n"](shares)


def _require_steps(steps: int, name: str = "decay_steps") -> None:
    if steps <= 0:
        raise ValueError(f"Argument `{name}` must be > 0. Received: {name}={steps}")


_CLASSES = (
    LearningRateSchedule, CosineDecay, CosineDecayRestarts, ExponentialDecay, InverseTimeDecay, PiecewiseConstantDecay,
    PolynomialDecay,
)  # fmt: skip
_known = Registry("learning rate schedule", {each.__name__: each for each in _CLASSES})


def serialize(learning_rate_schedule: Any) -> Any:
    """How a schedule was made, as plain values.

    >>> serialize(ExponentialDecay(1.0, 10, 0.5))["class_name"]
    'ExponentialDecay'
    """
    return serialized(learning_rate_schedule)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """A schedule from what `serialize` says of it, one's own by `custom_objects`; an unknown name stays, as in Keras.

    Raises:
        ValueError: a config that tells no name.
        TypeError: a class of one's own, or one that cannot be made of its config.

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
__getattr__ = missing("tapeviz.keras.optimizers.schedules")
