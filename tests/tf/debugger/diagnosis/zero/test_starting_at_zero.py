"""The zeros of a batch normalization whose scale starts at zero."""

from __future__ import annotations

import tapeviz as tf
from tapeviz.diagnosis.diagnose import diagnose
from tests.diagnosis.zero.test_starting_at_zero import START


def test_the_zeros_that_a_scale_makes_are_traced_to_it() -> None:
    cell = tf.keras.layers.BatchNormalization(gamma_initializer="zeros")
    layer = tf.keras.layers.Dense(8, use_bias=False)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((cell(layer(START), training=True) - START) ** 2)
    tape.gradient(loss, [layer.kernel, cell.gamma])
    [found] = diagnose(tape)
    assert found.cause == "zero_factor"
    assert "gamma`, which is zero in every element" in found.message
    assert "gamma` has a gradient" in found.fix
