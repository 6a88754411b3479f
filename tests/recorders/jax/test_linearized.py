"""Equations that are alike are differentiated once, and give what each gives by itself, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz as tv

jax = pytest.importorskip("jax")
jnp = jax.numpy
pytestmark = pytest.mark.jax

from tapeviz.recorders.jax.linearized import Linearized  # noqa: E402


def deep(layers: int) -> Any:
    def loss(w: Any, x: Any) -> Any:
        for _ in range(layers):
            x = jnp.tanh(x @ w) + jax.nn.softmax(x, axis=-1)
            x = jnp.where(x > 0.1, jnp.sort(x, axis=0), jnp.cumsum(x, axis=1)) / jnp.sqrt(1.0 + x[::-1] ** 2)
            x = x * jax.lax.stop_gradient(jnp.max(x)) + jnp.floor(x) + jnp.linalg.norm(x)
        return jnp.mean(x**3)

    return loss


def plain(layers: int) -> Any:
    def loss(w: Any, x: Any) -> Any:
        for _ in range(layers):
            x = jnp.tanh(x @ w)
        return jnp.sum(x)

    return loss


def options(layers: int) -> Any:
    """Equations that differ in an option alone."""

    def loss(w: Any, x: Any) -> Any:
        for _ in range(layers):
            for axis in (0, 1):
                w = w + jnp.cumsum(w, axis=axis) ** (2 + axis) * jnp.sum(x)
        return jnp.sum(w)

    return loss


def arguments() -> tuple[Any, Any]:
    draw = np.random.default_rng(0)
    return jnp.asarray(draw.normal(size=(4, 4)), jnp.float32), jnp.asarray(draw.normal(size=(3, 4)), jnp.float32)


@pytest.mark.parametrize("program", [deep, plain, options])
def test_numbers_are_those_of_each_equation_by_itself(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    together = tv.record_jax(program(4), *arguments(), argnums=(0, 1))
    monkeypatch.setattr(Linearized, "_of", lambda *given: None)
    alone = tv.record_jax(program(4), *arguments(), argnums=(0, 1))
    assert together.events == alone.events
    for row in alone.tensors:
        np.testing.assert_array_equal(together.value(row.id), alone.value(row.id))


def test_more_layers_are_no_more_work_for_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, vjp, counts = [], jax.vjp, []
    monkeypatch.setattr(jax, "vjp", lambda *given: (calls.append(None), vjp(*given))[1])
    for layers in (3, 12):
        calls.clear()
        tv.record_jax(plain(layers), *arguments())
        counts.append(len(calls))
    assert counts[0] == counts[1] > 0
