"""The net of `notebooks/01_first_tape`, on flowers that are made up."""

import numpy as np

import tapeviz as tf

REQUIRES = []

random = np.random.default_rng(0)
flowers = tf.constant(random.normal(size=(12, 4)), tf.float32)  #: data
labels = tf.constant([0, 1, 2] * 4)
w1 = tf.Variable(random.normal(0, 0.5, (4, 8)), dtype=tf.float32)  #: weight
b1 = tf.Variable(tf.zeros(8))
w2 = tf.Variable(random.normal(0, 0.5, (8, 3)), dtype=tf.float32)  #: weight
b2 = tf.Variable(tf.zeros(3))
weights = [w1, b1, w2, b2]


def network(x):
    hidden = tf.tanh(tf.matmul(x, w1) + b1)  #: hidden
    return tf.matmul(hidden, w2) + b2


def cross_entropy(logits):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


for _ in range(3):
    with tf.GradientTape() as tape:
        logits = network(flowers)  #: hidden logits
        loss = cross_entropy(logits)  #: loss
    gradients = tape.gradient(loss, weights)  #: backward
    for weight, gradient in zip(weights, gradients, strict=True):
        weight.assign_sub(0.5 * gradient)
