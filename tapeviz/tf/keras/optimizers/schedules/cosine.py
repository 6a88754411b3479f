"""Schedules that fall along half a cosine, once or again and again (Loshchilov and Hutter, 2016)."""

from __future__ import annotations

import math
from typing import Any

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.tf.keras import naming
from tapeviz.tf.keras.optimizers.schedules.base import LearningRateSchedule, as_float, require_steps
from tapeviz.tf.keras.serialization import tells_arguments


@tells_arguments
class CosineDecay(LearningRateSchedule):
    """A rate that falls along half a period of a cosine.

    Args:
        initial_learning_rate: the rate at the first step.
        decay_steps: after how many steps, counted from the end of the warmup, the lowest rate is reached.
        alpha: the lowest rate, as a fraction of the highest.
        name: the name of the schedule.
        warmup_target: the rate up to which it rises linearly at first. By default there is no warmup.
        warmup_steps: how long the warmup is.

    Raises:
        ValueError: `decay_steps` is not positive.

    >>> float(CosineDecay(1.0, decay_steps=10, alpha=0.5)(5))
    0.75
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        alpha: float = 0.0,
        name: str = "CosineDecay",
        warmup_target: float | None = None,
        warmup_steps: int = 0,
    ) -> None:
        require_steps(decay_steps)
        self.initial_learning_rate, self.decay_steps, self.alpha = initial_learning_rate, decay_steps, alpha
        self.name, self.warmup_target, self.warmup_steps = name, warmup_target, warmup_steps

    def __call__(self, step: Any) -> Any:
        naming.checked(self.name)
        start = convert_to_tensor(self.initial_learning_rate)
        now = tf["cast"](step, start.dtype)
        if self.warmup_target is None:
            return self._down_(start, now)
        top = tf["cast"](self.warmup_target, start.dtype)
        steps = tf["cast"](self.warmup_steps, start.dtype)
        if now < steps:
            return (top - start) * (now / steps) + start
        return self._down_(top, now - steps)

    def _down_(self, rate: Any, now: Any) -> Any:
        steps = tf["cast"](self.decay_steps, rate.dtype)
        part = as_float(tf["minimum"](now, steps)) / as_float(steps)
        pi = convert_to_tensor(rate.dtype.as_numpy_dtype(math.pi))  # 3 for a rate that is an integer
        wave = 0.5 * (1.0 + tf["cos"](as_float(pi) * part))
        return as_float(rate) * ((1 - self.alpha) * wave + self.alpha)


@tells_arguments
class CosineDecayRestarts(LearningRateSchedule):
    """A rate that falls along half a period of a cosine again and again.

    Args:
        initial_learning_rate: the rate at the first step.
        first_decay_steps: the length of the first period.
        t_mul: how many times longer each next period is.
        m_mul: what the highest rate of each next period is multiplied by.
        alpha: the lowest rate, as a fraction of the highest.
        name: the name of the schedule.

    Raises:
        ValueError: `first_decay_steps` is not positive.

    >>> rate = CosineDecayRestarts(1.0, first_decay_steps=10, m_mul=0.5)
    >>> [round(float(rate(step)), 3) for step in (5, 10, 20)]
    [0.5, 0.5, 0.25]
    """

    def __init__(
        self,
        initial_learning_rate: float,
        first_decay_steps: int,
        t_mul: float = 2.0,
        m_mul: float = 1.0,
        alpha: float = 0.0,
        name: str = "SGDRDecay",
    ) -> None:
        require_steps(first_decay_steps, "first_decay_steps")
        self.initial_learning_rate, self.first_decay_steps = initial_learning_rate, first_decay_steps
        self.t_mul, self.m_mul, self.alpha, self.name = t_mul, m_mul, alpha, name

    def __call__(self, step: Any) -> Any:
        naming.checked(self.name)
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
