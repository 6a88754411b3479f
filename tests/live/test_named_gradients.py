"""A history of gradients that a program has itself: the numbers are the framework's, and nothing is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.errors import LogError
from tapeviz.live.measure import STATES


def found(history: tv.History) -> dict[str, tuple[list[float], list[str]]]:
    """The norms and the odd states of each column."""
    return {each.name: ([*each.gradients], [STATES[state] for state in each.states]) for each in history}


@pytest.mark.torch
def test_a_models_gradients_are_measured_where_they_stand() -> None:
    import torch

    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(2, 1), torch.nn.Embedding(4, 2, sparse=True))
    net[0].bias.requires_grad_(False)
    history, expected = tv.History(), []
    for factor in (1.0, 2.0, float("nan")):
        net.zero_grad()
        (net[0](torch.ones(4, 2)).sum() * factor + net[2](torch.tensor([1, 1, 3])).sum()).backward()
        history.add(net)
        expected.append(float(net[0].weight.grad.double().norm()))
        net[0].weight.grad.mul_(7.0)  # what was added stays as it was
    norms = found(history)
    assert list(norms) == ["0.weight", "1.weight", "1.bias", "2.weight"]  # as `named_parameters` has them
    np.testing.assert_allclose(norms["0.weight"][0], expected, rtol=1e-6)
    assert norms["0.weight"][1] == ["", "", "NaN"]
    assert norms["1.weight"][1] == ["None"] * 3
    np.testing.assert_allclose(norms["2.weight"][0], [(2 * 2**2 + 2) ** 0.5] * 3, rtol=1e-6)
    np.testing.assert_allclose(history["1.bias"].values, [abs(net[1].bias.item())] * 3, rtol=1e-6)


@pytest.mark.torch
def test_the_program_and_an_open_recording_see_nothing_of_it() -> None:
    import torch

    net = torch.nn.Linear(2, 1)
    with tv.record() as log:
        net(torch.ones(3, 2)).sum().backward()
        versions = [each._version for each in net.parameters()]
        before = log.end
        tv.History().add(net)
        assert log.end == before
    assert [each._version for each in net.parameters()] == versions


class Pair(NamedTuple):
    first: Any
    second: Any


def of_dicts() -> tuple[Any, dict[str, float | None]]:
    tree = {"dense": {"kernel": np.float32([[3.0], [4.0]]), "bias": None}, "rest": [2.0, Pair(np.ones(4), -1)]}
    norms = {"dense.kernel": 5.0, "dense.bias": None, "rest.0": 2.0, "rest.1.first": 2.0, "rest.1.second": 1.0}
    return tree, norms


def of_jax() -> tuple[Any, dict[str, float | None]]:
    jax = pytest.importorskip("jax")
    parameters = {"w": jax.numpy.ones((3, 3), "bfloat16"), "b": jax.numpy.ones(4)}
    gradients = jax.grad(lambda each: (2.0 * each["w"]).sum() + each["b"].sum())(parameters)
    return gradients, {"w": 6.0, "b": 2.0}


def of_equinox() -> tuple[Any, dict[str, float | None]]:
    jax, equinox = pytest.importorskip("jax"), pytest.importorskip("equinox")
    net = equinox.nn.MLP(2, 1, 4, 1, use_bias=False, key=jax.random.PRNGKey(0))
    gradients = equinox.filter_grad(lambda net: net(jax.numpy.ones(2)).sum())(net)
    return gradients, {
        f"layers.{at}.{name}": float(np.linalg.norm(getattr(layer, name)))
        for at, layer in enumerate(gradients.layers)
        for name in ("weight", "bias")
        if getattr(layer, name) is not None  # there is none: no parameter of the model's
    }


def of_tensorflow() -> tuple[Any, dict[str, float | None]]:
    tf = pytest.importorskip("tensorflow")
    table, w, unused = tf.Variable(tf.ones((4, 3))), tf.Variable([3.0, 4.0]), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w) / 2.0 + tf.reduce_sum(tf.gather(table, [1, 1]))
    names = ("table", "w", "unused")
    gradients = tape.gradient(loss, (table, w, unused))
    return dict(zip(names, gradients, strict=True)), {"table": 12**0.5, "w": 5.0, "unused": None}


@pytest.mark.parametrize(
    "gradients",
    [
        of_dicts,
        pytest.param(of_jax, marks=pytest.mark.jax),
        pytest.param(of_equinox, marks=pytest.mark.jax),
        pytest.param(of_tensorflow, marks=pytest.mark.tensorflow),
    ],
)
def test_gradients_by_name(gradients: Callable[[], tuple[Any, dict[str, float | None]]]) -> None:
    given, norms = gradients()
    history = tv.History()
    history.add(given)
    assert {name: state == ["None"] for name, (_, state) in found(history).items()} == {
        name: norm is None for name, norm in norms.items()
    }
    for name, norm in norms.items():
        np.testing.assert_allclose(history[name].gradients, [np.nan if norm is None else norm], rtol=1e-3)


@pytest.mark.parametrize(
    ("subject", "error", "message"),
    [
        ({"w": "a"}, TypeError, r"gradient of 'w' is a str: pass an array, or None"),
        ({"w": {"x": object}}, TypeError, r"gradient of 'w\.x' is"),
        ({"w": None}, LogError, r"No gradient was taken yet.*history\.add.*the model"),
        ({}, LogError, "No gradient was taken yet"),
        ([np.ones(3)], TypeError, "Nothing recorded in a list"),
    ],
)
def test_what_has_no_gradients_is_refused(subject: Any, error: type[Exception], message: str) -> None:
    history = tv.History()
    with pytest.raises(error, match=message):
        history.add(subject)
    assert len(history) == 0


@pytest.mark.torch
def test_a_model_after_zero_grad_is_refused() -> None:
    import torch

    net = torch.nn.Linear(2, 1)
    net(torch.ones(3, 2)).sum().backward()
    net.zero_grad()
    with pytest.raises(LogError, match=r"loss\.backward\(\)"):
        tv.History().add(net)
