"""Schedules that fall by powers, by fractions, along a polynomial, or in pieces."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.tf.keras import naming
from tapeviz.tf.keras.optimizers.schedules.base import LearningRateSchedule, as_float, require_steps
from tapeviz.tf.keras.serialization import tells_arguments


class _Decay(LearningRateSchedule):
    """A rate that has decayed once after each `decay_steps`, and in between by parts, unless in a staircase."""

    _settings_ = ("initial_learning_rate", "decay_steps", "decay_rate", "staircase", "name")

    def __init__(self, rate: float, decay_steps: int, decay_rate: float, staircase: bool, name: str) -> None:
        require_steps(decay_steps)
        self.initial_learning_rate = rate
        self.decay_steps, self.decay_rate, self.staircase, self.name = decay_steps, decay_rate, staircase, name

    def __call__(self, step: Any) -> Any:
        naming.checked(self.name)
        start = convert_to_tensor(self.initial_learning_rate)
        kind = start.dtype.as_numpy_dtype  # integers too, which leave nothing of a rate below 1
        times = tf["cast"](step, start.dtype) / kind(self.decay_steps)
        times = tf["floor"](times) if self.staircase else times
        return self._decayed_(tf["cast"](start, times.dtype), float(kind(np.float32(self.decay_rate))), times)

    def _decayed_(self, start: Any, rate: float, times: Any) -> Any:
        """The learning rate after it has decayed so many times."""
        raise NotImplementedError


class ExponentialDecay(_Decay):
    """The rate `initial_learning_rate * decay_rate ** (step / decay_steps)`.

    Args:
        initial_learning_rate: the rate at the first step.
        decay_steps: after how many steps it has been multiplied by `decay_rate`.
        decay_rate: the factor.
        staircase: whether the quotient is rounded down, so that the rate falls in stairs.
        name: the name of the schedule.

    Raises:
        ValueError: `decay_steps` is not positive.

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
    """The rate `initial_learning_rate / (1 + decay_rate * step / decay_steps)`.

    Args:
        initial_learning_rate: the rate at the first step.
        decay_steps: after how many steps it has been divided by `1 + decay_rate`.
        decay_rate: how fast it falls.
        staircase: whether the quotient is rounded down, so that the rate falls in stairs.
        name: the name of the schedule.

    Raises:
        ValueError: `decay_steps` is not positive.

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


@tells_arguments
class PolynomialDecay(LearningRateSchedule):
    """A rate that falls from one value to another along `(1 - step / decay_steps) ** power`.

    Args:
        initial_learning_rate: the rate at the first step.
        decay_steps: after how many steps the lowest rate is reached.
        end_learning_rate: the lowest rate.
        power: the exponent; 1 for a straight line.
        cycle: whether the rate rises again after `decay_steps`, and each next fall ends at a multiple of them.
        name: the name of the schedule.

    Raises:
        ValueError: `decay_steps` is not positive.

    >>> float(PolynomialDecay(1.0, decay_steps=10, end_learning_rate=0.5)(5))
    0.75
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: int,
        end_learning_rate: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        name: str = "PolynomialDecay",
    ) -> None:
        require_steps(decay_steps)
        self.initial_learning_rate, self.end_learning_rate = initial_learning_rate, end_learning_rate
        self.decay_steps, self.power, self.cycle, self.name = decay_steps, power, cycle, name

    def __call__(self, step: Any) -> Any:
        naming.checked(self.name)
        start = convert_to_tensor(self.initial_learning_rate)
        end, power, now, steps = (
            tf["cast"](each, start.dtype) for each in (self.end_learning_rate, self.power, step, self.decay_steps)
        )
        if self.cycle:
            times = tf["where"](now == 0, 1.0, tf["math.ceil"](now / steps))  # of integers in float64
            steps = tf["cast"](steps, times.dtype) * times
        else:
            now = tf["minimum"](now, steps)
        steps = as_float(steps)
        left = 1.0 - tf["cast"](now, steps.dtype) / steps
        range_, power, end = (tf["cast"](each, steps.dtype) for each in (start - end, power, end))
        return range_ * left**power + end


@tells_arguments
class PiecewiseConstantDecay(LearningRateSchedule):
    """A rate that is constant between boundaries.

    Args:
        boundaries: the last step of each piece but the last one.
        values: the rate of each piece.
        name: the name of the schedule.

    Raises:
        ValueError: there is not exactly one value more than there are boundaries.

    >>> rate = PiecewiseConstantDecay([10, 20], [1.0, 0.5, 0.25])
    >>> float(rate(10)), float(rate(11)), float(rate(30))
    (1.0, 0.5, 0.25)
    """

    def __init__(self, boundaries: list[Any], values: list[Any], name: str = "PiecewiseConstant") -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of length {len(values)}."
            )
        self.boundaries, self.values, self.name = boundaries, values, name

    def __call__(self, step: Any) -> Any:
        naming.checked(self.name)
        now = convert_to_tensor(step)
        past = [now > tf["cast"](each, now.dtype) for each in self.boundaries]
        within = [~past[0], *(low & ~high for low, high in pairwise(past)), past[-1]]
        values = [convert_to_tensor(each) for each in self.values]
        shares = [tf["cast"](each, values[0].dtype) * value for each, value in zip(within, values, strict=True)]
        return tf["add_n"](shares)
