"""The rules of Keras' optimizers, by their classes.

A weight decays before its step; where Keras puts the small number that keeps a divisor from zero, PyTorch does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from operator import mul
from typing import Any

import numpy as np

from tapeviz.replay.optimizers import kernels
from tapeviz.replay.optimizers.steps import Array, Options, Rule, State, UpdateStep, written


def _kept(state: State, name: str, g: Array, start: float = 0.0) -> Array:
    """What an optimizer keeps of a weight; before its first step it may have nothing yet."""
    return state[name] if name in state else np.full_like(g, start)


def _sgd(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    rate, momentum = options["lr"], options.get("momentum") or 0.0
    if not momentum:
        yield from written(w, rate * g, "η g")
        return
    kept = momentum * _kept(state, "momentums", g) - rate * g
    yield UpdateStep("momentum", "m = μ m - η g", kept)
    if options.get("nesterov"):
        yield from written(w, rate * g - momentum * kept, "η g - μ m")
    else:
        yield from written(w, -kept, "-m")


def _moments(g: Array, state: State, first: Any, second: Any) -> tuple[UpdateStep, UpdateStep]:
    m = _kept(state, "momentums", g) + (1 - first) * (g - _kept(state, "momentums", g))
    v = _kept(state, "velocities", g) + (1 - second) * (g * g - _kept(state, "velocities", g))
    return (
        UpdateStep("first moment", "m = m + (1 - β₁) (g - m)", m),
        UpdateStep("second moment", "v = v + (1 - β₂) (g² - v)", v),
    )


def _missing(beta: float, t: int, options: Options) -> Any:
    """1 - βᵗ, computed in the dtype of the weight as Keras does: of β close to 1 few digits are left."""
    kind = options["dtype"]
    return 1 - float(np.float32(beta)) ** kind(t)


def _adam(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    t, first, second = options["step"] + 1, options["beta_1"], options["beta_2"]
    moments = _moments(g, state, first, second)
    yield from moments
    m, v = (each.value for each in moments)
    if options.get("amsgrad"):
        v = np.maximum(_kept(state, "velocity_hats", g), v)
        yield UpdateStep("largest second moment", "max(v)", v)
    rate = options["dtype"](options["lr"]) * np.sqrt(_missing(second, t, options)) / _missing(first, t, options)
    yield UpdateStep("corrected learning rate", "α = η √(1 - β₂ᵗ) / (1 - β₁ᵗ)", np.asarray(rate))
    yield from written(w, rate * m / (np.sqrt(v) + options["epsilon"]), "α m / (√v + ε)")


def _adagrad(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    total = _kept(state, "accumulators", g, options["initial_accumulator_value"]) + g * g
    yield UpdateStep("sum of squares", "s = s + g²", total)
    yield from written(w, options["lr"] * g / np.sqrt(total + options["epsilon"]), "η g / √(s + ε)")


def _rmsprop(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    rho = options["rho"]
    v = rho * _kept(state, "velocities", g) + (1 - rho) * (g * g)
    yield UpdateStep("second moment", "v = ρ v + (1 - ρ) g²", v)
    if options.get("centered"):
        mean = rho * _kept(state, "average_gradients", g) + (1 - rho) * g
        v = v - mean * mean
        yield UpdateStep("centred second moment", "v - mean(g)²", v)
    change = options["lr"] * g / np.sqrt(v + options["epsilon"])
    if not options.get("momentum"):
        yield from written(w, change, "η g / √(v + ε)")
        return
    change = options["momentum"] * _kept(state, "momentums", g) + change
    yield UpdateStep("momentum", "m = μ m + η g / √(v + ε)", change)
    yield from written(w, change, "m")


def _share(t: int, kind: Any) -> Any:
    """What Nadam takes of β₁ in a step, in the dtype of the weight as Keras has it."""
    return kind(1) - kind(0.5) * kind(0.96) ** kind(t)


def _nadam(w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    kind, t = options["dtype"], options["step"] + 1
    first, second = kind(options["beta_1"]), kind(options["beta_2"])
    moments = _moments(g, state, first, second)
    yield from moments
    m, v = (each.value for each in moments)
    so_far = reduce(mul, (part for each in range(1, t + 1) for part in (first, _share(each, kind))))
    now, then = (first * _share(each, kind) for each in (t, t + 1))
    ahead = then * m / (1 - so_far * then) + (1 - now) * g / (1 - so_far)
    yield UpdateStep("moment and gradient ahead", "μₜ₊₁ m / (1 - Πμ μₜ₊₁) + (1 - μₜ) g / (1 - Πμ)", ahead)
    divisor = np.sqrt(v / _missing(second, t, options)) + options["epsilon"]
    yield UpdateStep("divisor", "√(v / (1 - β₂ᵗ)) + ε", divisor)
    yield from written(w, options["lr"] * ahead / divisor, "η (moment and gradient ahead) / divisor")


RULES: Mapping[str, Rule] = {
    "Adagrad": _adagrad,
    "Adam": _adam,
    "AdamW": _adam,
    "Nadam": _nadam,
    "RMSprop": _rmsprop,
    "SGD": _sgd,
}


def _clipped(g: Array, options: Options) -> Iterator[UpdateStep]:
    if options.get("clipnorm"):
        limit = g.dtype.type(options["clipnorm"])
        yield UpdateStep("clipped gradient", "g min(1, c / |g|)", g * limit / max(np.sqrt(kernels.total(g * g)), limit))
    elif options.get("global_clipnorm"):
        size, limit = kernels.norm(options["gradients"]), g.dtype.type(options["global_clipnorm"])
        size = size / g.dtype.type(options.get("loss_scale_factor") or 1)
        factor = limit * min(1 / size, 1 / limit)
        yield UpdateStep("norm of all gradients", "|all g|", np.asarray(size))
        yield UpdateStep("clipped gradient", "g min(1, c / |all g|)", g * factor)
    elif options.get("clipvalue"):
        yield UpdateStep("clipped gradient", "clip(g)", np.clip(g, -options["clipvalue"], options["clipvalue"]))


def steps(optimizer: str, w: Array, g: Array, state: State, options: Options) -> Iterator[UpdateStep]:
    """The steps of an optimizer.

    None where it is not known what it has kept, or how many steps it took, or a gradient of which it takes the norm.
    """
    rule, keeps = RULES.get(optimizer), optimizer != "SGD" or options.get("momentum")
    if rule is None or "step" not in options or (keeps and options["step"] and not state):
        return
    calls = options.get("gradient_accumulation_steps")
    if options.get("global_clipnorm") and (calls or not options.get("gradients")):
        return
    if calls and ("accumulated_gradients" not in state or options.get("only_accumulates")):
        return
    if options.get("loss_scale_factor"):
        g = g / options["loss_scale_factor"]
        yield UpdateStep("unscaled gradient", "g / scale", g)
    if calls:
        g = (g + state["accumulated_gradients"]) / calls
        yield UpdateStep("mean gradient", "(g + sum of g before) / N", g)
    for each in _clipped(g, options):
        yield each
        g = each.value if each.name == "clipped gradient" else g
    if options.get("weight_decay"):
        w = w - w * options["weight_decay"] * options["lr"]
        yield UpdateStep("decayed weight", "w - w λ η", w)
    yield from rule(w, g, state, options)
