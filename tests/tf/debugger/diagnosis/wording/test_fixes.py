"""What a finding advises in the place of a model's `predict`."""

from __future__ import annotations

import tapeviz as tf
from tapeviz.diagnosis.diagnose import diagnose
from tests.diagnosis.programs import run

PREDICTED = """
x = tf.ones((2, 3))
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model(x)
v = model.weights[0]
with tf.GradientTape() as tape:
    p = model.predict(x, verbose=0)
    loss = tf.reduce_sum(tf.square(p))
tape.gradient(loss, v)
"""


def test_a_model_is_called_itself() -> None:
    assert "Call the model itself: `p = model(x)`." in diagnose(run(PREDICTED, tf))[0].fix
