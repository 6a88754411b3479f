"""Functions that were traced before any recording: what their graphs tell is what a recording of the trace has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events import BackwardFinished, BackwardStarted, EventLog, GradientUnseen, OpRecorded, OpSkipped
from tests.recorders.tensorflow.compiled.programs import PARTLY, SEEN, net
from tests.recorders.tensorflow.compiled.test_calls import recorded, run, told

pytestmark = pytest.mark.tensorflow

UNTAKEN = ("own_gradient", "paused_tape", "loops_and_branches", "python_inside")
"""Programs whose gradients a graph does not tell; every other one has the same as its trace, but for these:"""
LESS = ("none_inside", "second_derivatives", "several_results")
SAME = [name for name in SEEN | PARTLY if name not in (*UNTAKEN, *LESS)]
Train = Callable[[], Any]


@pytest.fixture
def tf() -> Any:
    return pytest.importorskip("tensorflow")


@pytest.fixture
def unseen(tf: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[list[Any], EventLog]]:
    """A function that records a program, and sees nothing of it traced or differentiated in TensorFlow's graphs."""
    from tapeviz.recorders.tensorflow.compiled.backward import BackwardGraphs
    from tapeviz.recorders.tensorflow.compiled.calls import FunctionCalls

    def recording(name: str) -> tuple[list[Any], EventLog]:
        monkeypatch.setattr(FunctionCalls, "_trace", lambda calls, trace, *about: trace(*about))
        monkeypatch.setattr(BackwardGraphs, "_differentiate", lambda built, take, *args, **more: take(*args, **more))
        tf.keras.backend.clear_session()
        return recorded(tf, name)

    return recording


def lines(log: EventLog) -> list[tuple[Any, ...]]:
    """As `told`, of a place the line and where it begins; of what a library asked for there is none."""
    return [(kind, op, place, shown) for kind, op, place, shown, _ in told(log)]


@pytest.mark.parametrize("name", SAME)
def test_the_inside_is_that_of_a_trace_in_the_recording(tf: Any, unseen: Any, name: str) -> None:
    tf.keras.backend.clear_session()
    alone, traced = recorded(tf, name)
    results, log = unseen(name)
    assert [each.tobytes() for each in results] == [each.tobytes() for each in alone]
    assert lines(log) == lines(traced)
    for (*_, ours), (*_, theirs) in zip(told(log), told(traced), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)
    assert {each.cause for each in tv.diagnose(log)} == {each.cause for each in tv.diagnose(traced)}
    assert not log.of_kind(GradientUnseen)


@pytest.mark.parametrize("name", UNTAKEN)
def test_a_gradient_that_a_graph_does_not_tell_is_said(tf: Any, unseen: Any, name: str) -> None:
    results, log = unseen(name)
    assert [each.tobytes() for each in results] == [each.tobytes() for each in run(tf, name)]
    assert [each.why.startswith("inside of a function") for each in log.of_kind(GradientUnseen).values()][:1] == [True]
    assert not list(tv.diagnose(log))
    assert "inside of a function that was compiled before the recording began" in str(tv.diagnose(log))


def test_a_path_that_ends_is_known_without_the_variable_that_gets_none(tf: Any, unseen: Any) -> None:
    _, log = unseen("none_inside")
    (taken,) = log.of_kind(BackwardStarted).values()
    assert [log.tensors[each].name for each in taken.sources] == ["w"]
    assert "`v` gets None" in str(tv.why(log, "loss", "v"))


def test_python_does_not_run_again(tf: Any) -> None:
    calls = []

    @tf.function
    def step(x: Any) -> Any:
        calls.append(1)
        return x * 2.0

    step(tf.constant(1.0))
    with tv.record() as log:
        step(tf.constant(3.0))
    (doubled,) = log.of_kind(OpSkipped).values()
    assert log.value(doubled.outputs[0]) == 6.0
    assert len(calls) == 1


def test_a_training_that_began_before_the_recording(tf: Any) -> None:
    """Keras' own step, whose functions are compiled in its first epoch."""
    tf.keras.utils.set_random_seed(0)
    x = np.linspace(-1.0, 1.0, 24).reshape(8, 3).astype("float32")
    model = net(tf)
    model.compile("sgd", "mse")
    model.fit(x, x[:, :1], batch_size=4, epochs=1, verbose=0)
    with tv.record() as log:
        model.fit(x, x[:, :1], batch_size=4, epochs=1, verbose=0)
    assert len(log.of_kind(BackwardFinished)) == 2
    names = {log.tensors[each].name for taken in log.of_kind(BackwardStarted).values() for each in taken.sources}
    assert len(names) == 4
    assert {"first", "drop"} <= {each.name for each in log.scopes}
    assert not list(tv.diagnose(log))
    loss = next(op for op in log.of_kind(OpRecorded).values() if log.tensors[op.outputs[0]].name == "loss")
    assert log.sites[loss.site].text.startswith("model.fit(")  # the call that is recorded


def test_a_tape_around_a_function_that_was_differentiated_before(tf: Any) -> None:
    w = tf.Variable([1.0, 2.0], name="w")
    model = tf.function(lambda x: tf.reduce_sum(tf.sin(x * w)))

    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = model(tf.constant([1.0, 3.0]))
        return tape.gradient(loss, w)

    before = step()
    with tv.record() as log:
        after = step()
    np.testing.assert_array_equal(before, after)
    assert [op.op for op in log.of_kind(OpRecorded).values()] == ["mul", "sin", "reduce_sum"]
    assert not log.of_kind(GradientUnseen)
