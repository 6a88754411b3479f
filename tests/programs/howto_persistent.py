"""A persistent tape answers twice.

From "How to calculate gradients using tf.GradientTape in TensorFlow in Python" (article).
The article prints no number here: the numbers are TensorFlow's.
"""

import tensorflow as tf

x = tf.Variable(4.0)

with tf.GradientTape(persistent=True) as tape:
    y = x * x * x

dy1_dx = tape.gradient(y, x)
dy2_dx = tape.gradient(y, x)  # Same tape reused

del tape  # Important to release resources

EXPECTED = {"y": 64.0, "dy1_dx": 48.0, "dy2_dx": 48.0}
