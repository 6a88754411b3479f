"""A float, a schedule or a function -> the learning rate of the next step."""

from __future__ import annotations

from typing import Any

from tapeviz.tf.keras.floats import floatx
from tapeviz.tf.keras.optimizers.schedules.base import LearningRateSchedule
from tapeviz.tf.keras.serialization import Configured
from tapeviz.tf.keras.variable import Variable


class LearningRate(Configured):
    """Mixin of `Optimizer`: the learning rate."""

    _calls_: Variable
    _learning_rate: Any

    def _variable_(self, name: str, value: Any, dtype: Any) -> Variable:
        raise NotImplementedError

    def _learn_at_(self, learning_rate: Any) -> None:
        self._learning_rate = learning_rate
        if not callable(learning_rate):
            if not isinstance(learning_rate, float):
                raise ValueError(
                    f"The learning_rate of an optimizer is a float, a schedule or a function, not {learning_rate!r}."
                )
            self._learning_rate = self._variable_("learning_rate", learning_rate, floatx())

    @property
    def learning_rate(self) -> Any:
        """The learning rate of the next step: a variable, or the result of the schedule or function."""
        rate = self._learning_rate
        if isinstance(rate, LearningRateSchedule):
            return rate(self._calls_)
        return rate() if callable(rate) and not isinstance(rate, Variable) else rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if callable(value) and not isinstance(value, Variable):
            self._learning_rate = value
        elif isinstance(self._learning_rate, LearningRateSchedule):
            raise TypeError("A learning_rate that a schedule sets cannot be set: make the optimizer with a float.")
        else:
            self._learning_rate.assign(value)
