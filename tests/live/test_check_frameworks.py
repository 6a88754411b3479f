"""Steps of TensorFlow, PyTorch and JAX beside finite differences: the engine runs an op, if it gives what they gave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz import replay
from tapeviz.engine.table import OPS
from tapeviz.errors import LogError
from tapeviz.events import EventLog
from tapeviz.live.check import check_step


def tensorflow() -> EventLog:
    tf: Any = pytest.importorskip("tensorflow")
    x, w = tf.constant([[1.0, -2.0, 0.5]]), tf.Variable(np.eye(3, 2, dtype=np.float32) + 0.1)
    with tv.record() as log:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.tanh(x @ w) * 3.0)
        tape.gradient(loss, w)
    return log


def torch() -> EventLog:
    torch: Any = pytest.importorskip("torch")
    x, w = torch.tensor([[1.0, -2.0, 0.5]]), (torch.eye(3, 2) + 0.1).requires_grad_()
    with tv.record() as log:
        (torch.tanh(x @ w) * 3.0).mean().backward()
    return log


def jax() -> EventLog:
    jnp: Any = pytest.importorskip("jax.numpy")
    x, w = jnp.array([[1.0, -2.0, 0.5]]), jnp.eye(3, 2) + 0.1
    return tv.record_jax(lambda w: jnp.sum(jnp.tanh(x @ w) * 3.0), w)


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(tensorflow, marks=pytest.mark.tensorflow),
        pytest.param(torch, marks=pytest.mark.torch),
        pytest.param(jax, marks=pytest.mark.jax),
    ],
)
def test_every_step_agrees(program: Any) -> None:
    log = program()
    (run,) = replay.runs(log)
    checked = [check_step(log, step) for step in range(1, len(run.steps) + 1)]
    assert [each.op for each in checked][1:] == ["mul", "tanh", "matmul"]
    assert all(each.comparisons for each in checked)
    assert {part.verdict for each in checked for part in each.comparisons} == {"agrees"}


@pytest.mark.torch
def test_an_op_that_would_give_other_numbers_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    log = torch()
    monkeypatch.setattr(OPS["reduce_mean"], "primal", lambda x, *, axis, keepdims: 7.0)
    with pytest.raises(LogError, match="gives other numbers than PyTorch's did"):
        check_step(log, 1)
    monkeypatch.setattr(OPS["reduce_mean"], "primal", lambda x: 1 / 0)
    with pytest.raises(LogError, match="cannot run as PyTorch's did"):
        check_step(log, 1)
