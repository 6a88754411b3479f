"""Compiled functions stay compiled in a recording: results are the program's, their inside is what they computed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz import graph, replay
from tapeviz.events import (
    BackwardFinished,
    BackwardStarted,
    CotangentAccumulated,
    ErrorRaised,
    EventLog,
    FunctionOpened,
    OpRecorded,
    OpSkipped,
    OptimizerCreated,
    OptimizerStepped,
    ParameterUpdated,
    StateWritten,
    VjpApplied,
)
from tests.recorders.tensorflow.compiled.programs import PARTLY, SEEN

pytestmark = pytest.mark.tensorflow

OPS = (OpRecorded, OpSkipped)
UNTOLD = (FunctionOpened,)


@pytest.fixture
def tf() -> Any:
    return pytest.importorskip("tensorflow")


def run(tf: Any, name: str) -> list[Any]:
    tf.random.set_seed(0)
    return [np.asarray(each) for each in (SEEN | PARTLY)[name](tf)]


def recorded(tf: Any, name: str, **options: Any) -> tuple[list[Any], EventLog]:
    with tv.record(**options) as log:
        results = run(tf, name)
    return results, log


@pytest.mark.parametrize("name", SEEN | PARTLY)
def test_results_are_the_programs_own(tf: Any, name: str) -> None:
    alone = run(tf, name)
    for options in ({}, {"values": "norms"}, {"values": "none"}):
        results, log = recorded(tf, name, **options)
        assert [each.tobytes() for each in results] == [each.tobytes() for each in alone], options
        assert not log.of_kind(FunctionOpened)
        graph.build(log)
        replay.runs(log)


@pytest.mark.parametrize("name", SEEN)
def test_the_inside_is_that_of_the_opened_function(tf: Any, name: str) -> None:
    _, opened = recorded(tf, name, functions="eager")
    _, log = recorded(tf, name)
    ours, theirs = list(told(log)), list(told(opened))
    assert [each[:-1] for each in ours] == [each[:-1] for each in theirs]
    for (*_, one), (*_, other) in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
    assert {each.cause for each in tv.diagnose(log)} == {each.cause for each in tv.diagnose(opened)}


def told(log: EventLog) -> list[tuple[Any, ...]]:
    """Each op, step and sum, with its line, the names it gives, and its numbers."""
    found: list[tuple[Any, ...]] = []
    for event in log.events:
        ids: tuple[int | None, ...] = ()
        if isinstance(event, OPS):
            ids = event.outputs
        elif isinstance(event, VjpApplied):
            ids = event.cotangents
        elif isinstance(event, CotangentAccumulated):
            ids = (event.total,)
        elif isinstance(event, BackwardFinished):
            ids = event.gradients
        line = log.sites[event.site] if isinstance(event, OPS) and event.site is not None else None
        place = None if line is None else (line.line, line.column)
        name = getattr(event, "op", None) if isinstance(event, OPS) else None
        for each in ids:
            shown = None if each is None else log.tensors[each].name
            value = np.nan if each is None or log.value(each) is None else log.value(each)
            found.append((type(event).__name__, name, place, shown, value))
    return found


@pytest.mark.parametrize("name", ["fit", "elements_of_an_iterator", "several_steps_at_once"])
def test_what_is_inside_of_fit_is_known(tf: Any, name: str) -> None:
    _, log = recorded(tf, name)
    _, opened = recorded(tf, name, functions="eager")
    for kind in (BackwardStarted, VjpApplied, BackwardFinished, StateWritten):
        assert len(log.of_kind(kind)) == len(opened.of_kind(kind)) > 0, kind
    steps = log.of_kind(VjpApplied).values()
    assert all(log.value(each) is not None for step in steps for each in step.cotangents if each is not None)


@pytest.mark.parametrize(("name", "steps"), [("fit", 6), ("steps_of_an_optimizer", 4)])
def test_a_step_of_an_optimizer_goes_by_what_that_in_the_opened_function_does(tf: Any, name: str, steps: int) -> None:
    tf.keras.backend.clear_session()
    _, log = recorded(tf, name)
    tf.keras.backend.clear_session()  # layers get the same names again
    _, opened = recorded(tf, name, functions="eager")
    ours, theirs = list(updates(log)), list(updates(opened))
    assert len(log.of_kind(OptimizerCreated)) == 1
    assert len(log.of_kind(OptimizerStepped)) == len(opened.of_kind(OptimizerStepped)) == steps
    assert [each[0] for each in ours] == [each[0] for each in theirs]
    for (_, options, state, numbers), (_, other_options, other_state, other_numbers) in zip(ours, theirs, strict=True):
        assert options == pytest.approx(other_options)
        assert set(state) == {"momentums", "velocities"}
        for key in other_state:  # of one that is built in its first step there is nothing yet
            np.testing.assert_allclose(state[key], other_state[key], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(numbers, other_numbers, rtol=1e-4, atol=1e-6)


def updates(log: EventLog) -> Iterator[tuple[str | None, dict[str, Any], dict[str, Any], Any]]:
    """Each update: the name of the variable, the options, what was kept, and the gradient with the number before."""
    for position, event in log.of_kind(ParameterUpdated).items():
        state = {name: log.value(each) for name, each in zip(event.names, event.state, strict=True)}
        numbers = (log.value(event.gradient), log.value(event.tensor, position))
        yield log.tensors[event.tensor].name, dict(event.options), state, numbers


def test_a_step_that_adds_gradients_up_gets_no_op_of_the_recorders(tf: Any) -> None:
    w = tf.Variable([1.0, 2.0])
    optimizer = tf.keras.optimizers.SGD(0.5, gradient_accumulation_steps=2)
    step = tf.function(lambda: optimizer.apply_gradients([(tf.ones(2), w)]))
    with tv.record() as log:
        step()
    (update,) = log.of_kind(ParameterUpdated).values()
    ops = [each.type for each in step.get_concrete_function().graph.get_operations()]
    alone = tf.function(lambda: optimizer.apply_gradients([(tf.ones(2), w)])).get_concrete_function()
    assert sorted(ops) == sorted(each.type for each in alone.graph.get_operations())
    assert dict(update.options)["lr"] == 0.5
    assert "step" not in dict(update.options)


def test_layers_are_scopes_in_fit(tf: Any) -> None:
    _, log = recorded(tf, "fit")
    names = {each.name for each in log.scopes}
    assert {"first", "drop"} <= names


def test_what_cannot_be_computed_again_has_a_shape(tf: Any) -> None:
    for name in ("random_numbers", "python_inside"):
        _, log = recorded(tf, name)
        ops = [event for event in log.events if isinstance(event, OPS)]
        assert any(log.value(each) is None for op in ops for each in op.outputs)
        assert {(log.tensors[each].shape, log.tensors[each].dtype) for op in ops for each in op.outputs} <= {
            ((2,), "float32"),
            ((), "float32"),
        }


def test_a_loop_is_one_op_with_its_gradient(tf: Any) -> None:
    _, log = recorded(tf, "loops_and_branches")
    assert [op.op for op in log.of_kind(OpRecorded).values() if op.op in ("If", "While")] == ["If", "While"] * 2
    assert not list(tv.diagnose(log))


def test_a_function_in_a_function_stays_one_op_under_a_tape_around_both(tf: Any) -> None:
    w = tf.Variable([1.0, 2.0], name="w")
    inner = tf.function(lambda x: tf.tanh(x) * x)

    with tv.record() as log:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.function(lambda x: inner(x * w) * w)(tf.constant([1.0, 3.0])))
        slope = tape.gradient(loss, w)
    (taken,) = log.of_kind(BackwardFinished).values()
    np.testing.assert_allclose(log.value(taken.gradients[0]), slope)
    for step in log.of_kind(VjpApplied).values():
        op = log.events[step.op]
        assert isinstance(op, OpRecorded)
        assert len(step.cotangents) == len(op.inputs)
    assert not list(tv.diagnose(log))


def test_a_tape_follows_what_a_branch_gives(tf: Any) -> None:
    w = tf.Variable([1.0, 2.0], name="w")

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            if tf.reduce_sum(x) > 0:
                y = x * w
            else:
                y = x - w
            loss = tf.reduce_sum(y)
        return tape.gradient(loss, w)

    with tv.record() as log:
        step(tf.constant([1.0, 2.0]))
    assert [op.op for op in log.of_kind(OpRecorded).values()] == ["If", "reduce_sum"]
    assert not list(tv.diagnose(log))


def test_python_runs_as_often_as_without_a_recording(tf: Any) -> None:
    calls = []

    @tf.function
    def step(x: Any) -> Any:
        calls.append(1)
        return x * 2.0

    with tv.record() as log:
        for number in (1.0, 2.0, 3.0):
            step(tf.constant(number))
    assert len(calls) == 1
    assert [log.value(op.outputs[0]) for op in log.of_kind(OpSkipped).values()] == [2.0, 4.0, 6.0]
    assert len(calls) == 1
    assert str(tv.diagnose(log)).startswith("`step` ran compiled: its ops were computed again on what it was given")


def test_variables_are_the_programs_after_reading(tf: Any) -> None:
    _, log = recorded(tf, "variables_that_are_written")
    written = [event for event in log.events if isinstance(event, StateWritten)]
    assert [event.how for event in written] == ["assign_add", "assign", "scatter_nd_update"] * 2


def test_an_earlier_recording_saw_it_traced(tf: Any) -> None:
    w = tf.Variable(2.0, name="w")

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = w * w
        return tape.gradient(loss, w)

    for _ in range(2):
        with tv.record() as log:
            step()
        assert len(log.of_kind(BackwardFinished)) == 1


def test_an_error_in_a_trace_is_at_its_line(tf: Any) -> None:
    @tf.function
    def step(x: Any) -> Any:
        return x @ tf.ones([3, 3])

    with pytest.raises(ValueError, match="Dimensions must be equal"), tv.record() as log:
        step(tf.ones([2, 2]))
    (error,) = log.of_kind(ErrorRaised).values()
    assert error.site is not None
    assert log.sites[error.site].text == "return x @ tf.ones([3, 3])"


def test_a_gradient_inside_can_stop_the_program(tf: Any) -> None:
    with pytest.raises(Exception, match="domain_edge"), tv.record(stop_on="nan"):
        run(tf, "not_a_number")


def test_opened_on_request_says_so_first(tf: Any) -> None:
    _, log = recorded(tf, "training_step", functions="eager")
    assert str(tv.diagnose(log)).startswith("`step` is compiled, but ran eagerly here")
