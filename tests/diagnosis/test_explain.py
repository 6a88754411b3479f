"""An error about gradients says why under its traceback: the finding, as a note."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from contextlib import nullcontext

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.events.log import EventLog


def used_up() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y, z = x * x, x * 3.0
    tape.gradient(y, x)
    tape.gradient(z, x)


def slices() -> None:
    table = tf.Variable([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, [0]))
    tape.gradient(loss, table).numpy()


def times_none() -> None:
    w = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        loss = tf.round(w)
    w.assign_sub(0.1 * tape.gradient(loss, w))


def one_for_two() -> None:
    @tf.custom_gradient
    def scaled(x: tf.Tensor, k: tf.Tensor) -> object:
        return x * k, lambda g: g * k

    x, k = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = scaled(x, k)
    tape.gradient(y, [x, k])


def no_gradient_known() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.unique(x).y)
    tape.gradient(y, x)


Explained = tuple[Callable[[], None], type[Exception], str]
"""A program, the error that ends it, and the cause that is found."""

EXPLAINED: list[Explained] = [
    (used_up, RuntimeError, "graph_consumed"),
    (slices, AttributeError, "sparse_gradient"),
    (one_for_two, ValueError, "custom_gradient_bug"),
    (no_gradient_known, LookupError, "nondifferentiable_op"),
]


@pytest.fixture(params=EXPLAINED, ids=lambda each: each[0].__name__)
def explained(request: pytest.FixtureRequest) -> Explained:
    return request.param


@pytest.mark.parametrize("recorded", [False, True], ids=["by itself", "in a recording"])
def test_an_error_carries_its_finding(explained: Explained, recorded: bool) -> None:
    program, expected, cause = explained
    with pytest.raises(expected) as caught, tf.record() if recorded else nullcontext():
        program()
    (note,) = (each for each in caught.value.__notes__ if each.startswith("tapeviz: "))
    assert f"[{cause}]" in note
    assert "Fix:" in note
    assert note in "".join(traceback.format_exception(caught.value))


def test_what_a_none_leads_to_is_explained_in_a_recording() -> None:
    with pytest.raises(TypeError) as caught, tf.record():
        times_none()
    assert "[nondifferentiable_op]" in caught.value.__notes__[0]


@pytest.mark.parametrize("error", [KeyError("loss"), ValueError("No such file"), KeyboardInterrupt()])
def test_other_errors_are_left_alone(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tapeviz.diagnosis.explain.diagnose", lambda log: pytest.fail("nothing to look for"))
    with pytest.raises(type(error)) as caught, tf.record():
        raise error
    assert not hasattr(caught.value, "__notes__")


def test_a_failure_to_explain_stays_beside_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(log: EventLog, error: BaseException) -> str:
        raise LookupError("no idea")

    monkeypatch.setattr(EventLog, "error_hook", staticmethod(broken))
    with pytest.raises(RuntimeError, match="non-persistent") as caught:
        used_up()
    assert caught.value.__notes__ == ["tapeviz could not explain this error: LookupError: no idea"]


def test_each_error_is_logged_though_the_last_one_is_gone() -> None:
    w = tf.Variable(np.ones(2))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w)
    tape.gradient(loss, w)
    for _ in range(3):
        with pytest.raises(RuntimeError):
            tape.gradient(loss, w)
    assert sum(type(each).__name__ == "ErrorRaised" for each in tape.log.events) == 3
