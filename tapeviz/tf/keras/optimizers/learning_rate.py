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
                    "Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a callable "
                    "(that takes in the current iteration value and returns the corresponding learning rate value). "
                    f"Received instead: learning_rate={learning_rate}"
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
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` constructor "
                "argument, hence its learning rate is not settable. If you need the learning rate to be settable, you "
                "should instantiate the optimizer with a float `learning_rate` argument."
            )
        else:
            self._learning_rate.assign(value)
