"""A model of a class of its own."""

import keras
from five_layers import weighted, x, y
from keras import layers, ops


class Five(keras.Model):
    """The five layers, and the rectifier as a function."""

    def __init__(self):
        super().__init__(name="five")
        self.hidden = layers.Dense(5, name="hidden")
        self.norm = layers.LayerNormalization(name="norm")
        self.shares = layers.Dense(6, activation="softmax", name="shares")
        self.batch = layers.BatchNormalization(name="batch")
        self.logits = layers.Dense(3, name="logits")

    def call(self, inputs):
        h = ops.relu(self.hidden(inputs))
        return self.logits(self.batch(self.shares(self.norm(h))))


model = Five()
model(x[:1])
weighted(model).train_on_batch(x, y)
