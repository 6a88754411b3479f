"""The deep net with a way around each layer of `notebooks/07_explore`, six layers of it."""

import numpy as np

import tapeviz as tf

REQUIRES = []

draw = np.random.default_rng(0)
images = tf.constant(draw.normal(size=(8, 6)).astype(np.float32))  #: data
labels = tf.constant(draw.normal(size=(8, 1)).astype(np.float32))  #: target
weights = [tf.Variable(each, name=f"w{i}") for i, each in enumerate(draw.normal(0, 0.4, (6, 6, 6)).astype(np.float32))]


def layer_with_a_way_around(h, w, activation):
    return h + 0.3 * activation(h @ w)


with tf.GradientTape() as tape:
    h = images * 1.0
    for w in weights:
        h = layer_with_a_way_around(h, w, tf.sigmoid)  #: hidden
    guess = tf.reduce_mean(h, axis=1, keepdims=True)  #: hidden
    loss = tf.reduce_mean(tf.square(guess - labels))  #: loss
gradients = tape.gradient(loss, weights)  #: backward
