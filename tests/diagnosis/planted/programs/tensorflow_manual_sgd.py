"""Linear regression, its weights stepped by hand."""

import tensorflow as tf

REQUIRES = ["tensorflow"]

tf.random.set_seed(0)
x = tf.random.normal([10, 3])  #: data
y = x @ tf.constant([[1.0], [-2.0], [0.5]]) + 0.1  #: target
w = tf.Variable(tf.random.normal([3, 1]))  #: weight
b = tf.Variable(tf.zeros([1]))
for _ in range(3):
    with tf.GradientTape() as tape:
        prediction = x @ w + b  #: hidden
        loss = tf.reduce_mean((prediction - y) ** 2)  #: loss
    gradients = tape.gradient(loss, [w, b])  #: backward
    w.assign_sub(0.1 * gradients[0])
    b.assign_sub(0.1 * gradients[1])
