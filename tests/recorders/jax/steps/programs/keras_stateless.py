"""A training loop of Keras on JAX, without state, as its guide has it."""

import os

os.environ["KERAS_BACKEND"] = "jax"

import jax
import keras
import numpy as np

REQUIRES = ["keras", "jax"]

keras.utils.set_random_seed(0)
inputs = keras.Input((4,))
h = keras.layers.Dense(8, activation="relu")(inputs)
h = keras.layers.Dropout(0.2)(h)
h = keras.layers.BatchNormalization()(h)
model = keras.Model(inputs, keras.layers.Dense(3)(h))
optimizer = keras.optimizers.Adam(1e-3)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def compute_loss_and_updates(trainable_variables, non_trainable_variables, x, y):
    y_pred, non_trainable_variables = model.stateless_call(
        trainable_variables, non_trainable_variables, x, training=True
    )
    return loss_fn(y, y_pred), non_trainable_variables


grad_fn = jax.value_and_grad(compute_loss_and_updates, has_aux=True)


@jax.jit
def train_step(state, data):
    trainable_variables, non_trainable_variables, optimizer_variables = state
    (loss, non_trainable_variables), grads = grad_fn(trainable_variables, non_trainable_variables, *data)
    trainable_variables, optimizer_variables = optimizer.stateless_apply(
        optimizer_variables, grads, trainable_variables
    )
    return loss, (trainable_variables, non_trainable_variables, optimizer_variables), grads


x = np.random.default_rng(0).normal(size=(6, 4)).astype("float32")
y = np.arange(6) % 3
optimizer.build(model.trainable_variables)
state = (
    [each.value for each in model.trainable_variables],
    [each.value for each in model.non_trainable_variables],
    [each.value for each in optimizer.variables],
)
gradients = []
for _ in range(2):
    loss, state, grads = train_step(state, (x, y))
    gradients.append(grads)
results = state, loss
