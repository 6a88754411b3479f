"""A bias in front of a batch normalization of Keras gets the sum of gradients that cancel."""

from __future__ import annotations

import tapeviz as tf
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.numbers.broadcast_sums import STEADY
from tapeviz.diagnosis.why import why
from tests.diagnosis.numbers.test_broadcast_sums import ROUNDED


def test_a_bias_in_front_of_a_batch_normalization_of_keras() -> None:
    tf.random.set_seed(0)
    layers = [tf.keras.layers.Dense(3), tf.keras.layers.BatchNormalization(), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential(layers)
    x = tf.random.normal((8, 4))
    model(x)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - 1.0))
    tape.gradient(loss, model.trainable_variables)
    bias = model.layers[0].bias
    assert ROUNDED.format(8, bias.path, STEADY) in str(why(tape, loss, bias.value))
    assert "rounding" not in str(why(tape, loss, model.layers[2].bias.value))
    assert "rounding" not in str(why(tape, loss, model.layers[0].kernel.value))
    assert not list(diagnose(tape))
