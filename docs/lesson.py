"""The program of the README's pictures: x is used twice."""

import tapeviz as tf

x = tf.Variable(3.0, name="x")
w = tf.Variable(2.0, name="w")
b = tf.Variable(1.0, name="b")

with tf.GradientTape() as tape:
    z = x * w + b
    y = z**2 + x

tape.gradient(y, [x, w, b])
