"""Softmax regression on the engine."""

import numpy as np

import tapeviz as tf

REQUIRES = []

rng = np.random.default_rng(0)
x = tf.constant(rng.normal(size=(6, 4)), tf.float32)  #: data
labels = tf.constant([0, 1, 2, 0, 1, 2])
w = tf.Variable(tf.constant(rng.normal(size=(4, 3)), tf.float32))  #: weight
b = tf.Variable(tf.zeros([3]))
with tf.GradientTape() as tape:
    logits = x @ w + b  #: hidden logits
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf.reduce_mean(losses)  #: loss
gradients = tape.gradient(loss, [w, b])  #: backward
