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


def _adafactor(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    t, (eps1, eps2) = float(state.get("step", 0.0)) + 1, options["eps"]
    tiny = float(np.finfo(options["dtype"]).eps) if eps1 is None else eps1
    share = t ** options["beta2_decay"]
    if g.ndim > 1:
        rows, columns = (_towards(state.get(name), (g * g).mean(axis, keepdims=True), share) for name, axis in _MEANS)
        yield UpdateStep("means of squares of rows", "r = r + ρ (mean(g²) - r)", rows)
        yield UpdateStep("means of squares of columns", "c = c + ρ (mean(g²) - c)", columns)
        v = rows @ columns / np.maximum(rows.mean(-2, keepdims=True), tiny)
        yield UpdateStep("second moment", "v = r c / mean(r)", v)
    else:
        v = _towards(state.get("variance"), g * g, share)
        yield UpdateStep("second moment", "v = v + ρ (g² - v)", v)
    scaled = g / np.sqrt(np.maximum(v, tiny * tiny))
    yield UpdateStep("scaled gradient", "g / √v", scaled)
    before = w / (1 - options["lr"] * options["weight_decay"])
    size = max(eps2, float(np.linalg.norm(before)) / before.size**0.5)
    rate = (
        size
        * min(options["lr"], 1 / t**0.5)
        / max(1.0, float(np.linalg.norm(scaled)) / scaled.size**0.5 / options["d"])
    )
    yield UpdateStep(
        "relative learning rate", "α = max(ε, rms(w)) min(η, 1/√t) / max(1, rms(g / √v) / d)", np.asarray(rate)
    )
    yield from written(w, rate * scaled, "α g / √v")


_MEANS = ("row_var", -1), ("col_var", -2)
"""What Adafactor keeps in the place of a second moment, and the axis that each is the mean over."""


def _towards(kept: Array | None, value: Array, share: float) -> Array:
    return share * value if kept is None else kept + share * (value - kept)


def _muon(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    momentum = options["momentum"]
    kept = state["momentum_buffer"] if "momentum_buffer" in state else np.zeros_like(g)
    kept = kept + (1 - momentum) * (g - kept)
    yield UpdateStep("momentum", "m = m + (1 - μ) (g - m)", kept)
    ahead = g + momentum * (kept - g) if options["nesterov"] else kept
    if options["nesterov"]:
        yield UpdateStep("momentum ahead", "g + μ (m - g)", ahead)
    turned = ahead.T if ahead.shape[0] > ahead.shape[1] else ahead
    a, b, c = options["ns_coefficients"]
    x = _in_bfloat16(turned)
    x = _in_bfloat16(x / max(float(_in_bfloat16(np.asarray(np.linalg.norm(x)))), options["eps"]))
    for _ in range(options["ns_steps"]):
        gram = _in_bfloat16(x @ x.T)
        x = _in_bfloat16(a * x + _in_bfloat16(b * gram + c * gram @ gram) @ x)
    x = x.T if turned is not ahead else x
    yield UpdateStep("orthogonal in bfloat16", "Newton-Schulz(m)", x)
    rows, columns = w.shape
    stretch = {"match_rms_adamw": 0.2 * max(rows, columns) ** 0.5}.get(
        options["adjust_lr_fn"] or "", max(1.0, rows / columns) ** 0.5
    )
    yield from written(w, options["lr"] * stretch * x, "η √max(1, rows / columns) Newton-Schulz(m)")


def _in_bfloat16(value: Array) -> Array:
    """The nearest numbers of 16 bits, of two that are as near the even one, without a package of such dtypes."""
    bits = np.asarray(value, np.float32).view(np.uint32)
    nearest = bits + ((bits >> np.uint32(16)) & np.uint32(1)) + np.uint32(0x7FFF)
    return (nearest & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)


RULES: Mapping[str, Rule] = {
    "Adafactor": _adafactor,
    "Adagrad": _adagrad,
    "Adam": _adam,
    "AdamW": _adam,
    "Muon": _muon,
    "NAdam": _nadam,
    "RMSprop": _rmsprop,
    "SGD": _sgd,
}
"""By the name of an optimizer's class."""


def steps(rule: Rule, w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    """The steps of a rule, after the decay that all of them have."""
    if rule in (_adafactor, _muon):
        options = {**options, "decoupled_weight_decay": True}
    g, with_it = _with_decay(w, g, options)
    w, after = _decayed(w, options)
    yield from (*with_it, *after, *rule(w, g, state, options))
