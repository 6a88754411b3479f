"""What a source says of a call of a model's `fit`."""

from __future__ import annotations

import numpy as np

import tapeviz as tf
from tapeviz.diagnosis.table import table


def test_the_target_of_fit_is_not_called_by_its_data() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with tf.record() as log:
        model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
    assert "np.ones" not in str(table(log))
