"""A rectifier of the user's is off for every input."""

import keras
from five_layers import weighted, x, y
from keras import layers, ops


class Rectified(layers.Layer):
    """Takes what is above a hundred."""

    def call(self, inputs):
        return ops.relu(inputs - 100.0)


hidden, wide = layers.Dense(5, name="hidden"), layers.Dense(5, activation="tanh", name="third")
model = keras.Sequential(
    [keras.Input((4,)), hidden, Rectified(name="rectified"), wide, layers.Dense(6, name="wide"), layers.Dense(3)],
    name="five",
)
weighted(model).fit(x, y, batch_size=8, epochs=1, verbose=0)
