"""A critic whose slope is held near one: a tape in a tape."""

import tensorflow as tf

REQUIRES = ["tensorflow"]

tf.random.set_seed(0)
between = tf.random.normal([6, 4])  #: data
w1 = tf.Variable(tf.random.normal([4, 8]))  #: weight
w2 = tf.Variable(tf.random.normal([8, 1]))  #: weight
with tf.GradientTape() as tape:
    with tf.GradientTape() as inner:
        inner.watch(between)
        score = tf.tanh(between @ w1) @ w2  #: hidden
        total = tf.reduce_sum(score)
    slope = inner.gradient(total, between)  #: hidden
    penalty = (tf.norm(slope, axis=1) - 1.0) ** 2  #: hidden
    loss = tf.reduce_mean(penalty)  #: loss
gradients = tape.gradient(loss, [w1, w2])  #: backward
