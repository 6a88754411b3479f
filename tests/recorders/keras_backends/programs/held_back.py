"""A layer of the user's holds the gradient back."""

import keras
from five_layers import weighted, x, y
from keras import layers, ops


class Gate(layers.Layer):
    """Lets the value pass, and no gradient."""

    def call(self, inputs):
        return ops.tanh(ops.stop_gradient(inputs))


hidden, norm = layers.Dense(5, activation="relu", name="hidden"), layers.LayerNormalization(name="norm")
model = keras.Sequential(
    [keras.Input((4,)), hidden, norm, Gate(name="gate"), layers.Dense(6, name="wide"), layers.Dense(3, name="logits")],
    name="five",
)
weighted(model).train_on_batch(x, y)
