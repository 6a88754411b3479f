"""Long recordings of frameworks: what is packed on the way is read as if it were not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import EventLog
from tests.events.test_store import views
from tests.recorders.torch_programs import PROGRAMS
from tests.settling import settle_early


def recorded(program: Callable[[], None], **options: Any) -> EventLog:
    """The log of a program, after one that is not looked at: what is learnt once is known."""
    with tv.record():
        program()
    with tv.record(**options) as log:
        program()
    return log


def of_torch(name: str) -> Callable[[], None]:
    """A program and its backward pass, several times."""
    import torch

    def run() -> None:
        for _ in range(3):
            torch.manual_seed(0)
            _, loss = PROGRAMS[name](torch)
            loss.backward()

    return run


def state_carried_along() -> None:
    """Every backward pass goes through the graphs of all steps before."""
    import torch

    torch.manual_seed(0)
    cell, state = torch.nn.GRUCell(3, 4), torch.zeros(2, 4)
    optimizer = torch.optim.Adam(cell.parameters())
    for _ in range(5):
        state = torch.stack(torch.tanh(cell(torch.randn(2, 3), state)).split(2, dim=1), 1).flatten(1)
        optimizer.zero_grad()
        (state**2).sum().backward(retain_graph=True)


def differentiated_twice() -> None:
    """The penalty of a gradient: passes that are recorded by autograd."""
    import torch

    torch.manual_seed(0)
    critic = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    for _ in range(3):
        x = torch.randn(5, 3, requires_grad=True)
        (slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
        ((slope.norm(dim=1) - 1) ** 2).mean().backward()


def of_tensorflow() -> None:
    """Two tapes, a persistent one among them, an optimizer and sparse gradients."""
    import tensorflow as tf

    table, w = tf.Variable(tf.ones((6, 3)), name="table"), tf.Variable(tf.ones((3, 1)), name="w")
    optimizer = tf.keras.optimizers.Adam(0.1, name="adam")
    for step in range(4):
        with tf.GradientTape() as outer, tf.GradientTape(persistent=True) as tape:
            rows = tf.gather(table, [step, step + 1, step])
            loss = tf.reduce_sum(tf.tanh(rows @ w))
        tape.gradient(loss, rows)
        gradients = outer.gradient(loss, [table, w])
        optimizer.apply_gradients(zip(gradients, [table, w], strict=True))


@pytest.fixture
def torch_settles_early(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A call after which the ops of graphs are packed as well."""

    def settle() -> None:
        from tapeviz.recorders.torch import numbered

        settle_early(monkeypatch)
        monkeypatch.setattr(numbered, "TOGETHER", 2)

    return settle


@pytest.mark.torch
@pytest.mark.parametrize("options", [{}, {"values": "none"}, {"max_bytes": 2000}])
@pytest.mark.parametrize("name", [*sorted(PROGRAMS), "state_carried_along", "differentiated_twice"])
def test_pytorch(name: str, options: dict[str, Any], torch_settles_early: Callable[[], None]) -> None:
    program = globals()[name] if name in globals() else of_torch(name)
    plain = recorded(program, **options)
    torch_settles_early()
    log = recorded(program, **options)
    assert plain.settled.length == 0
    assert log.settled.length
    assert views(log) == views(plain)


@pytest.mark.tensorflow
@pytest.mark.parametrize("options", [{}, {"values": "none"}, {"max_bytes": 600}])
def test_tensorflow(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    plain = recorded(of_tensorflow, **options)
    settle_early(monkeypatch)
    log = recorded(of_tensorflow, **options)
    assert plain.settled.length == 0
    assert log.settled.length > len(log.raw)
    assert views(log) == views(plain)
