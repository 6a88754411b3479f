"""Linear regression on the engine, its weights stepped by hand."""

import numpy as np

import tapeviz as tf

REQUIRES = []

rng = np.random.default_rng(0)
x = tf.constant(rng.normal(size=(10, 3)), tf.float32)  #: data
y = x @ tf.constant([[1.0], [-2.0], [0.5]]) + 0.1  #: target
w = tf.Variable(tf.constant(rng.normal(size=(3, 1)), tf.float32))  #: weight
b = tf.Variable(tf.zeros([1]))
for _ in range(3):
    with tf.GradientTape() as tape:
        prediction = x @ w + b  #: hidden
        loss = tf.reduce_mean((prediction - y) ** 2)  #: loss
    gradients = tape.gradient(loss, [w, b])  #: backward
    w.assign_sub(0.1 * gradients[0])
    b.assign_sub(0.1 * gradients[1])
