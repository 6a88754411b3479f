"""Where a gradient that is sound but small became small."""

from __future__ import annotations

import tapeviz as tf


def layers(scale: float, count: int = 4) -> tuple[tf.GradientTape, object, list[tf.Variable]]:
    weights = [tf.Variable([[0.9, 0.1], [0.2, 0.8]], name=f"w{each}") for each in range(count)]
    with tf.GradientTape() as tape:
        h = tf.constant([[1.0, -1.0]])
        for w in weights:
            h = tf.sigmoid(tf.matmul(h, w))
        loss = tf.reduce_sum(h * scale)
    tape.gradient(loss, weights)
    return tape, loss, weights


def test_the_op_that_leaves_least_is_named_with_its_line() -> None:
    tape, loss, weights = layers(1.0)
    told = str(tf.why(tape, loss, weights[0]))
    assert "of the seed's: on the path that most of it took, most is lost at `sigmoid`" in told
    assert "in 4 steps)" in told


def test_each_place_is_told_the_worst_first() -> None:
    tape, loss, weights = layers(0.001)
    told = str(tf.why(tape, loss, weights[0]))
    assert told.index("`mul`") < told.index("`sigmoid`")
    assert "(× 0.001)" in told


def test_a_gradient_that_is_not_small_is_not_explained() -> None:
    tape, loss, weights = layers(1.0)
    assert "is lost at" not in str(tf.why(tape, loss, weights[-1]))


def test_what_was_not_asked_for_is_not_explained() -> None:
    w = tf.Variable(1.0, name="w")
    with tf.GradientTape() as tape:
        loss = w * 1e-6
    assert "is lost at" not in str(tf.why(tape, loss, w))
