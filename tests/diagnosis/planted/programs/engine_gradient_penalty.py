"""The slope of a net in its loss: a tape in a tape, on the engine."""

import numpy as np

import tapeviz as tf

REQUIRES = []

rng = np.random.default_rng(0)
t = tf.constant(np.linspace(0, 2, 9).reshape(-1, 1), tf.float32)  #: data
w1 = tf.Variable(tf.constant(rng.normal(size=(1, 8)), tf.float32))  #: weight
w2 = tf.Variable(tf.constant(rng.normal(size=(8, 1)), tf.float32))  #: weight
with tf.GradientTape() as tape:
    with tf.GradientTape() as inner:
        inner.watch(t)
        u = tf.tanh(t @ w1) @ w2  #: hidden
    slope = inner.gradient(u, t)  #: hidden
    residual = slope + u
    loss = tf.reduce_mean(residual**2)  #: loss
gradients = tape.gradient(loss, [w1, w2])  #: backward
