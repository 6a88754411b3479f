"""Probabilistic regression: a net that gives a normal distribution."""

import tensorflow as tf
import tensorflow_probability as tfp

REQUIRES = ["tfp-nightly", "tensorflow"]

tf.random.set_seed(0)
x = tf.random.normal([8, 3])  #: data
y = tf.random.normal([8, 1])  #: target
w = tf.Variable(tf.random.normal([3, 1]))  #: weight
raw_scale = tf.Variable(tf.constant(0.3))  #: weight
with tf.GradientTape() as tape:
    mean = x @ w  #: hidden
    likelihood = tfp.distributions.Normal(mean, tf.nn.softplus(raw_scale))
    log_probability = likelihood.log_prob(y)  #: hidden
    loss = -tf.reduce_mean(log_probability)  #: loss
gradients = tape.gradient(loss, [w, raw_scale])  #: backward
