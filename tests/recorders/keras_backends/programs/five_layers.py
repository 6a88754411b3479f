"""A model of five layers, one batch of data, and weights that are the same on every backend."""

import keras
import numpy as np
from keras import layers

rng = np.random.default_rng(0)
x = rng.normal(size=(8, 4)).astype("float32")
y = rng.integers(0, 3, 8)


def weighted(model):
    """The model with weights of its own, and what it is trained by."""
    model.set_weights([rng.uniform(0.1, 1, each.shape).astype("float32") for each in model.weights])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=keras.optimizers.SGD(0.1), loss=loss)
    return model


def stack(kind=keras.Sequential):
    """Five layers that follow each other."""
    return kind(
        [
            keras.Input((4,)),
            layers.Dense(5, activation="relu", name="hidden"),
            layers.LayerNormalization(name="norm"),
            layers.Dense(6, activation="softmax", name="shares"),
            layers.BatchNormalization(name="batch"),
            layers.Dense(3, name="logits"),
        ],
        name="five",
    )
