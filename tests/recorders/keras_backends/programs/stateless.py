"""A function of the weights, without state, as each backend differentiates it."""

import keras
from five_layers import stack, weighted, x, y
from keras import ops

model = weighted(stack())
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def loss_of(trainable, others):
    predicted, _ = model.stateless_call(trainable, others, ops.convert_to_tensor(x), training=True)
    return loss_fn(y, predicted)


weights = [each.value for each in model.trainable_variables]
others = [each.value for each in model.non_trainable_variables]
if keras.backend.backend() == "jax":
    import jax

    jax.grad(loss_of)(weights, others)
elif keras.backend.backend() == "torch":
    import torch

    torch.autograd.grad(loss_of(weights, others), weights)
else:
    import tensorflow as tf

    with tf.GradientTape() as tape:
        loss = loss_of(weights, others)
    tape.gradient(loss, weights)
