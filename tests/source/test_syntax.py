"""What a source says of a call, as the diagnosis names what was asked for."""

from __future__ import annotations

import pytest

import tapeviz as tf
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.table import table
from tapeviz.events import Site
from tapeviz.source.syntax import asked_for
from tapeviz.source.text import SourceText


@pytest.mark.parametrize(
    ("call", "asked"),
    [
        ("tape.gradient(loss, [w, b], output_gradients=g)", ["loss", "[w, b]"]),
        ("tape.jacobian(y, x)", ["y", "x"]),
        ("tape.gradient(*pair)", []),
        ("tape.gradient(loss, *rest)", ["loss"]),
        ("torch.autograd.grad(loss, w)", ["loss", "w"]),
        ("torch.autograd.backward([loss])", ["[loss]"]),
        ("autograd.backward(loss)", ["loss"]),
        ("backward(loss)", ["loss"]),
        ("loss.backward()", ["loss"]),
        ("net(x).sum().backward(retain_graph=True)", ["net(x).sum()"]),
        ("loss.backward(torch.tensor(2.0))", []),
        ("accelerator.backward(loss)", []),
        ("model.fit(x, y)", []),
        ("model.train_on_batch(x, y)", []),
        ("optimizer.minimize(loss, [w])", []),
    ],
)
def test_what_a_call_asks_for(call: str, asked: list[str]) -> None:
    site = Site("program.py", 1, 1, 0, len(call), "<module>", call)
    assert asked_for(SourceText([call]), site) == asked


def test_arguments_that_are_written_as_several_have_no_names_here() -> None:
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = tf.stop_gradient(w) * 3.0
    pair = loss, w
    tape.gradient(*pair)
    assert "stop_gradient" in str(tf.why(tape, loss, w))
    assert "stop_gradient" in str(diagnose(tape))


@pytest.mark.torch
def test_a_seed_is_no_target() -> None:
    import torch

    w = torch.tensor(3.0, requires_grad=True)
    with tf.record() as log:
        loss = w.round() * 2
        loss.backward(torch.tensor(2.0))
    assert "torch.tensor" not in str(table(log))
    assert "with respect to `w`" in str(diagnose(log))


@pytest.mark.torch
def test_a_target_in_a_list_is_called_by_itself() -> None:
    import torch

    w = torch.tensor(3.0, requires_grad=True)
    with tf.record() as log:
        torch.autograd.backward([w.round() * 2])
    assert "`w.round() * 2` with respect to `w`" in str(diagnose(log))
