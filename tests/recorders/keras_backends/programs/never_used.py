"""A model builds a layer that it never calls."""

import keras
from five_layers import weighted, x, y
from keras import layers


class Five(keras.Model):
    """Four layers, and one that nothing calls."""

    def __init__(self):
        super().__init__(name="five")
        self.hidden = layers.Dense(5, activation="relu", name="hidden")
        self.extra = layers.Dense(5, name="extra")
        self.norm = layers.LayerNormalization(name="norm")
        self.wide = layers.Dense(6, activation="tanh", name="wide")
        self.logits = layers.Dense(3, name="logits")

    def call(self, inputs):
        return self.logits(self.wide(self.norm(self.hidden(inputs))))


model = Five()
model(x[:1])
model.extra.build((None, 5))
weighted(model).train_on_batch(x, y)
