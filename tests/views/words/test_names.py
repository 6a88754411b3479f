"""What tensors and ops are called."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.views.reading import read
from tapeviz.views.reports.text import text
from tapeviz.views.scene.looks import looks
from tests.engine.names import nn
from tests.events.log_files import rows_of, with_rows
from tests.views.samples import cube


def calls(tape: tf.GradientTape) -> list[str]:
    """Title and subtitle of every op."""
    reading = read(tape)
    return [f"{reading.names.title(op)}: {reading.names.subtitle(op)}" for op in reading.graph.ops]


def test_attributes_are_written_as_in_python() -> None:
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="x")
    with tf.GradientTape() as tape:
        column = x[:, 0]
        tf.reshape(column, [2, 1])
        tf.reduce_sum(x, axis=1)
        tf.cast(x, tf.float64)
        tf.matmul(x, x)
        2.0 * x
    assert calls(tape) == [
        "column: getitem(x, [:, 0])",
        "reshape: (column, shape=(2, 1))",
        "reduce_sum: (x, axis=1)",
        "cast: (x, dtype=float64)",
        "matmul: (x, x)",
        "mul: (2.0, x)",
    ]


def test_an_op_of_several_results_is_called_by_all_their_names() -> None:
    x = tf.Variable([1.0, 2.0], name="x")
    with tf.GradientTape() as tape:
        for _ in range(2):
            low, high = tf.split(x, 2)
        halves = tf.split(x, 2)
    assert low is not high is not halves
    assert [call.partition(":")[0] for call in calls(tape)] == ["low₁, high₁", "low, high", "halves"]


def test_a_line_that_asks_for_gradients_names_only_its_result() -> None:
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        slope = inner.gradient(y, x)
    outer.gradient(slope, x)
    titles = [call.partition(":")[0] for call in calls(outer)]
    assert titles.count("slope") == 1
    assert titles[:2] == ["mul", "y"]
    names = read(outer).names
    log = outer.log
    assert [names.tensor(log.id_of(each)) for each in (x, y, slope)] == ["x", "y", "slope"]


def test_several_targets_stand_in_parentheses() -> None:
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        y = x * x
        z = x + 1.0
    tape.gradient([y, z], x)
    reading = read(tape)
    [run] = reading.runs
    assert reading.names.targets(run.targets) == "(y, z)"
    assert run.gradients is not None
    assert reading.names.tensor(run.gradients[0] or 0) == "∂(y, z)/∂x"


def test_shares_of_a_gradient_that_is_differentiated_again_are_told_apart() -> None:
    x = tf.Variable(1.2, name="x")
    with tf.record() as log, tf.GradientTape(), tf.GradientTape() as inner:
        y = tf.sin(x) + x**3.0
        inner.gradient(y, x)
    reading = read(log)
    called = {reading.names.whole_title(position) for position in reading.graph.ops}
    assert {"∂y/∂x via sin", "∂y/∂x via pow₁", "∂y/∂x"} <= called


def test_leaves_are_called_as_they_are_written_where_they_are_read() -> None:
    images, weights = np.ones((4, 3), np.float32), [tf.Variable(tf.ones((3, 2))) for _ in range(1)]
    with tf.GradientTape() as tape:
        h = images @ weights[0]
        h = tf.matmul(h, tf.ones((2, 1)))
        for batch in np.ones((2, 4), np.float32):
            h = h + tf.reduce_sum(batch)
    names = read(tape).names
    graph = names.graph
    read_by = [[names.tensor(each) for each in op.inputs] for op in graph.ops.values()]
    assert read_by[:2] == [["images", "weights[0]"], ["h₁", "ones"]]
    assert read_by[2::2] == [["batch"], ["batch"]]


def test_a_leaf_that_is_only_compared_is_called_as_it_is_written_there() -> None:
    limit = np.array([1.0, 2.0], np.float32)
    with tf.GradientTape() as tape:
        _ = tf.Variable([3.0, 4.0], name="x") >= limit
    names = read(tape).names
    assert [names.tensor(leaf) for leaf in names.graph.leaves] == ["x", "limit"]


def test_several_of_one_role_are_numbered() -> None:
    with tf.GradientTape() as tape:
        y = tf.add_n([tf.Variable(1.0), tf.Variable(2.0)])
    tape.gradient(y, tape.watched_variables())
    [run] = read(tape).runs
    assert [read(tape).names.tensor(source) for source in run.sources] == ["variable₁", "variable₂"]


def test_what_a_name_meant_before_has_a_number() -> None:
    w = tf.Variable(0.5, name="w")
    with tf.GradientTape() as tape:
        state = tf.constant(1.0)
        for _ in range(3):
            state = tf.tanh(state * w)
        other = state + 1.0
    tape.gradient(other, w)
    assert calls(tape) == [
        "mul₁: (state₀, w)",
        "state₁: tanh(mul₁)",
        "mul₂: (state₁, w)",
        "state₂: tanh(mul₂)",
        "mul₃: (state₂, w)",
        "state: tanh(mul₃)",
        "other: add(state, 1.0)",
    ]


def test_variables_that_share_a_name_are_called_by_what_holds_them() -> None:
    first, second = tf.Variable(1.0, name="kernel"), tf.Variable(2.0, name="kernel")
    with tf.GradientTape() as tape:
        y = first * second
    assert y.numpy() == 2.0
    assert calls(tape) == ["y: mul(first, second)"]


def test_words_that_are_cut_can_be_read_whole() -> None:
    x = tf.Variable(1.0, name="a_name_that_is_longer_than_any_box_would_be")
    with tf.GradientTape() as tape:
        y = tf.sin(x)
    assert y.shape == ()
    boxes = looks(read(tape)).boxes
    assert [("…" in box.title + box.subtitle, box.whole) for box in boxes] == [
        (True, f"{x.name.removesuffix(':0')}: 1.0 float32"),
        (True, f"y: sin({x.name.removesuffix(':0')})"),
    ]


def test_an_op_whose_own_name_is_cut_is_not_called_by_it_twice() -> None:
    labels, logits = tf.constant([0]), tf.Variable([[1.0, 2.0]], name="logits")
    with tf.GradientTape() as tape:
        nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    assert calls(tape) == ["sparse_softmax_cross_entropy_…: (labels, logits)"]


@pytest.mark.parametrize("module", ["tapeviz", pytest.param("tensorflow", marks=pytest.mark.tensorflow)])
def test_the_seed_of_a_gradient_that_is_differentiated_has_a_name(module: str) -> None:
    own = import_module(module)
    x = own.Variable(3.0, name="x")
    with tf.record() as log, own.GradientTape() as outer:
        with own.GradientTape() as inner:
            y = x * x * x
        g = inner.gradient(y, x)
        outer.gradient(g, x)
    reading = read(log)
    called = {reading.names.tensor(each) for op in reading.graph.ops.values() for each in op.inputs}
    assert "∂y/∂y" in called
    assert "intermediate" not in called


@pytest.mark.jax
def test_what_is_run_and_differentiated_by_one_line_keeps_its_name() -> None:
    jax = pytest.importorskip("jax")

    def cube(x):
        return x**3

    log = tf.record_jax(jax.grad(cube), 2.0)
    reading = read(log)
    [run] = reading.runs
    [target] = run.targets
    assert reading.names.tensor(target) == log.tensors[target].name == "cube"


@pytest.mark.torch
def test_a_run_says_that_it_adds_to_what_earlier_ones_stored() -> None:
    """As in PyTorch, where several backward passes make one gradient."""
    torch = pytest.importorskip("torch")
    w = torch.ones(2, requires_grad=True)
    with tf.record() as log:
        for factor in (1.0, 2.0):
            loss = (w * factor).sum()
            loss.backward()
        w.grad = None
        total = w.sum()
        total.backward()
    reading = read(log)
    told = ["gradient of loss₁", "gradient of loss, added to .grad", "gradient of total"]
    assert [reading.names.run(run) for run in reading.runs] == told


@pytest.mark.torch
def test_ops_are_called_as_the_users_of_the_framework_call_them() -> None:
    torch = pytest.importorskip("torch")
    w, data = torch.ones(2, requires_grad=True), torch.ones(2)
    with tf.record() as log:
        (w * data.detach()).mean().backward()
    told = text(log)
    assert "mean(" in told
    assert "detach(" in told
    assert "reduce_mean" not in told
    assert "stop_gradient" not in told


def test_a_gradient_of_itself_as_an_edited_log_may_have_it(tmp_path: Path) -> None:
    """A name that would be made of itself ends there."""
    rows = rows_of(tf.save(cube(), tmp_path / "cube.tape"))
    target = next(row[3][0] for row in rows if row[0] == "BackwardStarted")
    last = next(row for row in reversed(rows) if row[0] == "VjpApplied")
    last[4][0] = target
    log = tf.load(with_rows(tmp_path / "cube.tape", tmp_path / "edited.tape", rows))
    assert "gradient of ∂intermediate/∂x" in text(log)
