"""The rules of optax: an optimizer is a chain of transformations, each with a formula of its own.

JAX computes op by op, each rounded, unless the step is in a function that it compiled: there a product is not rounded
before something is added, of two products the first is not, and what is divided twice is divided by the product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from tapeviz.replay.optimizers import kernels
from tapeviz.replay.optimizers.steps import Array, Options, State, UpdateStep

Transformation: TypeAlias = Callable[[Array, Array, State, Options], Iterator[UpdateStep]]
"""A weight, the update so far, the state and the hyperparameters -> the steps, the last of which is the next update."""


def _kept(state: State, name: str, u: Array) -> Array:
    return state[name] if name in state else np.zeros_like(u)


def _plus(a: Any, b: Array, c: Array, options: Options) -> Array:
    """a b + c."""
    return kernels.multiply_add(a, b, c) if options.get("compiled") else a * b + c


def _adam(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    t, first, second = options["step"] + 1, options["b1"], options["b2"]
    m = _plus(1 - first, u, first * _kept(state, "mu", u), options)
    v = _plus(1 - second, u * u, second * _kept(state, "nu", u), options)
    yield UpdateStep("first moment", "m = β₁ m + (1 - β₁) u", m)
    yield UpdateStep("second moment", "v = β₂ v + (1 - β₂) u²", v)
    missing = _missing(first, t, options)
    if options.get("nesterov"):
        ahead = _plus(first, m / _missing(first, t + 1, options), (1 - first) * (u / missing), options)
        yield UpdateStep("first moment ahead", "β₁ m / (1 - β₁ᵗ⁺¹) + (1 - β₁) u / (1 - β₁ᵗ)", ahead)
    else:
        ahead = m / missing
        yield UpdateStep("corrected first moment", "m̂ = m / (1 - β₁ᵗ)", ahead)
    v = v / _missing(second, t, options)
    yield UpdateStep("corrected second moment", "v̂ = v / (1 - β₂ᵗ)", v)
    divisor = np.sqrt(v + options.get("eps_root", 0.0)) + options["eps"]
    divided_twice = options.get("compiled") and not options.get("nesterov")
    yield UpdateStep("scaled", "m̂ / (√v̂ + ε)", m / (missing * divisor) if divided_twice else ahead / divisor)


def _missing(beta: float, t: int, options: Options) -> float:
    """1 - βᵗ, computed in float32 as optax does: of β close to 1 few digits are left."""
    return float(np.float32(1) - np.float32(beta) ** np.float32(t))


def _trace(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    kept = _plus(options["decay"], _kept(state, "trace", u), u, options)
    yield UpdateStep("momentum", "m = u + μ m", kept)
    if options.get("nesterov"):
        yield UpdateStep("momentum ahead", "u + μ m", _plus(options["decay"], kept, u, options))


def _rms(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    v = _plus(1 - options["decay"], u * u, options["decay"] * _kept(state, "nu", u), options)
    yield UpdateStep("second moment", "v = β v + (1 - β) u²", v)
    if options.get("bias_correction"):
        v = v / _missing(options["decay"], options["step"] + 1, options)
        yield UpdateStep("corrected second moment", "v̂ = v / (1 - βᵗ)", v)
    yield _by_root(v, u, options)


def _stddev(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    m = _plus(1 - options["decay"], u, options["decay"] * _kept(state, "mu", u), options)
    v = _plus(1 - options["decay"], u * u, options["decay"] * _kept(state, "nu", u), options)
    yield UpdateStep("first moment", "m = β m + (1 - β) u", m)
    yield UpdateStep("second moment", "v = β v + (1 - β) u²", v)
    if options.get("bias_correction"):
        missing = _missing(options["decay"], options["step"] + 1, options)
        m, v = m / missing, v / missing
        yield UpdateStep("corrected first moment", "m̂ = m / (1 - βᵗ)", m)
        yield UpdateStep("corrected second moment", "v̂ = v / (1 - βᵗ)", v)
    v = _plus(-m, m, v, options)
    yield UpdateStep("centred second moment", "v - m²", v)
    yield _by_root(v, u, options)


def _by_root(v: Array, u: Array, options: Options) -> UpdateStep:
    if options.get("eps_in_sqrt", True):
        return UpdateStep("scaled", "u / √(v + ε)", kernels.inverse_root(v + options["eps"]) * u)
    return UpdateStep("scaled", "u / (√v + ε)", 1 / (np.sqrt(v) + options["eps"]) * u)


def _rss(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    total = _plus(u, u, _kept(state, "sum_of_squares", u), options)
    yield UpdateStep("sum of squares", "s = s + u²", total)
    scale = np.where(total > 0, kernels.inverse_root(total + options["eps"]), total.dtype.type(0))
    yield UpdateStep("scaled", "u / √(s + ε)", scale * u)


def _decay(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    yield UpdateStep("with decay", "u + λ w", _plus(options["weight_decay"], w, u, options))


def _scale(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    yield UpdateStep("update", "-η u", -options["lr"] * u)


def _clip(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    yield UpdateStep("clipped", "clip(u)", np.clip(u, -options["max_delta"], options["max_delta"]))


def _clip_by_all(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    size, limit = kernels.norm(options["gradients"]), u.dtype.type(options["max_norm"])
    yield UpdateStep("norm of all gradients", "|all g|", np.asarray(size))
    smaller = u / size if options.get("compiled") else u * (1 / size)  # as XLA divides by a number that it is given
    yield UpdateStep("clipped", "u min(1, c / |all g|)", u if size < limit else smaller * limit)


def _as_it_is(w: Array, u: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    yield from ()


RULES: Mapping[str, Transformation] = {
    "add_decayed_weights": _decay,
    "clip": _clip,
    "clip_by_global_norm": _clip_by_all,
    "identity": _as_it_is,
    "scale": _scale,
    "scale_by_adam": _adam,
    "scale_by_rms": _rms,
    "scale_by_rss": _rss,
    "scale_by_schedule": _scale,
    "scale_by_stddev": _stddev,
    "trace": _trace,
}


def steps(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    """The steps of a chain of transformations; none where one of them is not known, or takes a norm of all updates.

    That of all gradients is known, where it is the first of them.
    """
    parts = options.get("transformations", ())
    clips = [number for number, (name, _) in enumerate(parts) if name == "clip_by_global_norm"]
    if not {name for name, _ in parts} <= RULES.keys() or (clips and (clips != [0] or not options.get("gradients"))):
        return
    update, product = g, None
    for name, numbers in parts:
        its_own, rule = {**options, **dict(numbers)}, RULES[name]
        product = (-its_own["lr"], update) if rule is _scale else product if rule is _as_it_is else None
        for each in rule(w, update, state, its_own):
            yield each
            update = each.value if each.name not in _INSIDE else update
    yield UpdateStep("new weight", "w + update", _plus(*product, w, options) if product else w + update)


_INSIDE = frozenset({"first moment", "second moment", "sum of squares", "norm of all gradients"})
"""Steps on the way to what a transformation gives."""
