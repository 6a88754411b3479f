"""What the rules of optimizers have in common: the steps from a gradient to the new weight, each with its formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

Array: TypeAlias = "np.ndarray[Any, Any]"
State: TypeAlias = Mapping[str, Array]
Options: TypeAlias = Mapping[str, Any]


class UpdateStep(NamedTuple):
    """One formula on the way from a gradient to the new weight: what it gives is called, its text, and the numbers.

    In the formulas w is the weight, g the gradient, m and v are the moments, t counts the steps; η is the learning
    rate, λ the weight decay, μ the momentum, β the decay of a moment, and ε what keeps a divisor from zero.
    """

    name: str
    formula: str
    value: Array


Rule: TypeAlias = Callable[[Array, Array, State, Options], Iterator[UpdateStep]]
"""A weight and a gradient that have their decay already, the state, and the hyperparameters -> the steps from there."""


def written(w: Array, update: Array, formula: str) -> Iterator[UpdateStep]:
    """The last two steps."""
    yield UpdateStep("update", formula, update)
    yield UpdateStep("new weight", "w - update", w - update)
