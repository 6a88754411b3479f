"""Branches and loops in compiled functions: what ran in them is in the log, with the gradients taken there."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz import graph, replay
from tapeviz.events import BackwardFinished, EventLog, FunctionOpened, OpRecorded, OpSkipped, StateWritten, VjpApplied

pytestmark = pytest.mark.tensorflow


@pytest.fixture
def tf() -> Any:
    return pytest.importorskip("tensorflow")


def training(tf: Any) -> Any:
    """A function that trains in a loop, and its variable."""
    w = tf.Variable([1.0, 2.0], name="w")

    @tf.function
    def train(x: Any, n: Any) -> Any:
        total = tf.constant(0.0)
        for _ in tf.range(n):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((x * w) ** 2)
            w.assign_sub(0.01 * tape.gradient(loss, w))
            total += loss
        return total

    return train, w


def ran(log: EventLog) -> list[str]:
    """The ops in branches and loops, as they ran."""
    ops = [event for event in log.events if isinstance(event, (OpRecorded, OpSkipped)) and event.scope is not None]
    return [op.op for op in ops if log.scopes[op.scope or 0].name in ("if", "while")]


@pytest.mark.parametrize("is_traced_before", [False, True])
def test_a_training_in_a_loop(tf: Any, is_traced_before: bool) -> None:
    train, w = training(tf)
    x = tf.constant([1.0, 2.0])
    if is_traced_before:
        train(x, tf.constant(1))
        w.assign([1.0, 2.0])
    with tv.record() as log:
        total = train(x, tf.constant(3))
    other, _v = training(tf)
    with tv.record(functions="eager") as opened:
        theirs = other(x, tf.constant(3))
    np.testing.assert_allclose(total, theirs, rtol=1e-5)
    for kind in (VjpApplied, BackwardFinished, StateWritten):
        assert len(log.of_kind(kind)) == len(opened.of_kind(kind)) > 0, kind
    gradients = [
        [each.value(event.gradients[0]) for event in each.of_kind(BackwardFinished).values()] for each in (log, opened)
    ]
    np.testing.assert_allclose(*gradients, rtol=1e-4)
    assert ran(log) == ["mul", "pow", "reduce_sum", "mul", "add"] * 3
    assert not list(tv.diagnose(log))
    assert str(tv.why(log, "loss", "w")).startswith("`train` ran compiled")
    assert not log.of_kind(FunctionOpened)
    graph.build(log)
    replay.runs(log)


def test_the_branch_that_was_taken(tf: Any) -> None:
    w = tf.Variable([1.0, 2.0], name="w")

    @tf.function
    def either(x: Any) -> Any:
        y = x * w
        if tf.reduce_sum(y) > 0:
            z = tf.sin(y)
            y = z + 1.0
        else:
            z = y * 3.0
        return tf.reduce_sum(z), y

    for sign, ops in ((1.0, ["sin", "add"]), (-1.0, ["mul"])):
        with tv.record() as log:
            total, y = either(tf.constant([sign, 2.0 * sign]))
        assert ran(log) == ops
        found = {log.tensors[op.outputs[0]].name: op for op in log.of_kind(OpSkipped).values()}
        assert log.value(found["total"].outputs[0]) == total
        np.testing.assert_allclose(log.value(found["y"].outputs[0]), y)
        graph.build(log)


def test_the_last_rounds_of_a_long_loop_are_one_op(tf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tapeviz.recorders.tensorflow.compiled import rerun

    monkeypatch.setattr(rerun, "MOST_ROUNDS", 2)
    train, w = training(tf)
    with tv.record() as log:
        total = train(tf.constant([1.0, 2.0]), tf.constant(5))
    assert len(log.of_kind(BackwardFinished)) == 2
    (rest,) = [op for op in log.of_kind(OpSkipped).values() if op.op == "While"]
    assert total.numpy() in [log.value(each) for each in rest.outputs]
    *_, last = log.of_kind(StateWritten).values()
    np.testing.assert_allclose(log.value(last.tensor, len(log.events)), w, rtol=1e-5)
    graph.build(log)


def test_elements_are_taken_as_a_loop_asks_for_them(tf: Any) -> None:
    w = tf.Variable(1.0, name="w")

    @tf.function
    def train(batches: Any, n: Any) -> None:
        for _ in tf.range(n):
            x = next(batches)
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(x * w)
            w.assign_sub(0.1 * tape.gradient(loss, w))

    def fails_at_six(x: Any) -> Any:
        return tf.debugging.check_numerics(tf.where(x < 6, x, np.inf), "six")

    batches = iter(tf.data.Dataset.from_tensor_slices(np.arange(1.0, 7.0, dtype="float32")).map(fails_at_six))
    with tv.record() as log:
        train(batches, tf.constant(3))
        assert next(batches) == 4.0
        with pytest.raises(tf.errors.InvalidArgumentError):
            train(batches, tf.constant(2))
    gradients = [log.value(event.gradients[0]) for event in log.of_kind(BackwardFinished).values()]
    assert gradients == [1.0, 2.0, 3.0]
    np.testing.assert_allclose(w, 1.0 - 0.1 * (1.0 + 2.0 + 3.0 + 5.0), rtol=1e-6)


def test_a_loop_takes_of_two_iterators_of_one_kind(tf: Any) -> None:
    w = tf.Variable(2.0, name="w")

    @tf.function
    def train(tens: Any, ones: Any) -> Any:
        slope = 0.0
        for _ in tf.range(3):
            with tf.GradientTape() as tape:
                loss = (10.0 * next(tens) + next(ones)) * w
            slope += tape.gradient(loss, w)
        return slope

    tens, ones = (
        iter(tf.data.Dataset.from_tensor_slices(each)) for each in ([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0])
    )
    with tv.record() as log:
        assert train(tens, ones) == 78.0
    assert (next(tens), next(ones)) == (4.0, 8.0)
    gradients = [log.value(event.gradients[0]) for event in log.of_kind(BackwardFinished).values()]
    assert gradients == [15.0, 26.0, 37.0]


@pytest.mark.parametrize("rounds", [0, 3])
def test_the_log_does_not_hold_an_iterator_of_the_program(rounds: int, tf: Any) -> None:
    w = tf.Variable(1.0, name="w")

    @tf.function
    def train(batches: Any) -> Any:
        slope = 0.0
        for _ in tf.range(rounds) if rounds else [0]:
            with tf.GradientTape() as tape:
                loss = next(batches) * w
            slope += tape.gradient(loss, w)
        return slope

    batches = iter(tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0]))
    handle = weakref.ref(batches._iterator_resource)
    with tv.record() as log:
        slope = train(batches)
    del batches
    gc.collect()
    assert handle() is None
    assert slope == (6.0 if rounds else 1.0)
    assert log.of_kind(BackwardFinished)


def test_a_tape_around_a_loop_has_it_as_one_op(tf: Any) -> None:
    w = tf.Variable(2.0, name="w")

    @tf.function
    def power(n: Any) -> Any:
        y = tf.constant(1.0)
        for _ in tf.range(n):
            y = y * w
        return y

    with tv.record() as log:
        with tf.GradientTape() as tape:
            y = power(tf.constant(3))
        slope = tape.gradient(y, w)
    assert slope == 12.0
    assert [op.op for op in log.of_kind(OpRecorded).values()] == ["While"]
    assert not list(tv.diagnose(log))
