"""A tape lists the variables it watches, in order of creation.

From "Introduction to Gradients and Automatic Differentiation" (TensorFlow guide).
The guide shows the tuple as a cell's last line.
"""

import tensorflow as tf

x = tf.Variable(2.0)
y = tf.Variable(3.0)

with tf.GradientTape() as t:
    # Don't need any calls to watch(), as when variables x and y
    # get used, they will be automatically watched
    y_sq = y * y
    z = x + y_sq

print(t.watched_variables())

EXPECTED = {"z": 11.0}
PRINTED = [
    "(<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=2.0>, "
    "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=3.0>)",
]
