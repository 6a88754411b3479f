"""Small programs that compile and train models, each run under TensorFlow and under tapeviz."""

from __future__ import annotations

import numpy as np

from tests.keras.programs import _errors, _network

X = np.float32([[0.5, -1.0, 2.0], [1.5, 0.2, -0.3], [0.0, 0.1, 0.9], [-2.0, 1.0, 0.4]])
Y = np.float32([[1.0], [0.0], [0.5], [-1.0]])


def _dense(tf):
    return _network(tf, tf.keras.layers.Dense(1, name="out"))


def means_of_variables_take_their_places_after_fit(tf):
    results = []
    for options in ({"use_ema": True, "ema_momentum": 0.5}, {"use_ema": True, "ema_overwrite_frequency": 0}):
        model = _dense(tf)
        model.compile(tf.keras.optimizers.SGD(0.1, **options), "mse")
        losses = [model.fit(X, Y, batch_size=2, epochs=n, shuffle=False, verbose=0).history for n in (2, 0, 1)]
        results += [losses, model.get_weights(), [np.array(each) for each in model.optimizer.variables]]
    return results


def a_scaled_loss_in_fit(tf):
    model = _dense(tf)
    model.compile(tf.keras.optimizers.SGD(0.1, loss_scale_factor=4.0), "mse")
    losses = model.fit(X, Y, batch_size=2, epochs=2, shuffle=False, verbose=0).history
    return [losses, model.get_weights(), model.optimizer.scale_loss(tf.constant(2.0))]
