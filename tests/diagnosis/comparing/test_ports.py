"""One program in two frameworks: the same where it is, and the line where it is not."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz import compare
from tapeviz.events import EventLog

RANDOM = np.random.default_rng(0)
X, Y = (RANDOM.standard_normal(shape).astype(np.float32) for shape in ((16, 8), (16, 3)))
FIRST, SECOND = (RANDOM.standard_normal(shape).astype(np.float32) for shape in ((8, 8), (8, 3)))
PICTURES, FILTERS = (RANDOM.standard_normal(shape).astype(np.float32) for shape in ((2, 3, 8, 8), (5, 3, 3, 3)))
HALF = np.full((45, 1), 0.1, np.float32)


def with_a_tape(framework: str) -> Callable[..., EventLog]:
    """The program on TensorFlow, or on the engine: `framework` is the module's name."""

    def written(activation: str = "tanh", reduce: str = "mean", first: Any = FIRST) -> EventLog:
        tf = pytest.importorskip(framework)
        w1, w2 = tf.Variable(first, name="w1"), tf.Variable(SECOND, name="w2")
        with tv.record() as log, tf.GradientTape() as tape:
            h = getattr(tf.nn, activation)(tf.constant(X) @ w1)
            loss = getattr(tf, f"reduce_{reduce}")((h @ w2 - Y) ** 2)
            tape.gradient(loss, [w1, w2])
        return log

    return written


def in_torch(activation: str = "tanh", reduce: str = "mean", first: Any = FIRST) -> EventLog:
    torch = pytest.importorskip("torch")
    model = torch.nn.ModuleDict({"w1": torch.nn.Linear(8, 8, bias=False), "w2": torch.nn.Linear(8, 3, bias=False)})
    with torch.no_grad():
        model["w1"].weight.copy_(torch.tensor(first.T))
        model["w2"].weight.copy_(torch.tensor(SECOND.T))
    with tv.record() as log:
        h = getattr(torch, activation)(model["w1"](torch.tensor(X)))
        loss = getattr(torch, reduce)((model["w2"](h) - torch.tensor(Y)) ** 2)
        loss.backward()
    return log


def in_jax(activation: str = "tanh", reduce: str = "mean", first: Any = FIRST) -> EventLog:
    jax = pytest.importorskip("jax")

    def cost(params: Any, x: Any, y: Any) -> Any:
        h = getattr(jax.nn, activation)(x @ params["w1"])
        error = h @ params["w2"] - y
        return getattr(jax.numpy, reduce)(error**2)

    return tv.record_jax(cost, {"w1": first, "w2": SECOND}, X, Y)


PORTS = {
    "tapeviz": with_a_tape("tests.engine.names"),
    "tensorflow": with_a_tape("tensorflow"),
    "torch": in_torch,
    "jax": in_jax,
}
PAIRS = [
    pytest.param(
        one, other, id=f"{one}-{other}", marks=[getattr(pytest.mark, each) for each in {one, other} - {"tapeviz"}]
    )
    for one, other in combinations(PORTS, 2)
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_faithful_port_is_the_same(one: str, other: str) -> None:
    found = compare(PORTS[one](), PORTS[other]())
    assert (found.divergence, found.changes) == ((), [])
    assert len(found.gradients) == 2
    assert all(each.same for each in found.gradients), str(found)
    assert "the same results" in str(found)


@pytest.mark.parametrize(("one", "other"), PAIRS)
@pytest.mark.parametrize(
    ("mistake", "lines"),
    [
        pytest.param({"activation": "sigmoid"}, "h = ", id="another activation"),
        pytest.param({"reduce": "sum"}, "**", id="another reduction"),
        pytest.param({"first": FIRST.T.copy()}, "h = ", id="a square matrix the wrong way round"),
    ],
)
def test_the_lines_of_a_mistake(one: str, other: str, mistake: dict[str, Any], lines: str) -> None:
    found = compare(PORTS[one](), PORTS[other](**mistake))
    assert found.divergence
    for step in found.divergence:
        assert step.site is not None
        assert lines in step.site.text
    assert not any(each.same for each in found.gradients)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_other_weights_are_named(one: str, other: str) -> None:
    found = compare(PORTS[one](), PORTS[other](first=FIRST * 2))
    assert found.divergence
    assert all("w1" in step.what for step in found.divergence)


def convolutions(framework: str) -> tuple[EventLog, EventLog]:
    """A convolution over channels that come first, in PyTorch, and last, in another framework."""
    torch, tf = pytest.importorskip("torch"), pytest.importorskip(framework)
    nn, layers = torch.nn, tf.keras.layers
    model = nn.Sequential(nn.Conv2d(3, 5, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(45, 1))
    port = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8, 3)),
            layers.Conv2D(5, 3, activation="relu", name="conv2d"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(1, name="dense"),
        ],
        name="sequential",
    )
    port.set_weights([FILTERS.transpose(2, 3, 1, 0), np.zeros(5, np.float32), HALF, np.zeros(1, np.float32)])
    with torch.no_grad():
        for parameter, value in zip(model.parameters(), (FILTERS, 0.0, HALF.T, 0.0), strict=True):
            parameter.copy_(torch.tensor(value))
    with tv.record() as log:
        loss = model(torch.tensor(PICTURES)).pow(2).mean()
        loss.backward()
    with tv.record() as ported:
        x = tf.constant(PICTURES.transpose(0, 2, 3, 1))
        with tf.GradientTape() as tape:
            cost = tf.reduce_mean(port(x) ** 2)
        tape.gradient(cost, port.trainable_variables)
    return log, ported


@pytest.mark.torch
def test_channels_may_come_first_or_last(framework: str) -> None:
    found = compare(*convolutions(framework))
    assert found.divergence == ()
    assert sorted((each.source, (each.renamed or ("", ""))[1]) for each in found.gradients if each.same) == [
        ("model.0.bias", "sequential/conv2d/bias"),
        ("model.0.weight", "sequential/conv2d/kernel"),
        ("model.4.bias", "sequential/dense/bias"),
        ("model.4.weight", "sequential/dense/kernel"),
    ]
