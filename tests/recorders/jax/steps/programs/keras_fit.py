"""A model of Keras on JAX, trained by its own loop."""

import os

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np

REQUIRES = ["keras", "jax"]

keras.utils.set_random_seed(0)
model = keras.Sequential(
    [
        keras.Input((6, 6, 1)),
        keras.layers.Conv2D(3, 3, activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dense(2),
    ]
)
model.compile(
    optimizer=keras.optimizers.SGD(0.05),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
x = np.random.default_rng(0).normal(size=(8, 6, 6, 1)).astype("float32")
y = np.arange(8) % 2
history = model.fit(x, y, batch_size=4, epochs=1, verbose=0)
results = model.get_weights(), history.history["loss"]
gradients = None
