"""A recurrent cell, unrolled by hand."""

import tensorflow as tf

REQUIRES = ["tensorflow"]

tf.random.set_seed(0)
wave = tf.sin(tf.reshape(tf.linspace(0.0, 6.0, 12), [1, 12, 1]))  #: data
wx = tf.Variable(tf.random.normal([1, 6]))  #: weight
wh = tf.Variable(tf.random.normal([6, 6], stddev=0.3))
wo = tf.Variable(tf.random.normal([6, 1]))  #: weight
with tf.GradientTape() as tape:
    state = tf.zeros([1, 6])
    errors = []
    for step in range(11):
        state = tf.tanh(wave[:, step] @ wx + state @ wh)  #: hidden
        output = state @ wo  #: hidden
        errors.append((output - wave[:, step + 1]) ** 2)
    loss = tf.reduce_mean(tf.stack(errors))  #: loss
gradients = tape.gradient(loss, [wx, wh, wo])  #: backward
