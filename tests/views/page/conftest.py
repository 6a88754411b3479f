"""The tape that the pages are of."""

from __future__ import annotations

import pytest

from tests.engine import names as tf

HOSTILE = "</script><script>alert(1)</script><!--"


@pytest.fixture
def tape():
    """A step of a two-layer network: 15 ops and a name that would end a script element."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    w1 = tf.Variable([[0.5, -1.0], [0.25, 1.0]], name="w1")
    w2 = tf.Variable([[1.0], [2.0]], name=HOSTILE)
    with tf.GradientTape() as tape:
        h = tf.nn.relu(x @ w1)
        y = tf.tanh(h @ w2)
        for _ in range(8):
            y = y * 0.9
        loss = tf.reduce_mean(tf.square(tf.sigmoid(y)))
    tape.gradient(loss, [w1, w2])
    return tape
