"""The gradients of several calls -> their mean, for one step."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.values.convert import unboxed
from tapeviz.tf.keras.optimizers.gradient_array import GradientArray
from tapeviz.tf.keras.serialization import Configured
from tapeviz.tf.keras.variable import Variable


class Accumulating(Configured):
    """Mixin of `Optimizer`: one step for several calls (`gradient_accumulation_steps`)."""

    _calls_: Variable
    _accumulated_: list[Variable]
    """The sum of the gradients of each variable since the last step."""
    _places_: dict[int, int]

    def _accumulate_(self, gradient_accumulation_steps: int | None) -> None:
        if gradient_accumulation_steps and gradient_accumulation_steps < 2:
            raise ValueError(
                "`gradient_accumulation_steps` must be an integer >= 2. "
                f"Received: gradient_accumulation_steps={gradient_accumulation_steps}"
            )
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self._accumulated_ = []

    def _steps_so_far_(self) -> int:
        """The number of steps so far; unlike `iterations`, it is not recorded."""
        return int(self._calls_._value) // (self.gradient_accumulation_steps or 1)

    def _collected_(self, gradients: list[GradientArray], variables: list[Any]) -> list[GradientArray]:
        """At the last call of a step, the mean gradients of its calls; before that, an empty list."""
        sums = [self._accumulated_[self._places_[variable._id]] for variable in variables]
        totals = [each.value + total._value for each, total in zip(gradients, sums, strict=True)]
        steps = self.gradient_accumulation_steps or 1
        complete = (int(self._calls_._value) + 1) % steps == 0
        for total, now in zip(sums, totals, strict=True):
            total._write(None, unboxed(np.zeros_like(now) if complete else now), "apply_gradients")
        return [GradientArray(each / steps) for each in totals] if complete else []
