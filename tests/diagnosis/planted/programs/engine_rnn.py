"""A recurrent cell on the engine, unrolled by hand."""

import numpy as np

import tapeviz as tf

REQUIRES = []

rng = np.random.default_rng(0)
wave = tf.constant(np.sin(np.linspace(0, 6, 12)).reshape(1, 12, 1), tf.float32)  #: data
wx = tf.Variable(tf.constant(rng.normal(size=(1, 6)), tf.float32))  #: weight
wh = tf.Variable(tf.constant(0.3 * rng.normal(size=(6, 6)), tf.float32))
wo = tf.Variable(tf.constant(rng.normal(size=(6, 1)), tf.float32))  #: weight
with tf.GradientTape() as tape:
    state = tf.zeros([1, 6])
    errors = []
    for step in range(11):
        state = tf.tanh(wave[:, step] @ wx + state @ wh)  #: hidden
        output = state @ wo  #: hidden
        errors.append((output - wave[:, step + 1]) ** 2)
    loss = tf.reduce_mean(tf.stack(errors))  #: loss
gradients = tape.gradient(loss, [wx, wh, wo])  #: backward
