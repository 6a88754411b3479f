"""A recording changes nothing of what loops over datasets give: gradients are those of the program alone."""

from __future__ import annotations

from typing import Any

import pytest

import tapeviz as tv

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow


def numbers() -> Any:
    return tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0])


class Programs:
    """Each takes a variable, and gives a gradient or what became of the variable."""

    @staticmethod
    def tape_around(w: Any) -> Any:
        @tf.function
        def summed() -> Any:
            total = 0.0
            for x in numbers():
                total += w * x
            return total

        with tf.GradientTape() as tape:
            loss = summed()
        return tape.gradient(loss, w)

    @staticmethod
    def tape_around_and_more_after(w: Any) -> Any:
        @tf.function
        def summed() -> Any:
            total = 0.0
            for x in numbers():
                total += w * x
            return total * w

        with tf.GradientTape() as tape:
            loss = summed() + w
        return tape.gradient(loss, w)

    @staticmethod
    def tape_within(w: Any) -> Any:
        @tf.function
        def train() -> None:
            for x in numbers():
                with tf.GradientTape() as tape:
                    loss = tf.square(w * x - 1.0)
                w.assign_sub(0.01 * tape.gradient(loss, w))

        train()
        return w

    @staticmethod
    def broken_off(w: Any) -> Any:
        @tf.function
        def summed() -> Any:
            total = 0.0
            for x in numbers():
                total += w * x
                if total > 3.0:
                    break
            return total * w

        with tf.GradientTape() as tape:
            loss = summed()
        return tape.gradient(loss, w)

    @staticmethod
    def two_tapes(w: Any) -> Any:
        @tf.function
        def summed() -> Any:
            total = 0.0
            for x in numbers():
                total += w * x
            return total + w**3

        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                loss = summed()
            slope = tape.gradient(loss, w)
        return outer.gradient(slope, w)

    @staticmethod
    def over_an_iterator(w: Any) -> Any:
        @tf.function
        def summed(elements: Any) -> Any:
            total = 0.0
            for x in elements:
                total += w * x
            return total

        with tf.GradientTape() as tape:
            loss = summed(iter(numbers()))
        return tape.gradient(loss, w)

    @staticmethod
    def not_compiled(w: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = sum(w * x for x in numbers())
        return tape.gradient(loss, w)


@pytest.mark.parametrize("program", [each for each in vars(Programs) if not each.startswith("_")])
def test_a_gradient_is_what_it_is_without_recording(program: str) -> None:
    run = getattr(Programs, program)
    alone = run(tf.Variable(2.0))
    with tv.record():
        recorded = run(tf.Variable(2.0))
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
