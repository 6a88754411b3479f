"""What a log says of a Keras program: scopes of layers, names of weights, what optimizers and `predict` do."""

from __future__ import annotations

import time
from itertools import count
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.events.types import ErrorRaised, OpRecorded, ReadOut, StateWritten
from tapeviz.graph import build
from tapeviz.views.folding.groups import find_groups

X = np.ones((2, 3), np.float32)


@pytest.fixture(autouse=True)
def fresh_names() -> None:
    """Layers are counted from the start, whichever tests ran before."""
    tf.keras.backend.clear_session()


@pytest.fixture
def model() -> Any:
    return tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1, name="out")], name="net")


def paths(log: Any) -> list[str]:
    """Each recorded op with the scopes that it ran in, without this test's own."""
    found = []
    for event in log.events:
        if isinstance(event, OpRecorded):
            names, at = [event.op], event.scope
            while at is not None:
                names.append(log.scopes[at].name)
                at = log.scopes[at].parent
            found.append("/".join(name for name in reversed(names) if not name.startswith("test_")))
    return found


def test_layers_and_losses_are_scopes(model: Any) -> None:
    with tf.GradientTape() as tape:
        loss = tf.keras.losses.MeanSquaredError()(tf.zeros((2, 1)), model(X))
        tf.square(loss)
    assert {scope.name: scope.kind for scope in tape.log.scopes if scope.kind} == {
        "net": "Sequential",
        "dense": "Dense",
        "out": "Dense",
        "mean_squared_error": "MeanSquaredError",
    }
    assert paths(tape.log) == [
        "net/dense/matmul",
        "net/dense/add",
        "net/dense/relu",
        "net/out/matmul",
        "net/out/add",
        "mean_squared_error/sub",
        "mean_squared_error/square",
        "mean_squared_error/reduce_mean",
        "mean_squared_error/reduce_sum",
        "mean_squared_error/divide_no_nan",
        "square",
    ]


def test_a_step_of_a_recurrent_layer_is_few_ops_in_its_cells_scope() -> None:
    layer = tf.keras.layers.LSTM(2)
    layer(np.ones((2, 3, 4), np.float32))
    with tf.GradientTape() as tape:
        layer(np.ones((2, 3, 4), np.float32))
    gates = ["matmul", "matmul", "add", "add", "split"]
    step = [*gates, "sigmoid", "mul", "sigmoid", "tanh", "mul", "add", "sigmoid", "tanh", "mul"]
    assert paths(tape.log) == [f"lstm/lstm_cell/{op}" for op in step] * 3


@pytest.mark.parametrize(("name", "ops"), [("SimpleRNN", 5), ("GRU", 18), ("LSTM", 14)])
def test_the_steps_of_a_recurrent_layer_fold_into_one_group(name: str, ops: int) -> None:
    series = tf.ones((2, 50, 3))
    layer = getattr(tf.keras.layers, name)(4, name="layer")
    layer(series)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(series))
    tape.gradient(loss, layer.trainable_variables)
    graph = build(tape.log)
    rows = find_groups(graph, sorted(graph.ops)).rows
    assert rows[0].title == "layer"
    assert [(row.times, row.note) for row in rows if row.kind == "repeat"] == [(50, f"{name}Cell · {ops} ops each")]


def test_masks_hold_what_was_and_steps_still_fold() -> None:
    series = tf.keras.layers.Masking()(tf.ones((2, 50, 3)))
    layer = tf.keras.layers.GRU(4, name="layer")
    layer(series)
    with tf.GradientTape() as tape:
        layer(series)
    graph = build(tape.log)
    assert "iteration × 50" in [row.title for row in find_groups(graph, sorted(graph.ops)).rows]


def test_layers_in_the_users_own_code_are_scopes_inside_it() -> None:
    class Net(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = tf.keras.layers.Dense(1, name="inner")

        def call(self, x: Any) -> Any:
            y = self.dense(x)
            return tf.tanh(y)

    net = Net()
    net(X)
    with tf.GradientTape() as tape:
        net(X)
    assert paths(tape.log) == ["call/inner/matmul", "call/inner/add", "call/tanh"]


def test_weights_are_named_by_their_paths(model: Any) -> None:
    with tf.GradientTape() as tape:
        model(X)
    names = [tensor.name for tensor in tape.log.tensors if tensor.role == "variable"]
    assert names == ["net/dense/kernel", "net/dense/bias", "net/out/kernel", "net/out/bias"]


def test_an_optimizer_writes_each_variable_from_its_gradient(model: Any) -> None:
    optimizer = tf.keras.optimizers.SGD(0.1)
    with tf.record() as log:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(X))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    written = [event for event in log.events if isinstance(event, StateWritten) and event.how == "apply_gradients"]
    assert [event.tensor for event in written] == [log.id_of(each) for each in model.trainable_variables]
    assert [event.value for event in written] == [log.id_of(each) for each in gradients]


def test_predict_reads_the_prediction_out(model: Any) -> None:
    with tf.GradientTape() as tape:
        prediction = model.predict(X)
        loss = tf.reduce_sum(prediction * tf.ones((2, 1)))
    assert [event.how for event in tape.log.events if isinstance(event, ReadOut)] == [".predict()"]
    assert tape.gradient(loss, model.trainable_variables) == [None] * 4


def test_shapes_are_found_out_unseen() -> None:
    class Own(tf.keras.layers.Layer):
        def call(self, x: Any) -> Any:
            return x * 2.0

    with tf.record() as log:
        tf.keras.Model(place := tf.keras.Input((3,)), Own()(place))
    assert paths(log) == []
    assert not log.events


def test_an_error_names_the_layer(model: Any) -> None:
    class Broken(tf.keras.layers.Layer):
        def call(self, x: Any) -> Any:
            return tf.matmul(x, x)

    with pytest.raises(ValueError, match=r"layer 'culprit' \(Broken\) .* size-incompatible: .*\[2,3\]"):
        tf.keras.Sequential([Broken(name="culprit")], name="outer")(X)


def test_the_log_has_what_an_error_said_itself() -> None:
    def failing(x: Any) -> Any:
        raise ValueError("too large")

    x = tf.Variable(1.0)
    tape = tf.GradientTape()
    with pytest.raises(ValueError, match="too large") as raised, tape:
        tf.keras.layers.Lambda(failing)(x * x)
    assert raised.value.__notes__[0] == "In the call of layer 'lambda' (Lambda) on shape ()."
    assert [event.message for event in tape.log.events if isinstance(event, ErrorRaised)] == ["too large"]


def test_gradients_of_a_tensor_are_refused_with_advice() -> None:
    with pytest.raises(AttributeError, match="Pair a list of gradients with a list of variables"):
        tf.keras.optimizers.SGD(0.1).apply_gradients(zip(tf.ones(2), tf.ones(2), strict=True))


@pytest.mark.parametrize(
    ("module", "name", "near"),
    [
        ("keras.layers", "Dence", "Dense"),
        ("keras.losses", "MeanSquareError", "MeanSquaredError"),
        ("keras", "LSTM", "has no"),
    ],
)
def test_a_missing_name_says_what_is_near(module: str, name: str, near: str) -> None:
    found = tf
    for part in module.split("."):
        found = getattr(found, part)
    with pytest.raises(AttributeError, match=near):
        getattr(found, name)


def test_what_a_bar_reads_is_not_told(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is drawn when it is time to, so two runs of one program would not give the same log."""
    monkeypatch.setattr(time, "time", count().__next__)
    model.compile("sgd", "mse", metrics=["mae"])
    model.fit(X, np.zeros((2, 1)), verbose=0)
    kinds = []
    for verbose in (0, 1):
        with tf.record() as log:
            model.fit(X, np.zeros((2, 1)), batch_size=1, verbose=verbose)
        kinds.append([type(event) for event in log.events])
    assert kinds[0] == kinds[1]
    assert ReadOut in kinds[0]


@pytest.mark.parametrize("options", [{}, {"gradient_accumulation_steps": 2}, {"use_ema": True}])
def test_what_an_optimizer_reads_for_itself_is_not_told(options: dict[str, Any]) -> None:
    optimizer, weight = tf.keras.optimizers.Adam(0.1, **options), tf.Variable(1.0)
    with tf.record() as log:
        for _ in range(2):
            optimizer.apply_gradients([(tf.constant(2.0), weight)])
    kinds = {type(event) for event in log.events}
    assert StateWritten in kinds
    assert not kinds & {ReadOut, OpRecorded}
