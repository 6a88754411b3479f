"""What `record_jax` makes of a function that takes gradients itself: a step, or a loss; the oracle is JAX."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events import BackwardFinished, BackwardStarted, GradientUnseen
from tapeviz.events.log import EventLog

jax = pytest.importorskip("jax")
jnp = jax.numpy

from jax.experimental import io_callback  # noqa: E402

from tapeviz.recorders.session import recorded  # noqa: E402
from tests.recorders.frameworks import jax_state  # noqa: E402
from tests.recorders.jax.programs import numbers  # noqa: E402

pytestmark = pytest.mark.jax

params = {"w": numbers(3, 2, seed=1)}
x, y = numbers(4, 3, seed=2), numbers(4, 2, seed=3)


def loss(params, x, y):
    h = jnp.tanh(x @ params["w"])
    return jnp.mean((h - y) ** 2)


def train_step(params, x, y):
    value, slopes = jax.value_and_grad(loss)(params, x, y)
    return jax.tree.map(lambda each, slope: each - 0.1 * slope, params, slopes), value


def by_value(params, x, y):
    value = float(loss(params, x, y))
    return (train_step(params, x, y)[0] if value > 0.0 else params), value


def in_a_loop(params, x, y):
    return jax.lax.scan(lambda each, _: train_step(each, x, y), params, None, 1)


def runs(log: EventLog) -> list[list[Any]]:
    return [[log.value(each) for each in run.gradients] for run in log.of_kind(BackwardFinished).values()]


def bits(result: Any) -> list[bytes]:
    return [np.asarray(each).tobytes() for each in jax.tree.leaves(result)]


@pytest.mark.parametrize(
    "step",
    [
        train_step,
        jax.jit(train_step),
        partial(train_step, y=y),
        jax.value_and_grad(loss),
        jax.jit(jax.grad(loss)),
        by_value,
        in_a_loop,
    ],
    ids=["plain", "jit", "partial", "value_and_grad", "jitted grad", "by value", "a loop"],
)
@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_step_is_run_and_the_gradient_is_the_one_inside(step: Callable[..., Any], is_compiled: bool) -> None:
    args = (params, x) if isinstance(step, partial) else (params, x, y)
    jax.clear_caches()
    plain = step(*args) if is_compiled else None
    log = tv.record_jax(step, *args)
    assert bits(log.result) == bits(step(*args) if plain is None else plain)
    assert log.gradients is None
    [[ours]] = runs(log)
    np.testing.assert_allclose(ours, jax.grad(loss)(params, x, y)["w"], rtol=2e-5, atol=1e-6)
    [began] = log.of_kind(BackwardStarted).values()
    assert [log.tensors[each].name for each in began.sources] == ["params['w']"]
    assert not tv.diagnose(log)


class Trainer:
    """A step that keeps its weights to itself, and returns the loss."""

    def __init__(self, layer: Any = None) -> None:
        self.layer = layer
        self.w = params["w"]
        self.calls = 0

    def step(self, x: Any, y: Any) -> Any:
        new, value = train_step({"w": self.w}, x, y)
        self.w = new["w"]
        self.calls += 1
        return value

    def step_inside(self, x: Any, y: Any) -> Any:
        return self.layer.step(x, y)


weights = params["w"]


def step_of_module(x, y):
    global weights
    new, value = train_step({"w": weights}, x, y)
    weights = new["w"]
    return value


def test_a_step_that_changes_its_object_is_run_once() -> None:
    trainer, twin = Trainer(), Trainer()
    log = tv.record_jax(trainer.step, x, y)
    assert bits([log.result, trainer.w]) == bits([twin.step(x, y), twin.w])
    assert trainer.calls == 1
    assert len(runs(log)) == 1
    outer = Trainer(Trainer())
    log = tv.record_jax(outer.step_inside, x, y)
    assert bits([log.result, outer.layer.w]) == bits([Trainer().step(x, y), twin.w])
    log = tv.record_jax(step_of_module, x, y)
    assert bits([log.result, weights]) == bits([Trainer().step(x, y), twin.w])
    assert len(runs(log)) == 1


def with_penalty(params, x, y):
    slopes = jax.grad(loss)(params, x, y)
    return loss(params, x, y) + jnp.sum(slopes["w"] ** 2)


@pytest.mark.parametrize("f", [with_penalty, jax.jit(with_penalty)], ids=["plain", "jit"])
@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_loss_that_takes_gradients_is_differentiated(f: Callable[..., Any], is_compiled: bool) -> None:
    jax.clear_caches()
    if is_compiled:
        f(params, x, y)
    log = tv.record_jax(f, params, x, y)
    value, slopes = jax.value_and_grad(with_penalty)(params, x, y)
    np.testing.assert_allclose(log.result, value, rtol=1e-6)
    np.testing.assert_allclose(log.gradients["w"], slopes["w"], rtol=2e-5, atol=1e-6)
    assert len(runs(log)) == 1


def test_what_is_named_for_a_gradient_is_differentiated() -> None:
    assert tv.record_jax(train_step, params, x, y, argnums=(0,)).gradients is not None
    assert tv.record_jax(lambda p: (with_penalty(p, x, y), p), params, has_aux=True).gradients is not None
    assert tv.record_jax(train_step, params, x, y, argnums=()).gradients is None


def test_effects_are_caused_once(capfd: pytest.CaptureFixture[str]) -> None:
    seen = []

    def telling(params):
        print("traced")
        io_callback(lambda: seen.append(1), None)
        return with_penalty(params, x, y)

    def step(params):
        print("traced")
        io_callback(lambda: seen.append(1), None)
        return train_step(params, x, y)

    def looking(params):
        print("traced")
        io_callback(lambda: seen.append(1), None)
        return by_value(params, x, y)

    for f in (telling, step, looking):
        seen.clear()
        tv.record_jax(f, params)
        jax.effects_barrier()
        assert len(seen) == 1
        assert capfd.readouterr().out == "traced\n"


def test_a_loss_of_what_a_callback_gives_is_not_seen_and_that_is_said() -> None:
    def f(params):
        two = io_callback(lambda: np.float32(2.0), jax.ShapeDtypeStruct((), jnp.float32))
        return two * with_penalty(params, x, y)

    log = tv.record_jax(f, params)
    assert log.gradients is None
    assert any("of what a callback" in each.why for each in log.of_kind(GradientUnseen).values())


@pytest.mark.parametrize("f", [train_step, jax.jit(train_step)], ids=["plain", "jit"])
def test_an_error_of_a_step_has_its_log(f: Callable[..., Any]) -> None:
    before = jax_state(jax)
    with pytest.raises((TypeError, ValueError)) as caught:
        tv.record_jax(f, params, x, y[:3])
    assert isinstance(caught.value.log, EventLog)
    assert jax_state(jax) == before
    assert recorded.get() is None


def test_a_step_leaves_no_trace_in_an_open_recording() -> None:
    with tv.record() as log:
        one = tv.record_jax(train_step, params, x, y)
        assert recorded.get() is log
        train_step(params, x, y)
    assert len(runs(one)) == len(runs(log)) == 1


@jax.tree_util.register_dataclass
@dataclass
class Module:
    """A layer as libraries have them: weights beside a function, a name and a switch."""

    w: Any
    activation: Any
    name: str
    is_training: bool

    def __call__(self, x: Any) -> Any:
        return self.activation(x @ self.w) if self.is_training and self.name else x


def test_what_a_module_has_beside_its_weights_is_left_as_it_is() -> None:
    def of_module(module, x):
        return jnp.sum(module(x) ** 2)

    module = Module(params["w"], jnp.tanh, "layer", True)
    log = tv.record_jax(of_module, module, x)
    expected = jax.grad(lambda w: of_module(Module(w, jnp.tanh, "layer", True), x))(params["w"])
    np.testing.assert_allclose(log.gradients.w, expected, rtol=1e-6)
    assert (log.gradients.activation, log.gradients.name, log.gradients.is_training) == (None, None, None)


@pytest.mark.parametrize("wrap", [jax.jit, jax.checkpoint, partial, lambda f: lambda *args: f(*args)])
def test_a_wrapped_loss_is_differentiated(wrap: Any) -> None:
    log = tv.record_jax(wrap(loss), params, x, y)
    np.testing.assert_allclose(log.gradients["w"], jax.grad(loss)(params, x, y)["w"], rtol=2e-5, atol=1e-6)


def test_a_mapped_loss_is_the_sum_of_its_results() -> None:
    log = tv.record_jax(jax.vmap(lambda x: jnp.sum(x**2)), x)
    np.testing.assert_allclose(log.gradients, 2 * x, rtol=1e-6)
