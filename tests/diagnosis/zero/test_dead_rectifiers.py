"""A rectifier that is on for some entries, which the target does not change with."""

from __future__ import annotations

import tapeviz as tf
from tapeviz.diagnosis.diagnose import diagnose
from tests.engine.names import nn


def test_it_is_not_said_to_be_off_for_all() -> None:
    x, mask = tf.Variable([1.0, -1.0, -2.0]), tf.constant([0.0, 1.0, 1.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(nn.relu(x) * mask)
    tape.gradient(loss, x)
    [found] = diagnose(tape)
    assert found.cause == "dead_activation"
    assert "`relu` at test_dead_rectifiers.py" in found.message
    assert "is off for every element that the target changes with" in found.message
