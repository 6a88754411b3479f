"""The little net of `notebooks/06_lecture`."""

import tapeviz as tf

REQUIRES = []

inputs = tf.constant([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])  #: data
wanted = tf.constant([[1.0], [0.0], [1.0]])  #: target
weights = tf.Variable([[0.5], [-0.5]], name="weights")  #: weight
bias = tf.Variable([0.1], name="bias")  #: weight
with tf.GradientTape() as tape:
    guess = inputs @ weights + bias  #: hidden
    error = guess - wanted  #: hidden
    loss = tf.reduce_mean(tf.square(error))  #: loss
gradients = tape.gradient(loss, [weights, bias])  #: backward
