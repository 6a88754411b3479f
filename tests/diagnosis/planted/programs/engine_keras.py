"""Keras' layers as tapeviz has them."""

import numpy as np

import tapeviz as tf
from tapeviz import keras

REQUIRES = []

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
x = tf.constant(rng.normal(size=(6, 4)), tf.float32)  #: data
y = tf.constant(rng.normal(size=(6, 1)), tf.float32)  #: target
body = keras.layers.Dense(8, activation="tanh")  #: layer
head = keras.layers.Dense(1)  #: layer
head(body(x))
weights = [body.kernel, body.bias, head.kernel, head.bias]
with tf.GradientTape() as tape:
    h = body(x)  #: hidden
    prediction = head(h)  #: hidden
    loss = tf.reduce_mean((prediction - y) ** 2)  #: loss
gradients = tape.gradient(loss, weights)  #: backward
