"""A transformer of six blocks and a convolutional net: drawn folded, stepped backward, and every gradient right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz import replay
from tapeviz.events import EventLog
from tapeviz.views.reading import read
from tapeviz.views.scene import scene

VISIBLE = 300
"""So many boxes may be seen at once."""

Recorded = tuple[EventLog, list[tuple[Any, Any]]]
"""A log, and each parameter with the gradient that the framework itself gives."""


def transformer() -> Recorded:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    net = torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)
    with tv.record() as log:
        net(torch.randn(2, 5, 16)).square().mean().backward()
    return log, [(each, each.grad.numpy()) for each in net.parameters()]


def convolutional() -> Recorded:
    tf: Any = pytest.importorskip("tensorflow")
    tf.keras.utils.set_random_seed(0)
    layers = tf.keras.layers
    net = tf.keras.Sequential(
        [
            tf.keras.Input((12, 12, 1)),
            *(layers.Conv2D(4, 3, activation="relu", name="edges"), layers.MaxPooling2D(name="pool")),
            *(layers.Conv2D(8, 3, activation="relu", name="shapes"), layers.BatchNormalization(name="norm")),
            *(layers.GlobalAveragePooling2D(name="mean"), layers.Dense(3, name="digit")),
        ]
    )
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    with tv.record() as log:
        with tf.GradientTape() as tape:
            loss = loss_of(tf.constant([0, 2, 1]), net(tf.random.normal((3, 12, 12, 1)), training=True))
        found = tape.gradient(loss, net.trainable_variables)
    return log, [(each, g.numpy()) for each, g in zip(net.trainable_variables, found, strict=True)]


MODELS: list[Any] = [
    pytest.param(
        transformer,
        {"net": "TransformerEncoder", **{f"layers.{block}": "TransformerEncoderLayer" for block in range(6)}},
        marks=pytest.mark.torch,
        id="transformer",
    ),
    pytest.param(
        convolutional,
        {"edges": "Conv2D", "pool": "MaxPooling2D", "shapes": "Conv2D", "norm": "BatchNormalization"},
        marks=pytest.mark.tensorflow,
        id="convolutional",
    ),
]


@pytest.mark.parametrize(("model", "classes"), MODELS)
def test_a_model(model: Callable[[], Recorded], classes: dict[str, str]) -> None:
    log, gradients = model()
    (run,) = replay.runs(log)
    assert classes.items() <= {scope.name: scope.kind for scope in log.scopes}.items()

    reading = read(log)
    assert len(scene(reading).nodes) <= VISIBLE
    folded = scene(reading, ())
    assert max(len(node.boxes) for node in folded.nodes) > len(folded.nodes), "drawn folded"

    arrived: dict[int, int | None] = dict(zip(run.targets, run.seeds, strict=True))
    for step in run.steps:  # stepped backward: each begins with what the steps before it have sent
        assert step.upstream == tuple(arrived.get(output) for output in log.events[step.op].outputs)
        arrived |= {each.tensor: each.total for each in step.contributions}
    frames = replay.tracks(log, run)
    assert {track[-1][1] for track in frames.ops.values()} == {"done"}

    assert len(gradients) == len({log.id_of(parameter) for parameter, _ in gradients})
    for parameter, expected in gradients:
        tensor = log.id_of(parameter)
        np.testing.assert_array_equal(log.value(run.gradient(tensor)), expected)
        np.testing.assert_array_equal(log.value(arrived[tensor]), expected)


@pytest.mark.tensorflow
@pytest.mark.parametrize("built", ["before", "inside"])
def test_the_variables_of_a_subclassed_model_of_keras_go_by_their_paths(built: str) -> None:
    tf: Any = pytest.importorskip("tensorflow")

    class Net(tf.keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.hidden = tf.keras.layers.Dense(2)
            self.memory = tf.keras.layers.LSTM(2)
            self.out = tf.keras.layers.Dense(1)

        def call(self, x: Any) -> Any:
            return self.out(self.memory(self.hidden(x)))

    nets, x = [Net()], tf.ones((1, 3, 2))
    if built == "before":
        nets[0](x)
    with tv.record() as log:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(nets[0](x))
        tape.gradient(loss, nets[0].trainable_variables)
    assert [log.tensors[log.id_of(each)].name for each in nets[0].trainable_variables] == [
        each.path for each in nets[0].trainable_variables
    ]
