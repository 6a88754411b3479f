"""The rules of optax: an optimizer is a chain of transformations, each with a formula of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np

from tapeviz.replay.optimizers.steps import Array, Options, State, UpdateStep

Transformation: TypeAlias = Callable[[Array, Array, State, Options], Iterator[UpdateStep]]
"""A weight, the update so far, the state and the hyperparameters -> the steps, the last of which is the next update."""


def _kept(state: State, name: str, u: Array) -> Array:
    return state[name] if name in state else np.zeros_like(u)


def _adam(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    t, first, second = options["step"] + 1, options["b1"], options["b2"]
    m = first * _kept(state, "mu", u) + (1 - first) * u
    v = second * _kept(state, "nu", u) + (1 - second) * (u * u)
    yield UpdateStep("first moment", "m = β₁ m + (1 - β₁) u", m)
    yield UpdateStep("second moment", "v = β₂ v + (1 - β₂) u²", v)
    missing = _missing(first, t, options)
    if options.get("nesterov"):
        m = first * m / _missing(first, t + 1, options) + (1 - first) * u / missing
        yield UpdateStep("first moment ahead", "β₁ m / (1 - β₁ᵗ⁺¹) + (1 - β₁) u / (1 - β₁ᵗ)", m)
    else:
        m = m / missing
        yield UpdateStep("corrected first moment", "m̂ = m / (1 - β₁ᵗ)", m)
    v = v / _missing(second, t, options)
    yield UpdateStep("corrected second moment", "v̂ = v / (1 - β₂ᵗ)", v)
    divisor = np.sqrt(v + options.get("eps_root", 0.0)) + options["eps"]
    yield UpdateStep("scaled", "m̂ / (√v̂ + ε)", m / divisor)


def _missing(beta: float, t: int, options: Options) -> float:
    """1 - βᵗ, computed in float32 as optax does: of β close to 1 few digits are left."""
    return float(np.float32(1) - np.float32(beta) ** np.float32(t))


def _trace(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    kept = u + options["decay"] * _kept(state, "trace", u)
    yield UpdateStep("momentum", "m = u + μ m", kept)
    if options.get("nesterov"):
        yield UpdateStep("momentum ahead", "u + μ m", u + options["decay"] * kept)


def _rms(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    v = (1 - options["decay"]) * (u * u) + options["decay"] * _kept(state, "nu", u)
    yield UpdateStep("second moment", "v = β v + (1 - β) u²", v)
    inside = options.get("eps_in_sqrt", True)
    scale = _inverse_root(v + options["eps"]) if inside else 1 / (np.sqrt(v) + options["eps"])
    yield UpdateStep("scaled", "u / √(v + ε)" if inside else "u / (√v + ε)", scale * u)


def _rss(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    total = _kept(state, "sum_of_squares", u) + u * u
    yield UpdateStep("sum of squares", "s = s + u²", total)
    scale = np.where(total > 0, _inverse_root(total + options["eps"]), total.dtype.type(0))
    yield UpdateStep("scaled", "u / √(s + ε)", scale * u)


def _inverse_root(value: Array) -> Array:
    """1 / √value, rounded once; XLA's may be off by the last digit."""
    return (1 / np.sqrt(value.astype(np.float64))).astype(value.dtype)


def _decay(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    yield UpdateStep("with decay", "u + λ w", u + options["weight_decay"] * w)


def _scale(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    yield UpdateStep("update", "-η u", -options["lr"] * u)


def _clip(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    yield UpdateStep("clipped", "clip(u)", np.clip(u, -options["max_delta"], options["max_delta"]))


def _as_it_is(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    yield from ()


RULES: Mapping[str, Transformation] = {
    "add_decayed_weights": _decay,
    "clip": _clip,
    "identity": _as_it_is,
    "scale": _scale,
    "scale_by_adam": _adam,
    "scale_by_rms": _rms,
    "scale_by_rss": _rss,
    "scale_by_schedule": _scale,
    "trace": _trace,
}


def steps(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    """The steps of a chain of transformations; none where one of them is not known, or asks for all gradients."""
    parts = options.get("transformations", ())
    if not {name for name, _ in parts} <= RULES.keys():
        return
    update = g
    for name, numbers in parts:
        for each in RULES[name](w, update, state, {**options, **dict(numbers)}):
            yield each
            update = each.value if each.name not in _INSIDE else update
    yield UpdateStep("new weight", "w + update", w + update)


_INSIDE = frozenset({"first moment", "second moment", "sum of squares"})
"""Steps on the way to what a transformation gives."""
