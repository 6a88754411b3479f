"""The rules of PyTorch's optimizers, by their classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tapeviz.replay.optimizers import kernels
from tapeviz.replay.optimizers.kernels import add, addcdiv, addcmul, lerp
from tapeviz.replay.optimizers.steps import Array, Options, Rule, State, UpdateStep, written


def _with_decay(w: Array, g: Array, options: Options) -> tuple[Array, list[UpdateStep]]:
    """The gradient as an optimizer takes it: of what is to grow the negative, and with the decay that is part of it."""
    found = []
    if options.get("maximize"):
        g = -g
        found.append(UpdateStep("gradient to climb", "-g", g))
    decay = options.get("weight_decay") or 0.0
    if decay and not options.get("decoupled_weight_decay"):
        g = add(g, w, decay)
        found.append(UpdateStep("gradient with decay", "g + λ w", g))
    return g, found


def _decayed(w: Array, options: Options) -> tuple[Array, list[UpdateStep]]:
    """The weight after a decay that is no part of the gradient."""
    decay = options.get("weight_decay") or 0.0
    if not decay or not options.get("decoupled_weight_decay"):
        return w, []
    w = w * w.dtype.type(1 - options["lr"] * decay)
    return w, [UpdateStep("decayed weight", "w (1 - η λ)", w)]


def _scaled(w: Array, by: Array, rate: float, formula: str) -> Iterator[UpdateStep]:
    """The last two steps, of which the second is one op."""
    yield UpdateStep("update", formula, by * by.dtype.type(rate))
    yield UpdateStep("new weight", "w - update", add(w, by, -rate))


def _divided(w: Array, by: Array, divisor: Array, rate: float, formula: str) -> Iterator[UpdateStep]:
    """The same where the update is a quotient."""
    yield UpdateStep("update", formula, addcdiv(np.zeros_like(w), by, divisor, rate))
    yield UpdateStep("new weight", "w - update", addcdiv(w, by, divisor, -rate))


def _sgd(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    momentum, rate = options.get("momentum") or 0.0, options["lr"]
    if not momentum:
        yield from _scaled(w, g, rate, "η g")
        return
    before = state.get("momentum_buffer")
    kept = g if before is None else add(before * g.dtype.type(momentum), g, 1 - options.get("dampening", 0.0))
    yield UpdateStep("momentum", "m = g" if before is None else "m = μ m + (1 - τ) g", kept)
    if options.get("nesterov"):
        ahead = add(g, kept, momentum)
        yield UpdateStep("momentum ahead", "g + μ m", ahead)
        yield from _scaled(w, ahead, rate, "η (g + μ m)")
    else:
        yield from _scaled(w, kept, rate, "η m")


def _mean_of_squares(g: Array, before: Array, beta: float) -> Array:
    return addcmul(before * g.dtype.type(beta), g, g, 1 - beta)


def _moments(g: Array, state: State, options: Options) -> tuple[UpdateStep, UpdateStep]:
    first, second = options["betas"]
    zeros = np.zeros_like(g)
    m = lerp(state.get("exp_avg", zeros), g, 1 - first)
    v = _mean_of_squares(g, state.get("exp_avg_sq", zeros), second)
    return (
        UpdateStep("first moment", "m = β₁ m + (1 - β₁) g", m),
        UpdateStep("second moment", "v = β₂ v + (1 - β₂) g²", v),
    )


def _divisor(v: Array, missing: float, options: Options) -> Array:
    """The root of a second moment that lacks a part of its weight, and ε."""
    kind = v.dtype.type
    found: Array = kernels.root(v) / kind(missing**0.5) + kind(options["eps"])
    return found


def _adam(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    t = float(state["step"]) + 1 if "step" in state else 1.0
    moments = _moments(g, state, options)
    yield from moments
    m, v = (each.value for each in moments)
    if options.get("amsgrad"):
        v = np.maximum(v, state.get("max_exp_avg_sq", v))
        yield UpdateStep("largest second moment", "max(v)", v)
    first, second = (1 - beta**t for beta in options["betas"])
    yield UpdateStep("corrected first moment", "m̂ = m / (1 - β₁ᵗ)", m / m.dtype.type(first))
    yield UpdateStep("corrected second moment", "v̂ = v / (1 - β₂ᵗ)", v / v.dtype.type(second))
    yield from _divided(w, m, _divisor(v, second, options), options["lr"] / first, "η m̂ / (√v̂ + ε)")


def _adagrad(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    rate = options["lr"] / (1 + float(state["step"]) * options["lr_decay"])
    total = addcmul(state["sum"], g, g, 1.0)
    yield UpdateStep("sum of squares", "s = s + g²", total)
    yield from _divided(w, g, _divisor(total, 1.0, options), rate, "η g / (√s + ε)")


def _rmsprop(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    alpha, zeros = options["alpha"], np.zeros_like(g)
    v = _mean_of_squares(g, state.get("square_avg", zeros), alpha)
    yield UpdateStep("second moment", "v = α v + (1 - α) g²", v)
    if options.get("centered"):
        mean = lerp(state.get("grad_avg", zeros), g, 1 - alpha)
        v = addcmul(v, mean, mean, -1.0)
        yield UpdateStep("centred second moment", "v - mean(g)²", v)
    divisor = _divisor(v, 1.0, options)
    yield UpdateStep("scaled gradient", "g / (√v + ε)", g / divisor)
    if options.get("momentum"):
        before = state.get("momentum_buffer", zeros) * g.dtype.type(options["momentum"])
        kept = addcdiv(before, g, divisor, 1.0)
        yield UpdateStep("momentum", "m = μ m + g / (√v + ε)", kept)
        yield from _scaled(w, kept, options["lr"], "η m")
    else:
        yield from _divided(w, g, divisor, options["lr"], "η g / (√v + ε)")


def _nadam(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    t, kind = float(state["step"]) + 1 if "step" in state else 1.0, g.dtype.type
    moments = _moments(g, state, options)
    yield from moments
    m, v = (each.value for each in moments)
    first, second = options["betas"]
    now, then = (first * (1 - 0.5 * 0.96 ** (each * options["momentum_decay"])) for each in (t, t + 1))
    so_far = float(np.float32(state.get("mu_product", 1.0)) * np.float32(now))  # as it is kept
    if options.get("foreach"):
        divisor = _divisor(v, 1 - second**t, options)
    else:
        divisor = kernels.root(v / kind(1 - second**t)) + kind(options["eps"])
    yield UpdateStep("divisor", "√(v / (1 - β₂ᵗ)) + ε", divisor)
    rates = options["lr"] * (1 - now) / (1 - so_far), options["lr"] * then / (1 - so_far * then)
    parts = [addcdiv(np.zeros_like(w), each, divisor, rate) for each, rate in zip((g, m), rates, strict=True)]
    yield UpdateStep("part of the gradient", "η (1 - μₜ) / (1 - Πμ) g / divisor", parts[0])
    yield UpdateStep("part of the moment", "η μₜ₊₁ / (1 - Πμ μₜ₊₁) m / divisor", parts[1])
    yield UpdateStep("update", "both parts", parts[0] + parts[1])
    new = addcdiv(addcdiv(w, g, divisor, -rates[0]), m, divisor, -rates[1])
    yield UpdateStep("new weight", "w - update", new)


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
        w, g = w.astype(np.float64), g.astype(np.float64)
        state = {name: np.asarray(value, np.float64) for name, value in state.items()}
    g, with_it = _with_decay(w, g, options)
    w, after = _decayed(w, options)
    yield from (*with_it, *after, *rule(w, g, state, options))
