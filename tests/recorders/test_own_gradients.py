"""A function with a gradient of the user's own, called as an op that the catalog knows: what is known is not of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.errors import LogError
from tapeviz.events import OpRecorded, ReadOut
from tapeviz.views.payload import payload

X = [1.6, 2.7]


def straight_through_in_tapeviz() -> tuple[Any, Any]:
    @tv.custom_gradient
    def round(x: Any) -> Any:
        return tv.round(x), lambda upstream: upstream

    w = tv.Variable(X, name="w")
    with tv.GradientTape() as tape:
        loss = tv.reduce_sum(round(w) * tv.round(w))
    return tape.log, tape.gradient(loss, w)


def straight_through_in_tensorflow() -> tuple[Any, Any]:
    import tensorflow as tf

    @tf.custom_gradient
    def round(x: Any) -> Any:
        return tf.round(x), lambda upstream: upstream

    w = tf.Variable(X, name="w")
    with tv.record() as log, tf.GradientTape() as tape:
        loss = tf.reduce_sum(round(w) * tf.round(w))
        with tape.stop_recording():
            gradient = tape.gradient(loss, w)
    return log, gradient


def straight_through_in_torch() -> tuple[Any, Any]:
    import torch

    class Straight(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return torch.round(x)

        @staticmethod
        def backward(ctx: Any, upstream: Any) -> Any:
            return upstream

    Straight.__name__ = "round"
    w = torch.tensor(X, requires_grad=True)
    with tv.record() as log:
        loss = (Straight.apply(w) * torch.round(w)).sum()
        loss.backward()
    return log, w.grad


def straight_through_in_jax() -> tuple[Any, Any]:
    jax = pytest.importorskip("jax")
    jnp = jax.numpy

    @jax.custom_vjp
    def round(x: Any) -> Any:
        return jnp.round(x)

    round.defvjp(lambda x: (jnp.round(x), None), lambda _, upstream: (upstream,))
    log = tv.record_jax(lambda w: (round(w) * jnp.round(w)).sum(), jnp.array(X))
    return log, log.gradients


@pytest.mark.parametrize(
    "made",
    [
        straight_through_in_tapeviz,
        pytest.param(straight_through_in_tensorflow, marks=pytest.mark.tensorflow),
        pytest.param(straight_through_in_torch, marks=pytest.mark.torch),
        pytest.param(straight_through_in_jax, marks=pytest.mark.jax),
    ],
)
def test_its_gradient_is_its_own(made: Any) -> None:
    log, gradient = made()
    np.testing.assert_allclose(np.asarray(gradient), [2.0, 3.0])
    assert list(tv.diagnose(log)) == []
    assert not log.of_kind(ReadOut)
    known = [kind["formula"] is not None for kind in payload(log)["kinds"] if kind["name"] == "round"]
    assert sorted(known) == [False, True]
    said = []
    for step in range(1, 5):
        try:
            tv.check_step(log, step)
        except LogError as error:
            said.append(str(error))
        except IndexError:
            break
    [told] = said
    assert told.startswith("round is a function of yours, which only your program can run again: check it by ")


@pytest.mark.jax
def test_a_users_op_says_nothing_of_another_framework() -> None:
    jax = pytest.importorskip("jax")
    tv.defop("cbrt", np.cbrt, x=None)
    assert float(tv.record_jax(jax.numpy.cbrt, 8.0).gradients) == pytest.approx(1 / 12)


@pytest.mark.torch
def test_two_functions_of_one_name_are_two() -> None:
    import torch

    def scaled(by: float) -> Any:
        class Scaled(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                return x * by

            @staticmethod
            def backward(ctx: Any, upstream: Any) -> Any:
                return upstream * by

        return Scaled

    w = torch.ones(2, requires_grad=True)
    with tv.record() as log:
        loss = scaled(3.0).apply(scaled(2.0).apply(w)).sum()
        loss.backward()
    assert w.grad.tolist() == [6.0, 6.0]
    assert [event.op for event in log.events if isinstance(event, OpRecorded)] == ["Scaled", "Scaled", "reduce_sum"]
