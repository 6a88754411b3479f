"""The rows: what a fault changes in a healthy program, which causes are right, and what the framework shows of it.

- `held_back`   a gradient that no longer passes: None, or an error, and zero in JAX
- `zeros`       a gradient that is zero, or vanishes
- `not_finite`  a gradient that is NaN, infinite, or explodes
- `sources`     weights, layers and lists of them
- `calls`       losses, backward passes, tapes and steps
- `custom`      gradient functions of the user's
"""

from __future__ import annotations

from tests.diagnosis.planted.faults import calls, custom, held_back, not_finite, sources, zeros
from tests.diagnosis.planted.faults.fault import Fault

__all__ = ["FAULTS", "Fault"]

FAULTS: list[Fault] = [
    *held_back.ROWS,
    *zeros.ROWS,
    *not_finite.ROWS,
    *sources.ROWS,
    *calls.ROWS,
    *custom.ROWS,
]
"""Every fault."""
