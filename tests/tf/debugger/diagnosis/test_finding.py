"""Findings of a network of layers."""

from __future__ import annotations

import numpy as np

import tapeviz as tf
from tapeviz.diagnosis.diagnose import diagnose


def test_a_shift_that_a_later_normalisation_takes_away_is_no_gradient_that_vanishes() -> None:
    tf.keras.utils.set_random_seed(0)
    layers = tf.keras.layers
    body = [layers.Conv2D(8, 3, activation="relu"), layers.BatchNormalization(), layers.MaxPooling2D()]
    head = [layers.Conv2D(16, 3), layers.BatchNormalization(), layers.ReLU(), layers.GlobalAveragePooling2D()]
    model = tf.keras.Sequential([*body, *head, layers.Dense(10)])
    pictures = np.random.default_rng(0).random((16, 16, 16, 1), np.float32)
    with tf.GradientTape() as tape:
        logits = model(pictures, training=True)
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)(np.arange(16) % 10, logits)
    shift = model.layers[1].beta
    assert 0 < float(tf.norm(tape.gradient(loss, [*model.trainable_variables, shift])[-1])) < 1e-5
    assert [each.cause for each in diagnose(tape.log)] == []
