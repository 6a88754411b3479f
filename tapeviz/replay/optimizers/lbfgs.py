"""The rule of PyTorch's LBFGS: the gradients of all parameters in a row -> the steps to what is added to the weights.

A step of the optimizer takes several of these, each by the gradient that a call of its closure takes. It estimates how
the gradient bends from the last changes of weights and gradients, and so the direction in which the loss is least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeviz.replay.optimizers.steps import Array, Options, State, UpdateStep

LEAST = 1e-10
"""Where yᵀs is not above it, the loss does not bend as at a minimum, and a pair is not kept."""


@dataclass
class _History:
    """What a step goes by: the last changes of the gradient and of the weights, oldest first, and how far it went."""

    size: int
    y: list[Array]
    s: list[Array]
    scale: float
    before: Array | None = None
    """The gradient of the step before."""
    taken: Array | None = None
    """What that step has added to the weights."""

    def add(self, g: Array) -> Iterator[UpdateStep]:
        """The last step becomes one of these."""
        if self.before is None or self.taken is None:
            return
        y, s = g - self.before, self.taken
        bend = float(y @ s)
        yield UpdateStep("change of the gradient", "y = g - g₋₁", y)
        yield UpdateStep("change of the weights", "s = w - w₋₁", s)
        yield UpdateStep("curvature", "yᵀs", np.asarray(bend))
        if bend <= LEAST:
            return
        self.y, self.s = [*self.y, y][-self.size :], [*self.s, s][-self.size :]
        self.scale = bend / float(y @ y)
        yield UpdateStep("scale of the inverse Hessian", "γ = yᵀs / yᵀy", np.asarray(self.scale))


def _direction(g: Array, history: _History) -> Iterator[UpdateStep]:
    """The two loops: from the newest pair to the oldest, and back."""
    q, factors = -g, []
    for y, s in zip(reversed(history.y), reversed(history.s), strict=True):
        factors.append(float(s @ q) / float(y @ s))
        q = q - factors[-1] * y
    if factors:
        yield UpdateStep("after the first loop", "q = -g - Σ αᵢ yᵢ, αᵢ = sᵢᵀq / yᵢᵀsᵢ", q)
    d = history.scale * q
    for y, s, factor in zip(history.y, history.s, reversed(factors), strict=True):
        d = d + (factor - float(y @ d) / float(y @ s)) * s
    text = "d = γ q + Σ (αᵢ - βᵢ) sᵢ, βᵢ = yᵢᵀd / yᵢᵀsᵢ" if factors else "d = -g"
    yield UpdateStep("direction", text, d)


def _turn(g: Array, history: _History, rate: float, is_first: bool) -> Iterator[UpdateStep]:
    """One step by one gradient, which is then a part of the history."""
    yield from history.add(g)
    steps = list(_direction(g, history))
    yield from steps
    length = rate * min(1.0, 1.0 / float(np.abs(g).sum())) if is_first else rate
    yield UpdateStep("step length", "t = η min(1, 1 / Σ|g|)" if is_first else "t = η", np.asarray(length))
    history.before, history.taken = g, length * steps[-1].value
    yield UpdateStep("update", "t d", history.taken)


def steps(
    gradients: Sequence[Array], state: State, options: Options, kind: type[np.floating[Any]] = np.float64
) -> tuple[UpdateStep, ...]:
    """The steps by the last of `gradients`, of which each is that of one call of a step's closure, flat.

    Args:
        gradients: those of all parameters in a row, for each call until now.
        state: what the optimizer had kept when its step began, of all parameters in a row.
        options: its hyperparameters, and how many such steps it had taken in all, as `n_iter`.
        kind: the dtype to compute in. Sums of products can cancel, so that it tells how certain the steps are.

    >>> found = steps([np.array([3.0, -5.0])], {}, {"lr": 0.5, "history_size": 10, "n_iter": 0})
    >>> [(each.name, each.value.tolist()) for each in found]
    [('direction', [-3.0, 5.0]), ('step length', 0.0625), ('update', [-0.1875, 0.3125])]
    """
    numbers = {name: options[name] for name in ("t", "H_diag") if name in options}
    kept: dict[str, Any] = {name: np.asarray(value, kind) for name, value in {**numbers, **state}.items()}
    history = _History(
        options["history_size"], [*kept.get("old_dirs", ())], [*kept.get("old_stps", ())], float(kept.get("H_diag", 1))
    )
    if "d" in kept:
        history.before, history.taken = kept["prev_flat_grad"], kept["t"] * kept["d"]
    found: tuple[UpdateStep, ...] = ()
    for number, each in enumerate(gradients):
        is_first = options["n_iter"] + number == 0
        found = tuple(_turn(np.asarray(each, kind), history, options["lr"], is_first))
    return found
