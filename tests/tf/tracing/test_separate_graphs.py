"""What runs in a graph of its own, and the tapes around it."""

from __future__ import annotations

from typing import Any

import tapeviz as tf
from tapeviz.engine.recording import current, flight
from tapeviz.events.types import OpSkipped, RecordingResumed

NUMBERS = tf.data.Dataset.from_tensor_slices([1.0, 2.0])


@tf.function
def used_up_in_a_loop(tape: Any, target: Any, source: Any) -> Any:
    gradient = tf.constant(0.0)
    for _ in NUMBERS:
        gradient = tape.gradient(target, source)
        break
    return gradient


@tf.function
def one_tape_a_turn(w: Any) -> Any:
    gradient = tf.constant(0.0)
    for x in NUMBERS:
        with tf.GradientTape() as tape:
            loss = (w * x) ** 2
        gradient = tape.gradient(loss, w)
    return gradient


def test_a_tape_that_is_used_up_there_does_not_go_on() -> None:
    w = tf.Variable(2.0)
    with tf.record() as log:
        with tf.GradientTape() as tape:
            y = w * w
            assert float(used_up_in_a_loop(tape, y, w)) == 4
        w * 3.0
    last = log.events[-1]
    assert isinstance(last, OpSkipped)
    assert last.tapes == ()
    assert not any(isinstance(each, RecordingResumed) for each in log.events)


def test_nor_does_its_log() -> None:
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = w * w
        used_up_in_a_loop(tape, y, w)
    assert tape.log.closed
    assert current.get() is flight


def test_tapes_of_single_turns_leave_the_outer_one_its_log() -> None:
    w = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        a = w * 5.0
        assert float(one_tape_a_turn(w)) == 16
        assert not outer.log.closed
        b = a * w
    assert float(outer.gradient(b, w)) == 20
    assert current.get() is flight


def test_an_error_in_the_loop_leaves_no_recording() -> None:
    @tf.function
    def fails() -> None:
        for _ in NUMBERS:
            raise KeyError("x")

    try:
        with tf.GradientTape():
            fails()
    except KeyError:
        pass
    assert current.get() is flight
