"""Where a gradient that is sound but small became small."""

from __future__ import annotations

import tapeviz as tf


def layers(scale: float, most: int = 4) -> tuple[tf.GradientTape, object, list[tf.Variable]]:
    """Four layers, and the gradients of the weights of the first of them, of so many."""
    weights = [tf.Variable([[0.9, 0.1], [0.2, 0.8]], name=f"w{each}") for each in range(4)]
    with tf.GradientTape() as tape:
        h = tf.constant([[1.0, -1.0]])
        for w in weights:
            h = tf.sigmoid(tf.matmul(h, w))
        loss = tf.reduce_sum(h * scale)
    tape.gradient(loss, weights[:most])
    return tape, loss, weights


def test_the_op_that_leaves_least_is_named_with_its_line() -> None:
    tape, loss, weights = layers(1.0, most=1)
    told = str(tf.why(tape, loss, weights[0]))
    assert "of the seed's: on the path that most of it took, most is lost at `sigmoid`" in told
    assert "in 4 steps)" in told


def test_each_place_is_told_the_worst_first() -> None:
    tape, loss, weights = layers(0.001, most=1)
    told = str(tf.why(tape, loss, weights[0]))
    assert told.index("`mul`") < told.index("`sigmoid`")
    assert "(× 0.001)" in told


def test_what_made_the_largest_small_too_is_left_out() -> None:
    tape, loss, weights = layers(0.001)
    told = str(tf.why(tape, loss, weights[0]))
    assert "on the part of its path that the largest gradient, of `w3`, did not pass, most is lost at `sigmoid`" in told
    assert "in 3 steps)" in told
    assert "`mul`" not in told


def test_where_nothing_else_was_lost_what_made_all_small_is_told() -> None:
    tape, loss, weights = layers(0.001)
    assert "on the path that most of it took, most is lost at `mul`" in str(tf.why(tape, loss, weights[3]))
    x, y = tf.Variable(1.0, name="x"), tf.Variable(2.0, name="y")
    with tf.GradientTape() as tape:
        product = (0.9 * x + y) * 1e-6
    tape.gradient(product, [x, y])
    assert "on the path that most of it took, most is lost at `mul`" in str(tf.why(tape, product, x))


def test_a_gradient_that_is_not_small_is_not_explained() -> None:
    tape, loss, weights = layers(1.0)
    assert "is lost at" not in str(tf.why(tape, loss, weights[-1]))


def test_what_was_not_asked_for_is_not_explained() -> None:
    w = tf.Variable(1.0, name="w")
    with tf.GradientTape() as tape:
        loss = w * 1e-6
    assert "is lost at" not in str(tf.why(tape, loss, w))
