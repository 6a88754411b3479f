"""The steps of an optimizer -> moving averages of the variables, which may be assigned to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.values.convert import unboxed
from tapeviz.tf.keras.serialization import Configured
from tapeviz.tf.keras.variable import Variable


class Averaging(Configured):
    """Mixin of `Optimizer`: exponential moving averages of the variables (`use_ema`)."""

    _averages_: list[Variable]
    _trained_: list[Any]

    def _steps_so_far_(self) -> int:
        raise NotImplementedError

    def _keep_means_(self, use_ema: bool, ema_momentum: float, ema_overwrite_frequency: int | None) -> None:
        if use_ema and not 0 <= ema_momentum <= 1:
            raise ValueError(f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={ema_momentum}")
        if use_ema and ema_overwrite_frequency and int(ema_overwrite_frequency) < 1:
            raise ValueError(
                "`ema_overwrite_frequency` must be an integer >= 1 or None. "
                f"Received: ema_overwrite_frequency={ema_overwrite_frequency}"
            )
        self.use_ema, self.ema_momentum, self.ema_overwrite_frequency = use_ema, ema_momentum, ema_overwrite_frequency
        self._averages_ = []

    def _average_(self) -> None:
        step = self._steps_so_far_()
        momentum = self.ema_momentum if step else 0.0
        for variable, average in zip(self._trained_, self._averages_, strict=True):
            kind = variable._value.dtype.type
            share = kind(momentum)
            mean = share * average._value + (kind(1) - share) * variable._value
            average._write(variable, unboxed(mean), "apply_gradients")
        if self.ema_overwrite_frequency and (step + 1) % self.ema_overwrite_frequency == 0:
            self.finalize_variable_values(self._trained_)

    def finalize_variable_values(self, var_list: Sequence[Any]) -> None:
        """Assign the moving averages to the variables (with `use_ema`).

        Raises:
            ValueError: these are not all of the variables.
        """
        if not self.use_ema:
            return
        if len(var_list) != len(self._averages_):
            raise ValueError(
                f"The optimizer has averages of {len(self._averages_)} variables: give these, not {len(var_list)}."
            )
        for variable, average in zip(var_list, self._averages_, strict=True):
            variable.assign(average)
