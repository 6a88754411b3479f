"""Gradients that arrive but lack a share: what left to NumPy and came back is a hint, what was meant is none."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.diagnosis import Answer, Findings
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.why import why
from tests.growth import timed


def hinted(findings: Findings) -> None:
    (hint,) = findings
    assert (hint.cause, hint.severity, hint.symptom) == ("left_to_numpy", "hint", "wrong")
    assert "silently lacks the contribution of" in hint.message
    assert "If it is meant to be constant, all is well." in hint.fix


def test_a_factor_that_was_read_out() -> None:
    a = tf.Variable(1.5)
    with tf.GradientTape() as tape:
        y = a * float(a)
    tape.gradient(y, a)
    hinted(diagnose(tape))
    with tf.GradientTape() as tape:
        y = a * a.numpy()
    tape.gradient(y, a)
    hinted(diagnose(tape))
    answer = why(tape, y, a)
    assert isinstance(answer, Answer)
    hinted(answer.warnings)  # type: ignore[arg-type]


def test_a_factor_that_numpy_computed() -> None:
    q = tf.Variable([1.5, 2.0])
    with tf.GradientTape() as tape:
        norm = np.linalg.norm(q)
        r = tf.reduce_sum(q / tf.constant(norm))
    tape.gradient(r, q)
    hinted(diagnose(tape))


def test_a_factor_held_back_on_purpose() -> None:
    q = tf.Variable([1.5, 2.0])
    with tf.GradientTape() as tape:
        r = tf.reduce_sum(q / tf.stop_gradient(tf.norm(q)))
    tape.gradient(r, q)
    assert not diagnose(tape)
    assert "`stop_gradient` at test_partial.py, line " in str(why(tape, r, q))
    with tf.GradientTape() as tape:
        r = tf.reduce_sum(q / tf.norm(q))
    assert "stop_gradient" not in str(why(tape, r, q))


def test_a_copy_of_what_it_is_a_factor_of() -> None:
    x = tf.Variable([1.5, 2.0])
    with tf.GradientTape() as tape:
        h = tf.tanh(x)
        y = tf.reduce_sum(h * tf.stop_gradient(h))
    tape.gradient(y, x)
    (hint,) = diagnose(tape)
    assert (hint.cause, hint.severity, hint.symptom) == ("stop_gradient", "hint", "wrong")
    assert "passes `h` on without its gradient" in hint.message


@pytest.mark.parametrize("is_straight", [True, False])
def test_another_value_with_the_gradient_of_what_it_stands_for(is_straight: bool) -> None:
    x = tf.Variable([0.3, 0.7])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(4.0 * x + tf.stop_gradient(tf.sigmoid(x) - (4.0 if is_straight else 3.0) * x))
    tape.gradient(y, x)
    assert [each.cause for each in diagnose(tape)] == ([] if is_straight else ["stop_gradient"])


def test_a_factor_from_the_step_before() -> None:
    w, scale, rate = tf.Variable(0.7), 1.0, 1.0
    with tf.record() as log:
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = (w * 2.0 - 1.0) ** 2 * scale * rate
            w.assign_sub(0.1 * tape.gradient(loss, w))
            scale = 1.0 + 0.1 * float(loss)
            rate = float(w)
    assert not [each for each in diagnose(log) if each.cause == "left_to_numpy"]


@pytest.mark.slow
def test_many_factors_take_no_square() -> None:
    def seconds(steps: int, below: float = 0.0) -> float:
        w = tf.Variable(0.4)
        with tf.GradientTape() as tape:
            h = w * 1.0
            for _ in range(steps):
                h = h * (h.numpy() * 0.5) + w
        tape.gradient(h, w)
        found, took = timed(lambda: diagnose(tape), below)
        causes = [each.cause for each in found]
        assert set(causes[:-1]) == {"left_to_numpy"}
        assert causes[-1] == "vanishing_depth"
        return took

    most = 10 * max(seconds(100), 0.02)
    assert seconds(400, most) < most


def test_nothing_was_asked_yet() -> None:
    w = tf.Variable(1.5)
    with tf.GradientTape() as tape:
        w * 2.0
    assert str(diagnose(tape)).startswith("No gradient was taken yet")
    assert "tape.gradient(target, sources)" in diagnose(tape)._repr_html_()
