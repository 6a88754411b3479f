"""A training step that tf.function compiles."""

import tensorflow as tf

REQUIRES = ["tensorflow"]

tf.random.set_seed(0)
x = tf.random.normal([6, 4])  #: data
y = tf.random.normal([6, 1])  #: target
w1 = tf.Variable(tf.random.normal([4, 8]))
w2 = tf.Variable(tf.random.normal([8, 1]))


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        h = tf.tanh(x @ w1)  #: hidden
        prediction = h @ w2  #: hidden
        loss = tf.reduce_mean((prediction - y) ** 2)  #: loss
    gradients = tape.gradient(loss, [w1, w2])  #: backward
    return gradients


gradients = step(x, y)
