"""A perceptron of two layers, written by hand, on the engine."""

import numpy as np

import tapeviz as tf

REQUIRES = []

rng = np.random.default_rng(0)
x = tf.constant(rng.normal(size=(6, 4)), tf.float32)  #: data
y = tf.constant(rng.normal(size=(6, 1)), tf.float32)  #: target
w1 = tf.Variable(tf.constant(rng.normal(size=(4, 8)), tf.float32))  #: weight
b1 = tf.Variable(tf.zeros([8]))
w2 = tf.Variable(tf.constant(rng.normal(size=(8, 1)), tf.float32))  #: weight

with tf.GradientTape() as tape:
    h = tf.tanh(x @ w1 + b1)  #: hidden
    prediction = h @ w2  #: hidden
    loss = tf.reduce_mean((prediction - y) ** 2)  #: loss
gradients = tape.gradient(loss, [w1, b1, w2])  #: backward
