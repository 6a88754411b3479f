"""Values of variables -> the values after weight decay, if the optimizer has it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeviz.tf.keras.serialization import Configured


class Decaying(Configured):
    """Mixin of `Optimizer`: weight decay (`weight_decay`)."""

    weight_decay: float | None
    _exempt_: tuple[list[Any], str | None] = [], None
    """The variables without decay, and a pattern for the names of others without decay."""

    def exclude_from_weight_decay(
        self, var_list: Sequence[Any] | None = None, var_names: Sequence[str] | None = None
    ) -> None:
        """Exempt variables from weight decay: those in a list, and those whose names match a pattern."""
        self._exempt_ = [*(var_list or ())], "|".join(var_names) if var_names else None

    def _is_exempt_(self, variable: Any) -> bool:
        exempt, pattern = self._exempt_
        named = pattern is not None and re.search(pattern, variable.name) is not None
        return named or any(each is variable for each in exempt)

    def _decayed_(self, variable: Any, rate: Any) -> Any:
        """The value of a variable after weight decay."""
        value, kind = variable._value, variable._value.dtype.type
        if self.weight_decay is None or self._is_exempt_(variable):
            return value
        return value - value * kind(np.float32(self.weight_decay)) * kind(np.float32(rate))
