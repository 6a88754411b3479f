"""Trainings with drawn optimizers of each library, and how near the formulas come to the weights that these write.

`python -m tests.views.reports.updates` draws two hundred of each library, and prints it. A `model` of Keras'
is trained on the backend that `KERAS_BACKEND` names, in a process of its own: `KERAS_BACKEND=jax python -m
tests.views.reports.updates model`.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import tapeviz as tv
from tapeviz.events import EventLog, ParameterUpdated
from tapeviz.replay.written import updates_of

KINDS = ("single", "foreach", "fused")
FUSED = frozenset({"SGD", "Adam", "AdamW", "Adagrad"})
"""Optimizers that are fused on the CPU."""
NAMES = ("Adagrad", "Adam", "AdamW", "NAdam", "RMSprop", "SGD")
"""Optimizers of which each library has its own."""
IN_DOUBLE = frozenset({"Adafactor", "LBFGS", "Muon"})
"""Optimizers that multiply matrices or take norms, of which the steps are computed in double precision."""
STEPS, PARAMETERS = 4, ("w", "v")


class Drawn(NamedTuple):
    """An optimizer and its hyperparameters."""

    name: str
    options: dict[str, Any]


def drawn(seed: int) -> Drawn:
    """An optimizer of PyTorch's."""
    draw, names = np.random.default_rng(seed), sorted((*NAMES, "Adafactor", "LBFGS", "Muon"))
    name = names[seed % len(names)]

    def one_of(*values: Any) -> Any:
        return values[draw.integers(len(values))]

    if name == "LBFGS":
        return Drawn(name, {"lr": one_of(1, 0.1), "max_iter": one_of(1, 3), "history_size": one_of(2, 100)})
    options: dict[str, Any] = {"lr": one_of(0.5, 0.1, 0.01, 1e-3), "weight_decay": one_of(0.0, 0.0, 0.1, 0.01)}
    if name == "Muon":
        return Drawn(name, options | {"nesterov": one_of(False, True), "momentum": one_of(0.95, 0.5)})
    options["maximize"] = one_of(False, False, True)
    if name == "SGD":
        options["momentum"] = one_of(0.0, 0.5, 0.9)
        options["nesterov"] = bool(options["momentum"]) and one_of(False, True)
        options["dampening"] = 0.0 if options["nesterov"] else one_of(0.0, 0.1)
    if name in ("Adam", "AdamW", "NAdam"):
        options |= {"betas": one_of((0.9, 0.999), (0.5, 0.9)), "eps": one_of(1e-8, 1e-3)}
    if name in ("Adam", "AdamW"):
        options["amsgrad"] = one_of(False, True)
    if name == "NAdam":
        options |= {"decoupled_weight_decay": one_of(False, True), "momentum_decay": one_of(4e-3, 0.1)}
    if name == "Adagrad":
        options |= {"lr_decay": one_of(0.0, 0.1), "initial_accumulator_value": one_of(0.0, 0.1)}
    if name == "RMSprop":
        options |= {"alpha": one_of(0.99, 0.5), "centered": one_of(False, True), "momentum": one_of(0.0, 0.9)}
    kind = one_of(*KINDS) if name in FUSED else one_of(*KINDS[:2])
    kinds: dict[str, dict[str, bool]] = {"single": {"foreach": False}, "foreach": {"foreach": True}}
    return Drawn(name, options | kinds.get(kind, {"fused": True}))


def trained(seed: int, steps: int = STEPS, dtype: str = "float32") -> EventLog:
    """Some steps of a drawn optimizer of PyTorch's, with gradients that are summed over calls, and clipped."""
    import torch

    torch.manual_seed(seed)
    name, options = drawn(seed)
    w, v = (torch.randn(3, 4).to(getattr(torch, dtype)).requires_grad_() for _ in range(2))
    optimizer = getattr(torch.optim, name)([w, v], **options)

    def gradients() -> Any:
        for _ in range(1 + seed % 2):
            x = torch.randn(3, 4).to(w.dtype)
            loss = (torch.tanh(w * x) * v).sum()
            loss.backward()
        if seed % 3 == 0:
            torch.nn.utils.clip_grad_norm_([w, v], 0.5)
        return loss

    def closure() -> Any:
        optimizer.zero_grad()
        return gradients()

    with tv.record() as log:
        for _ in range(steps):
            if name == "LBFGS":
                optimizer.step(closure)
            else:
                gradients()
                optimizer.step()
                optimizer.zero_grad()
    return log


def drawn_of_keras(seed: int) -> Drawn:
    """An optimizer of Keras'."""
    draw, name = np.random.default_rng(seed), NAMES[seed % len(NAMES)].replace("NAdam", "Nadam")

    def one_of(*values: Any) -> Any:
        return values[draw.integers(len(values))]

    options: dict[str, Any] = {"learning_rate": one_of(0.5, 0.1, 0.01, 1e-3), "weight_decay": one_of(None, 0.1, 0.01)}
    options |= one_of(
        {}, {}, {"clipnorm": 0.5}, {"global_clipnorm": 0.5}, {"clipvalue": 0.1}, {"loss_scale_factor": 8.0}
    )
    options |= one_of({}, {}, {} if "global_clipnorm" in options else {"gradient_accumulation_steps": 2})
    if name == "SGD":
        options |= {"momentum": one_of(0.0, 0.5, 0.9), "nesterov": one_of(False, True)}
    elif name == "RMSprop":
        options |= {"rho": one_of(0.9, 0.5), "momentum": one_of(0.0, 0.9), "centered": one_of(False, True)}
    elif name == "Adagrad":
        options["initial_accumulator_value"] = one_of(0.1, 1.0)
    else:
        options |= {"beta_1": one_of(0.9, 0.5), "beta_2": one_of(0.999, 0.9), "epsilon": one_of(1e-7, 1e-3)}
        options |= {} if name == "Nadam" else {"amsgrad": one_of(False, True)}
    options["weight_decay"] = options["weight_decay"] or (0.004 if name == "AdamW" else None)
    return Drawn(name, options)


def _trained_as_in_keras(tf: Any, seed: int) -> EventLog:
    draw, (name, options) = np.random.default_rng(seed), drawn_of_keras(seed)
    w, v = (tf.Variable(draw.standard_normal((3, 4)).astype(np.float32), name=each) for each in PARAMETERS)
    optimizer = getattr(tf.keras.optimizers, name)(**options, name="optimizer")  # else it is numbered
    with tv.record() as log:
        for _ in range(STEPS):
            x = tf.constant(draw.standard_normal((3, 4)).astype(np.float32))
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.tanh(w * x) * v)
            optimizer.apply_gradients(zip(tape.gradient(loss, [w, v]), [w, v], strict=True))
    return log


def trained_by_keras(seed: int) -> EventLog:
    """Some steps of a drawn optimizer of Keras' on TensorFlow."""
    import tensorflow

    return _trained_as_in_keras(tensorflow, seed)


def trained_by_a_model_of_keras(seed: int) -> EventLog:
    """Some batches of a model of Keras', compiled with a drawn optimizer, on the backend that `KERAS_BACKEND` names."""
    import keras

    keras.backend.clear_session()
    keras.utils.set_random_seed(seed)
    name, options = drawn_of_keras(seed)
    draw = np.random.default_rng(seed)
    layers = [keras.layers.Dense(4, activation="tanh", name="w"), keras.layers.Dense(1, name="v")]
    model = keras.Sequential([keras.Input((3,)), *layers])
    model.compile(optimizer=getattr(keras.optimizers, name)(**options), loss="mse")
    with tv.record() as log:
        for _ in range(STEPS):
            x = draw.standard_normal((8, 3)).astype("float32")
            model.train_on_batch(x, x.sum(axis=1, keepdims=True))
    return log


def trained_by_the_engine(seed: int) -> EventLog:
    """The same of the engine's own."""
    return _trained_as_in_keras(tv, seed)


def drawn_of_optax(seed: int) -> Drawn:
    """A function of optax, and its arguments."""
    draw, name = np.random.default_rng(seed), NAMES[seed % len(NAMES)].lower()

    def one_of(*values: Any) -> Any:
        return values[draw.integers(len(values))]

    options: dict[str, Any] = {"learning_rate": one_of(0.5, 0.1, 0.01, 1e-3)}
    if name == "sgd":
        options |= {"momentum": one_of(None, 0.5, 0.9), "nesterov": one_of(False, True)}
    elif name == "rmsprop":
        options |= {"decay": one_of(0.9, 0.5), "momentum": one_of(None, 0.9), "centered": one_of(False, True)}
        options["eps_in_sqrt"] = one_of(False, True)
        options["bias_correction"] = not options["centered"] and one_of(False, True)  # together they are 0 / 0 at first
    elif name == "adagrad":
        options["initial_accumulator_value"] = one_of(0.1, 1.0)
    else:
        options |= {"b1": one_of(0.9, 0.5), "b2": one_of(0.999, 0.9), "eps": one_of(1e-8, 1e-3)}
    if name == "adamw":
        options["weight_decay"] = one_of(1e-4, 0.1)
    return Drawn(name, options | one_of({}, {}, {"max_norm": 0.5}))


def trained_by_optax(seed: int, *, compiled: str = "", gives_away: bool = False) -> EventLog:
    """Some steps of a drawn optimizer of optax, after a clip by the norm of all gradients where `max_norm` is drawn.

    `compiled`: each `step` with its gradients, or each `update` by given ones, in a function of JAX's, which
    `gives_away` the memory of its arguments.
    """
    import jax
    import optax

    draw, (name, options) = np.random.default_rng(seed), drawn_of_optax(seed)
    limit = options.pop("max_norm", None)
    optimizer = getattr(optax, name)(**options)
    optimizer = optimizer if limit is None else optax.chain(optax.clip_by_global_norm(limit), optimizer)
    params = {each: jax.numpy.asarray(draw.standard_normal((3, 4)), "float32") for each in PARAMETERS}
    state = optimizer.init(params)

    def loss_of(params: Any, x: Any) -> Any:
        return (jax.numpy.tanh(params["w"] * x) * params["v"]).sum()

    def update(params: Any, state: Any, gradients: Any) -> tuple[Any, Any]:
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state

    def step(params: Any, state: Any, x: Any) -> tuple[Any, Any]:
        return update(params, state, jax.grad(loss_of)(params, x))

    if compiled == "update":
        update = jax.jit(update)
    elif compiled:
        step = jax.jit(step, donate_argnums=(0, 1) if gives_away else ())
    with tv.record() as log:
        for _ in range(STEPS):
            params, state = step(params, state, jax.numpy.asarray(draw.standard_normal((3, 4)), "float32"))
    return log


LIBRARIES: dict[str, tuple[Callable[[int], EventLog], Callable[[int], Drawn]]] = {
    "engine": (trained_by_the_engine, drawn_of_keras),
    "torch": (trained, drawn),
    "keras": (trained_by_keras, drawn_of_keras),
    "model": (trained_by_a_model_of_keras, drawn_of_keras),
    "optax": (trained_by_optax, drawn_of_optax),
    "compiled": (partial(trained_by_optax, compiled="update"), drawn_of_optax),
}


class Nearness(NamedTuple):
    """How far the formulas are from what was written: relative to the largest weight, and in units of the last place.

    These are those of a weight before or after the update, whichever is larger: it was rounded there.
    """

    ulps: float
    relative: float


def _parameters(log: EventLog) -> list[str]:
    return sorted({str(log.tensors[each.tensor].name) for each in log.of_kind(ParameterUpdated).values()})


def nearness(log: EventLog) -> list[Nearness]:
    """Of each update of a training; infinite where there are no formulas."""
    found = []
    for name in _parameters(log):
        for number in range(len(updates_of(log, log.id_of(name)))):
            update = tv.update(log, name, number)
            if not update.steps:
                found.append(Nearness(np.inf, np.inf))
                continue
            due, wrote = update.steps[-1].value.astype(np.float32), update.after.astype(np.float32)
            apart = np.abs(due.astype(np.float64) - wrote)
            unit = np.spacing(np.maximum(np.abs(wrote), np.abs(update.before)).astype(np.float32))
            found.append(Nearness(float((apart / unit).max()), float(apart.max() / np.abs(wrote).max())))
    return found


def are_as_computed(log: EventLog, library: str, drawn: Drawn) -> None:
    """All updates of a training are what the formulas give, bit by bit.

    Of fused kernels, and of what JAX has compiled, by one in the last place: there the places of entries count.
    """
    name = "optax" if library in ("optax", "compiled") else drawn.name
    for each in _parameters(log):
        for number in range(len(updates_of(log, log.id_of(each)))):
            found = tv.update(log, each, number)
            assert found.is_as_computed, found
            assert found.optimizer == name
    near = nearness(log)
    if name in IN_DOUBLE:
        assert max(each.relative for each in near) < 1e-5
    else:
        assert max(each.ulps for each in near) <= bool(drawn.options.get("fused") or library == "compiled")


def hold_for_models_of_keras(seeds: Iterable[int]) -> None:
    """The formulas give what each update wrote, from the weights that a model begins with; or fail."""
    import keras

    for seed in seeds:
        log = trained_by_a_model_of_keras(seed)
        name, options = drawn_of_keras(seed)
        keras.utils.set_random_seed(seed)
        begins = keras.layers.Dense(4)
        begins.build((None, 3))
        kernel = keras.ops.convert_to_numpy(begins.kernel)
        accumulates = "gradient_accumulation_steps" in options
        for each in _parameters(log):
            for number in range(len(updates_of(log, log.id_of(each)))):
                found = tv.update(log, each, number)
                assert found.optimizer == name
                assert found.is_as_computed or (accumulates and not found.steps), found
                assert number or "w/kernel" not in each or np.array_equal(found.before, kernel)


def main() -> None:
    """Print it for the libraries that are named, by default all."""
    for library in sys.argv[1:] or [each for each in LIBRARIES if each != "model"]:
        train, drawn_of = LIBRARIES[library]
        of: dict[str, list[Nearness]] = defaultdict(list)
        for seed in range(200):
            log, (name, _) = train(seed), drawn_of(seed)
            of[name] += nearness(log)
        for name, some in sorted(of.items()):
            ulps = np.array([each.ulps for each in some])
            print(
                f"{library:8} {name:9} {len(some):4} updates: the same {(ulps == 0).mean():6.1%}, within 1 ulp "
                f"{(ulps <= 1).mean():6.1%}, at most {ulps.max():.3g} ulps, {max(each.relative for each in some):.1e}"
            )


if __name__ == "__main__":
    main()
