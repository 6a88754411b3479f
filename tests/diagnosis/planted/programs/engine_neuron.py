"""The neuron of the lecture: one weight, one bias, one example."""

import tapeviz as tf

REQUIRES = []

x = tf.constant(1.5)  #: data
y = tf.constant(0.2)
w = tf.Variable(tf.constant(0.8))  #: weight
b = tf.Variable(tf.constant(-0.4))  #: weight
with tf.GradientTape() as tape:
    z = w * x + b  #: hidden
    prediction = tf.sigmoid(z)  #: hidden
    loss = (prediction - y) ** 2  #: loss
gradients = tape.gradient(loss, [w, b])  #: backward
