"""Tapes of the engine, from the program to every view."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tapeviz.events import VjpApplied
from tapeviz.views.drawing.draw import draw
from tapeviz.views.payload import payload
from tapeviz.views.reading import read
from tapeviz.views.reports.text import text
from tapeviz.views.scene import scene
from tests.engine import names as tf
from tests.views.samples import HOSTILE


def two_layers() -> tf.GradientTape:
    inputs = tf.constant(np.linspace(-1, 1, 32).reshape(8, 4).astype(np.float32))
    labels = tf.constant(np.linspace(0, 1, 24).reshape(8, 3).astype(np.float32))
    w1 = tf.Variable(np.linspace(-1, 1, 20).reshape(4, 5).astype(np.float32), name="w1")
    w2 = tf.Variable(np.linspace(-1, 1, 15).reshape(5, 3).astype(np.float32), name="w2")
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(inputs @ w1)
        error = hidden @ w2 - labels
        loss = tf.reduce_mean(tf.square(error)) + 0.01 * tf.reduce_sum(w1 * w1)
    tape.gradient(loss, {"first": w1, "second": [w2]})
    return tape


def slices_seen_from_outside() -> tf.GradientTape:
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="table")
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = tf.reduce_sum(tf.gather(tf.concat([table, -table], 0), [0, 2]) ** 2)
        slope = tf.convert_to_tensor(inner.gradient(loss, table))
    outer.gradient(slope, table)
    return outer


def nested() -> tf.GradientTape:
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x**3
        slope = inner.gradient(y, x)
    outer.gradient(slope, x)
    return outer


def untouched() -> tf.GradientTape:
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        tf.sin(x) + x
    return tape


def planted() -> tf.GradientTape:
    w = tf.Variable([[0.5], [-1.5]], name="w")
    scale = tf.Variable(2.0, name="scale")
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(tf.constant([[1.0, 2.0]]) @ w)
        back = np.tanh(hidden.numpy()) + 0.25
        loss = tf.reduce_sum(back * scale)
    tape.gradient(loss, [w, scale])
    return tape


def raised() -> tf.GradientTape:
    x = tf.Variable([1.0, 2.0], name="x")
    try:
        with tf.GradientTape() as tape:
            y = x * 2.0
            tf.reshape(y, [3])
    except tf.errors.InvalidArgumentError:
        pass
    return tape


def nothing_in_it() -> tf.GradientTape:
    x = tf.Variable(np.zeros((0, 3), np.float32), name="x")
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x * x)
    tape.gradient(y, x)
    return tape


def not_finite() -> tf.GradientTape:
    x = tf.Variable([0.0, 1.0], name="x")
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.math.log(x) * 0.0)
    tape.gradient(y, x)
    return tape


def hostile() -> tf.GradientTape:
    x = tf.Variable(1.0, name=HOSTILE)
    with tf.GradientTape() as tape:
        y = tf.exp(x)
    tape.gradient(y, x)
    return tape


def still_open() -> tf.GradientTape:
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape() as tape:
        tf.exp(x)
        payload(tape)
        draw(tape)
    return tape


def persistent() -> tf.GradientTape:
    x = tf.Variable(2.0, name="x")
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * y
    tape.gradient(z, x)
    tape.gradient(y, x)
    return tape


TAPES = [
    two_layers, nested, slices_seen_from_outside, untouched, planted, raised, nothing_in_it, not_finite, hostile,
    still_open, persistent,
]  # fmt: skip


@pytest.mark.parametrize("program", TAPES)
def test_every_view_of_every_tape(program: Callable[[], tf.GradientTape]) -> None:
    packed = [json.dumps(payload(program()), allow_nan=False) for _ in range(2)]
    assert packed[0] == packed[1]
    tape = program()
    assert draw(tape).text.startswith("<svg")
    reading = read(tape)
    assert text(tape).splitlines()[0] == "; ".join(filter(None, (reading.title, reading.remark)))
    assert ("InvalidArgumentError was raised" in reading.remark) == (program is raised)


def test_a_network_is_drawn_by_its_names() -> None:
    packed = payload(two_layers())
    titles = [node["title"] for node in packed["scene"]["nodes"]]
    assert titles.count("w1") == 2
    assert {"hidden", "error", "loss", "labels", "w2"} <= set(titles)
    [run] = packed["runs"]
    assert len(run["steps"]) == 10
    assert [each["cotangent"] is not None for each in run["gradients"]] == [True, True]
    loss = next(node for node in packed["scene"]["nodes"] if node["title"] == "loss")
    site = packed["sites"][packed["ops"][str(loss["op"])]["site"]]
    assert any("loss = " in line for line in site["context"])


def test_a_planted_read_out_is_drawn_as_the_cut() -> None:
    packed = payload(planted())
    nodes, edges = packed["scene"]["nodes"], packed["scene"]["edges"]
    [cut] = [edge for edge in edges if "cut" in edge["flags"]]
    assert (nodes[cut["from"]]["title"], cut["badge"]) == ("hidden", ".numpy()")
    assert {node["title"] for node in nodes if "dead" in node["flags"]} == {"w", "matmul", "hidden"}
    [finding] = packed["findings"]
    assert (finding["cause"], finding["edges"]) == ("left_to_numpy", [edges.index(cut)])
    assert packed["sites"][finding["site"]]["context"]


def test_without_a_gradient_there_is_still_the_way_forward() -> None:
    packed = payload(untouched())
    assert packed["runs"] == packed["findings"] == []
    assert len(packed["ops"]) == 2


def test_two_gradients_are_two_runs() -> None:
    labels = [run["label"] for run in payload(persistent())["runs"]]
    assert labels == ["gradient of z with respect to x", "gradient of y with respect to x"]


def test_what_is_not_finite_is_said() -> None:
    badges = {node["title"]: node["badge"] for node in payload(not_finite())["scene"]["nodes"]}
    assert badges["x"] == "NaN gradient"


@pytest.mark.slow
def test_tens_of_thousands_of_ops(tmp_path: Path) -> None:
    x = tf.Variable(1.0, name="x")
    with tf.record() as log, tf.GradientTape() as tape:
        y = x
        for _ in range(30_000):
            y = -y
    assert float(tape.gradient(y, x)) == 1.0
    assert len(log.of_kind(VjpApplied)) == 30_000
    reading = read(log)
    assert list(reading.findings) == []
    assert len(payload(reading)["runs"][0]["steps"]) == 30_000
    assert [node.title for node in scene(reading).nodes] == ["x", "y₁", "neg 2 … 29,999", "y"]
    draw(reading, tmp_path / "chain.svg")
    assert (tmp_path / "chain.svg").stat().st_size < 500_000
