"""The gradient from layer to layer of a model."""

from __future__ import annotations

import tapeviz as tf
from tapeviz.views.reports.depth import depth


def test_a_layer_of_a_model_is_one_layer() -> None:
    tf.random.set_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="tanh") for _ in range(6)], name="model")
    x = tf.random.normal([3, 4])
    with tf.GradientTape() as tape:
        out = model(x)
        loss = tf.reduce_sum(out)
    tape.gradient(loss, model.trainable_variables)
    assert len(depth(tape, source=model.trainable_variables[0]).norms) == 7
    assert "in model.dense" in str(depth(tape))


def test_a_layer_within_layers_is_named_from_their_model_on() -> None:
    dense = tf.keras.layers.Dense
    blocks = [tf.keras.Sequential([dense(4, activation="tanh", name="up")], name=f"block_{i}") for i in range(3)]
    model = tf.keras.Sequential([*blocks, dense(1, name="head")], name="model")

    def train() -> tf.GradientTape:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(tf.ones([3, 4])))
        tape.gradient(loss, model.trainable_variables)
        return tape

    said = str(depth(train()))
    assert said.endswith("in model.block_0.up")
    assert "in model.head\n" in said
