"""Steps of TensorFlow, PyTorch and JAX beside finite differences: the engine runs an op, if it gives what they gave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz import replay
from tapeviz.engine.ops import OPS
from tapeviz.errors import LogError
from tapeviz.events import EventLog
from tapeviz.live.check_step import check_step


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
@pytest.mark.parametrize(
    "program",
    [
        "F.linear(x, w)",
        "F.linear(x, w, x[0, :2])",
        "F.mse_loss(x, w)",
        "F.mse_loss(x, w, reduction='sum')",
        "F.l1_loss(x, w, reduction='none')",
        "F.gelu(x)",
        "F.layer_norm(x, (3,))",
        "F.layer_norm(x, (3,), x[0], w[0], eps=1e-3)",
        "F.cross_entropy(x, t)",
        "F.cross_entropy(x, t, reduction='sum', ignore_index=1)",
        "F.cross_entropy(x, w.softmax(1))",
        "F.cross_entropy(x, t, label_smoothing=0.2)",
        "F.nll_loss(x.log_softmax(1), t)",
        "F.binary_cross_entropy_with_logits(x, w.sigmoid())",
        "torch.addmm(w[:, :2], x, w.mT, alpha=2.0, beta=0.5)",
        "x.transpose(0, 1)",
        "x[0] @ w.mT",
    ],
)
def test_what_only_pytorch_has_as_one_op(program: str) -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor([[1.0, -2.0, 0.5], [0.3, 0.2, 4.0]], requires_grad=True)
    w = torch.tensor([[0.5, 1.0, -1.0], [2.0, 0.1, 0.4]], requires_grad=True)
    names = {"F": torch.nn.functional, "torch": torch, "x": x, "w": w, "t": torch.tensor([2, 1])}
    with tv.record() as log:
        y = eval(program, names)
        (y * torch.arange(1.0, y.numel() + 1).reshape(y.shape)).sum().backward()
    (run,) = replay.runs(log)
    number = next(at for at, step in enumerate(run.steps, 1) if log.id_of(y) in log.events[step.op].outputs)  # type: ignore[union-attr]
    checked = check_step(log, number)
    assert {part.verdict for part in checked.comparisons} == {"agrees"}, str(checked)


@pytest.mark.torch
def test_an_option_that_has_no_counterpart_is_named() -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor([1.0, -2.0], requires_grad=True)
    with tv.record() as log:
        torch.nn.functional.softplus(x, beta=2.0).sum().backward()
    with pytest.raises(LogError, match="no softplus of its own with the options beta that could stand in"):
        check_step(log, 2)


@pytest.mark.torch
def test_an_op_that_would_give_other_numbers_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    log = torch()
    monkeypatch.setattr(OPS["reduce_mean"], "primal", lambda x, *, axis, keepdims: 7.0)
    with pytest.raises(LogError, match="gives other numbers than PyTorch's did"):
        check_step(log, 1)
    monkeypatch.setattr(OPS["reduce_mean"], "primal", lambda x: 1 / 0)
    with pytest.raises(LogError, match="cannot run as PyTorch's did"):
        check_step(log, 1)
