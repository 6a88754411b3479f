"""A weight, its gradient, and the state and hyperparameters of an optimizer -> the new weight, formula by formula.

Everything is computed in double precision, from what there was before the step; what the optimizer wrote is not read.
"""

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


def _with_decay(w: Array, g: Array, options: Options) -> tuple[Array, list[UpdateStep]]:
    """The gradient as an optimizer takes it: of what is to grow the negative, and with the decay that is part of it."""
    found = []
    if options.get("maximize"):
        g = -g
        found.append(UpdateStep("gradient to climb", "-g", g))
    decay = options.get("weight_decay") or 0.0
    if decay and not options.get("decoupled_weight_decay"):
        g = g + decay * w
        found.append(UpdateStep("gradient with decay", "g + λ w", g))
    return g, found


def _decayed(w: Array, options: Options) -> tuple[Array, list[UpdateStep]]:
    """The weight after a decay that is no part of the gradient."""
    decay = options.get("weight_decay") or 0.0
    if not decay or not options.get("decoupled_weight_decay"):
        return w, []
    w = w * (1 - options["lr"] * decay)
    return w, [UpdateStep("decayed weight", "w (1 - η λ)", w)]


def _written(w: Array, update: Array, formula: str) -> Iterator[UpdateStep]:
    yield UpdateStep("update", formula, update)
    yield UpdateStep("new weight", "w - update", w - update)


def _sgd(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    momentum = options.get("momentum") or 0.0
    if not momentum:
        yield from _written(w, options["lr"] * g, "η g")
        return
    before = state.get("momentum_buffer")
    kept = g if before is None else momentum * before + (1 - options.get("dampening", 0.0)) * g
    yield UpdateStep("momentum", "m = g" if before is None else "m = μ m + (1 - τ) g", kept)
    if options.get("nesterov"):
        ahead = g + momentum * kept
        yield UpdateStep("momentum ahead", "g + μ m", ahead)
        yield from _written(w, options["lr"] * ahead, "η (g + μ m)")
    else:
        yield from _written(w, options["lr"] * kept, "η m")


def _moments(g: Array, state: State, options: Options) -> tuple[UpdateStep, UpdateStep]:
    first, second = options["betas"]
    zeros = np.zeros_like(g)
    m = first * state.get("exp_avg", zeros) + (1 - first) * g
    v = second * state.get("exp_avg_sq", zeros) + (1 - second) * g * g
    return (
        UpdateStep("first moment", "m = β₁ m + (1 - β₁) g", m),
        UpdateStep("second moment", "v = β₂ v + (1 - β₂) g²", v),
    )


def _adam(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    t = float(state["step"]) + 1 if "step" in state else 1.0
    moments = _moments(g, state, options)
    yield from moments
    m, v = (each.value for each in moments)
    if options.get("amsgrad"):
        v = np.maximum(v, state.get("max_exp_avg_sq", v))
        yield UpdateStep("largest second moment", "max(v)", v)
    first, second = options["betas"]
    m, v = m / (1 - first**t), v / (1 - second**t)
    yield UpdateStep("corrected first moment", "m̂ = m / (1 - β₁ᵗ)", m)
    yield UpdateStep("corrected second moment", "v̂ = v / (1 - β₂ᵗ)", v)
    yield from _written(w, options["lr"] * m / (np.sqrt(v) + options["eps"]), "η m̂ / (√v̂ + ε)")


def _adagrad(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    rate = options["lr"] / (1 + float(state["step"]) * options["lr_decay"])
    total = state["sum"] + g * g
    yield UpdateStep("sum of squares", "s = s + g²", total)
    yield from _written(w, rate * g / (np.sqrt(total) + options["eps"]), "η g / (√s + ε)")


def _rmsprop(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    alpha, zeros = options["alpha"], np.zeros_like(g)
    v = alpha * state.get("square_avg", zeros) + (1 - alpha) * g * g
    yield UpdateStep("second moment", "v = α v + (1 - α) g²", v)
    if options.get("centered"):
        mean = alpha * state.get("grad_avg", zeros) + (1 - alpha) * g
        v = v - mean * mean
        yield UpdateStep("centred second moment", "v - mean(g)²", v)
    scaled = g / (np.sqrt(v) + options["eps"])
    yield UpdateStep("scaled gradient", "g / (√v + ε)", scaled)
    if options.get("momentum"):
        scaled = options["momentum"] * state.get("momentum_buffer", zeros) + scaled
        yield UpdateStep("momentum", "m = μ m + g / (√v + ε)", scaled)
    yield from _written(w, options["lr"] * scaled, "η m" if options.get("momentum") else "η g / (√v + ε)")


def _nadam(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    t = float(state["step"]) + 1 if "step" in state else 1.0
    moments = _moments(g, state, options)
    yield from moments
    m, v = (each.value for each in moments)
    first, second = options["betas"]
    now, then = (first * (1 - 0.5 * 0.96 ** (each * options["momentum_decay"])) for each in (t, t + 1))
    so_far = float(np.float32(state.get("mu_product", 1.0)) * np.float32(now))  # as it is kept
    divisor = np.sqrt(v / (1 - second**t)) + options["eps"]
    yield UpdateStep("divisor", "√(v / (1 - β₂ᵗ)) + ε", divisor)
    ahead = (1 - now) / (1 - so_far) * g + then / (1 - so_far * then) * m
    yield UpdateStep("gradient and moment ahead", "(1 - μₜ) / (1 - Πμ) g + μₜ₊₁ / (1 - Πμ μₜ₊₁) m", ahead)
    yield from _written(w, options["lr"] * ahead / divisor, "η (gradient and moment ahead) / divisor")


RULES: Mapping[str, Rule] = {
    "Adagrad": _adagrad,
    "Adam": _adam,
    "AdamW": _adam,
    "NAdam": _nadam,
    "RMSprop": _rmsprop,
    "SGD": _sgd,
}
"""By the name of an optimizer's class."""


def update_steps(optimizer: str, w: Array, g: Array, state: State, options: Options) -> tuple[UpdateStep, ...]:
    """The steps from a gradient to the new weight, the last of which is that; none where the rule is not known.

    >>> found = update_steps("SGD", np.array([1.0]), np.array([2.0]), {}, {"lr": 0.25})
    >>> [(step.name, step.formula, float(step.value[0])) for step in found]
    [('update', 'η g', 0.5), ('new weight', 'w - update', 0.5)]
    """
    rule = RULES.get(optimizer)
    if rule is None or "lr" not in options:
        return ()
    wide = {name: np.asarray(value, np.float64) for name, value in state.items()}
    w = np.asarray(w, np.float64)
    g, given = _with_decay(w, np.asarray(g, np.float64), options)
    w, decayed = _decayed(w, options)
    return (*given, *decayed, *rule(w, g, wide, options))
