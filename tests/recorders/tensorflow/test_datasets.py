"""A recording changes nothing of what loops over datasets give: gradients are those of the program alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeviz as tv

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow


def numbers() -> Any:
    return tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0])


def summed(w: Any, then: Callable[[Any], Any] = lambda total: total) -> Any:
    """A compiled loop over a dataset, and what becomes of its sum."""

    @tf.function
    def call() -> Any:
        total = 0.0
        for x in numbers():
            total += w * x
        return then(total)

    return call()


def broken_off(w: Any) -> Any:
    @tf.function
    def call() -> Any:
        total = 0.0
        for x in numbers():
            total += w * x
            if total > 3.0:
                break
        return total * w

    return call()


def over_an_iterator(w: Any) -> Any:
    @tf.function
    def call(elements: Any) -> Any:
        total = 0.0
        for x in elements:
            total += w * x
        return total

    return call(iter(numbers()))


def slope(target: Callable[[Any], Any], w: Any) -> Any:
    with tf.GradientTape() as tape:
        loss = target(w)
    return tape.gradient(loss, w)


def learned(w: Any) -> Any:
    """What becomes of a variable if the tape is within the loop."""

    @tf.function
    def train() -> None:
        for x in numbers():
            with tf.GradientTape() as tape:
                loss = tf.square(w * x - 1.0)
            w.assign_sub(0.01 * tape.gradient(loss, w))

    train()
    return w


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "a tape around the loop": lambda w: slope(summed, w),
    "and more after it": lambda w: slope(lambda w: summed(w, lambda total: total * w) + w, w),
    "a tape within the loop": learned,
    "a loop that is broken off": lambda w: slope(broken_off, w),
    "two tapes": lambda w: slope(lambda w: slope(lambda w: summed(w, lambda total: total + w**3), w), w),
    "an iterator": lambda w: slope(over_an_iterator, w),
    "not compiled": lambda w: slope(lambda w: sum(w * x for x in numbers()), w),
}
"""Each takes a variable."""


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_gradient_is_what_it_is_without_recording(program: Callable[[Any], Any]) -> None:
    alone = program(tf.Variable(2.0))
    with tv.record():
        recorded = program(tf.Variable(2.0))
    assert (recorded is None) == (alone is None)
    assert recorded is None or float(recorded) == pytest.approx(float(alone))


def test_a_loop_that_raises_leaves_the_tape_as_it_was() -> None:
    w = tf.Variable(2.0)

    @tf.function
    def refused() -> None:
        for x in numbers():
            tf.debugging.assert_less(w * x, 3.0)

    with tv.record():
        with tf.GradientTape() as tape:
            with pytest.raises(tf.errors.InvalidArgumentError):
                refused()
            loss = w * w
        assert float(tape.gradient(loss, w)) == 4.0
