"""The variables that an optimizer trains -> its slots: the variables in which it keeps its state for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.tf.keras import naming
from tapeviz.tf.keras.optimizers.subclassing import named_after
from tapeviz.tf.keras.serialization import Configured
from tapeviz.tf.keras.variable import Variable


class Remembering(Configured):
    """Mixin of `Optimizer`: slots."""

    name: str
    use_ema: bool
    gradient_accumulation_steps: int | None
    built: bool
    _calls_: Variable
    _learning_rate: Any
    _averages_: list[Variable]
    _accumulated_: list[Variable]
    _own_: list[Variable]
    _slots_: tuple[dict[str, float], ...]
    """The names and initial values of the slots of a variable; `variables` lists them group by group."""
    _memory_: list[list[Variable]]
    """The slots of each variable."""
    _places_: dict[int, int]
    """The index of each variable, by its id."""
    _trained_: list[Any]
    """The variables that are trained."""

    def _variable_(self, name: str, value: Any, dtype: Any) -> Variable:
        with naming.within(naming.below(self.name)):
            return Variable(np.asarray(value), dtype=dtype, trainable=False, name=name)

    @property
    def variables(self) -> list[Variable]:
        """The step count, the learning rate, and the slots of each variable."""
        rate = [self._learning_rate] if isinstance(self._learning_rate, Variable) else []
        slots: list[Variable] = []
        start = 0
        for group in self._slots_:
            slots += [slot for memory in self._memory_ for slot in memory[start : start + len(group)]]
            start += len(group)
        return [self._calls_, *rate, *self._averages_, *self._accumulated_, *slots, *self._own_]

    def build(self, variables: Sequence[Any]) -> None:
        """Make the slots of the variables to be trained."""
        if self.built:
            return
        for variable in variables:
            self._require_variable_(variable)
            self._places_[variable._id] = len(self._trained_)
            self._trained_.append(variable)
            if self.use_ema:
                self._averages_.append(self._slot_(variable, "average"))
            if self.gradient_accumulation_steps:
                self._accumulated_.append(self._slot_(variable, "gradient_accumulator"))
            self._memory_.append(
                [self._slot_(variable, slot, start) for group in self._slots_ for slot, start in group.items()]
            )

    def _slot_(self, variable: Any, name: str, start: float = 0.0) -> Variable:
        return self._variable_(f"{named_after(variable)}_{name}", np.full(variable.shape, start), variable.dtype)

    def _require_variable_(self, variable: Any) -> None:
        """Raise AttributeError for what is not a variable, for instance the tensor that `w = w - g` makes."""
        if not isinstance(variable, MutableTensor):
            raise AttributeError(
                f"{type(variable).__name__!r} object has no attribute '_unique_id': {self.name} changes variables, "
                f"and this is none: {variable!r}. Pair a list of gradients with a list of variables."
            )
