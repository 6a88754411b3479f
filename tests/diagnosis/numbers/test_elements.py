"""Each entry of a gradient that is zero has its reason: the op that stops it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tapeviz.diagnosis import Answer, Finding
from tapeviz.diagnosis.numbers.elements import zero_entries
from tapeviz.diagnosis.recorded_calls import gradient_calls
from tapeviz.diagnosis.why import why
from tapeviz.graph import build
from tests.diagnosis.cause_pages import placed
from tests.diagnosis.programs import run
from tests.diagnosis.random_programs import program
from tests.engine import names as tf

X = "tf.Variable([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0]])"
STOPS = {
    "rectifier": (X, "tf.nn.relu(x)", {"relu": {(0, 1)}}),
    "clip": (X, "tf.clip_by_value(x, 0.0, 4.5)", {"minimum": {(1, 1), (1, 2)}, "maximum": {(0, 1)}}),
    "other_factor": (X, "x * [[1.0, 0.0, 2.0]]", {"mul": {(0, 1), (1, 1)}}),
    "column_of_zeros": (X, "tf.matmul(x, [[1.0], [0.0], [2.0]])", {"matmul": {(0, 1), (1, 1)}}),
    "loser_of_a_maximum": (X, "tf.reduce_max(x, axis=1)", {"reduce_max": {(0, 0), (0, 1), (1, 0), (1, 1)}}),
    "loser_of_two": (X, "tf.maximum(x[0], x[1])", {"maximum": {(0, 0), (0, 1), (0, 2)}}),
    "discarded": (X, "tf.where(x > 3.5, x, 0.0)", {"where": {(0, 0), (0, 1), (0, 2)}}),
    "masked": (X, "tf.boolean_mask(x, [True, False])", {"boolean_mask": {(1, 0), (1, 1), (1, 2)}}),
    "slice": (X, "x[:, 1:]", {"getitem": {(0, 0), (1, 0)}}),
    "rows": (X, "tf.gather(x, [1, 1])", {"gather": {(0, 0), (0, 1), (0, 2)}}),
    "moved_and_stopped": (X, "tf.nn.relu(tf.transpose(x)[1:])", {"relu": {(0, 1)}, "getitem": {(0, 0), (1, 0)}}),
    "joined": (X, "tf.concat([x, x], 0) * [[0.0, 1.0, 1.0]]", {"mul": {(0, 0), (1, 0)}}),
    "mean_of_squares": ("tf.Variable([0.0, 2.0])", "tf.square(x)", {"square": {(0,)}}),
    "far_out": ("tf.Variable([0.5, 90.0])", "tf.tanh(x)", {"tanh": {(1,)}}),
    "cancelled": ("tf.Variable([1.0, 2.0])", "tf.concat([x * [3.0, 1.0], x * [-3.0, 1.0]], 0)", {"mul": {(0,)}}),
    "broadcast": ("tf.Variable([[1.0], [2.0]])", "x * [[0.0, 0.0], [0.0, 1.0]]", {"mul": {(0, 0)}}),
}


@pytest.mark.parametrize("name", STOPS)
def test_each_zero_has_the_op_that_makes_it(name: str) -> None:
    x, y, expected = STOPS[name]
    log = run(f"x = {x}\nwith tf.GradientTape() as tape:\n    y = tf.reduce_sum({y})\ng = tape.gradient(y, x)\n", tf)
    (call,) = gradient_calls(build(log))
    found: dict[str, set[tuple[int, ...]]] = {}
    for each in zero_entries(call, log.id_of("x")):
        found.setdefault(call.graph.ops[each.reason.position].op, set()).update(each.entries)
    assert found == expected


@pytest.mark.parametrize("seed", range(40))
def test_no_zero_is_left_out_and_nothing_else_is_named(seed: int) -> None:
    graph = build(run(program(seed), tf))
    for call in gradient_calls(graph):
        for source, gradient in call.gradients.items():
            counted = sum(each.count for each in zero_entries(call, source))
            assert counted == (np.asarray(graph.log.value(gradient)) == 0).sum()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("x", "y", "told"),
    [
        ("[9.0, 1.0]", "tf.nn.relu6(x)", "`relu6` at program.py, line 3 is flat there"),
        ("[-200.0, 1.0]", "tf.nn.elu(x)", "`elu` at program.py, line 3 is flat there"),
        ("[-1.0, 1.0]", "tf.nn.relu(x)", "`relu` at program.py, line 3 is off there"),
    ],
)
def test_an_op_with_a_bound_is_flat_and_a_rectifier_is_off(x: str, y: str, told: str) -> None:
    log = run(
        f"x = tf.Variable({x})\nwith tf.GradientTape() as tape:\n    y = tf.reduce_sum({y})\ng = tape.gradient(y, x)",
        tf,
    )
    assert told in placed(str(why(log, "y", "x")))


def test_an_answer_tells_the_zeros() -> None:
    x = tf.Variable([1.0, -1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.relu(x)[:2])
    tape.gradient(y, x)
    answer = why(tape, y, x)
    assert isinstance(answer, Answer)
    assert "2 of its 3 entries are zero: " in answer.message
    assert re.search(r"\[1\] \(`relu` at .*line \d+ is off there\)", answer.message)
    assert re.search(r"\[2\] \(not read by `getitem` at .*line \d+\)", answer.message)


def test_a_finding_tells_them_where_there_are_several_reasons() -> None:
    x = tf.Variable([[-1.0, 2.0]])
    with tf.GradientTape() as tape:
        h = tf.nn.relu(x) * [[1.0, 0.0]]
        y = tf.reduce_sum(h)
    tape.gradient(y, x)
    finding = why(tape, y, x)
    assert isinstance(finding, Finding)
    assert "2 of its 2 entries are zero" in finding.message
    assert "multiplied by zero in `mul`" in finding.message


def test_values_that_were_not_kept_are_not_guessed_at() -> None:
    x = tf.Variable([1.0, -1.0])
    with tf.record(values="none") as log:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.nn.relu(x))
        tape.gradient(y, x)
    assert "entries" not in str(why(log, y, x))


def test_an_entry_that_one_op_reads_is_not_called_unread_for_another() -> None:
    w = tf.Variable([3.0, 5.0], name="w")
    with tf.GradientTape() as tape:
        loss = tf.clip_by_value(w[1], 0.0, 1.0) + w[0] * 0.0
    tape.gradient(loss, w)
    assert "not read" not in str(why(tape, loss, w))


@pytest.mark.torch
def test_the_gradient_function_that_returns_zeros_is_named_behind_a_layer() -> None:
    torch = pytest.importorskip("torch")
    net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    net[1].register_full_backward_hook(lambda module, grads, outputs: (torch.zeros_like(grads[0]),))
    with tf.record() as log:
        loss = net(torch.ones(4, 3)).mean()
        loss.backward()
    answer = str(why(log, loss, net[0].weight))
    assert "in all of its 9 entries: the gradient function of `backward_hook` at" in answer, answer
