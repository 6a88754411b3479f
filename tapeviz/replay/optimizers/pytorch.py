"""The rules of PyTorch's optimizers, by their classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tapeviz.replay.optimizers.steps import Array, Options, Rule, State, UpdateStep, written


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


def _sgd(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    momentum = options.get("momentum") or 0.0
    if not momentum:
        yield from written(w, options["lr"] * g, "η g")
        return
    before = state.get("momentum_buffer")
    kept = g if before is None else momentum * before + (1 - options.get("dampening", 0.0)) * g
    yield UpdateStep("momentum", "m = g" if before is None else "m = μ m + (1 - τ) g", kept)
    if options.get("nesterov"):
        ahead = g + momentum * kept
        yield UpdateStep("momentum ahead", "g + μ m", ahead)
        yield from written(w, options["lr"] * ahead, "η (g + μ m)")
    else:
        yield from written(w, options["lr"] * kept, "η m")


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
    yield from written(w, options["lr"] * m / (np.sqrt(v) + options["eps"]), "η m̂ / (√v̂ + ε)")


def _adagrad(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    rate = options["lr"] / (1 + float(state["step"]) * options["lr_decay"])
    total = state["sum"] + g * g
    yield UpdateStep("sum of squares", "s = s + g²", total)
    yield from written(w, rate * g / (np.sqrt(total) + options["eps"]), "η g / (√s + ε)")


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
    yield from written(w, options["lr"] * scaled, "η m" if options.get("momentum") else "η g / (√v + ε)")


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
    yield from written(w, options["lr"] * ahead / divisor, "η (gradient and moment ahead) / divisor")


RULES: Mapping[str, Rule] = {
    "Adagrad": _adagrad,
    "Adam": _adam,
    "AdamW": _adam,
    "NAdam": _nadam,
    "RMSprop": _rmsprop,
    "SGD": _sgd,
}
"""By the name of an optimizer's class."""


def steps(rule: Rule, w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    """The steps of a rule, after the decay that all of them have."""
    g, with_it = _with_decay(w, g, options)
    w, after = _decayed(w, options)
    yield from (*with_it, *after, *rule(w, g, state, options))
