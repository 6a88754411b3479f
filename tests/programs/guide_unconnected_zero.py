"""No path from the source to the target: zero, if asked for.

From "Introduction to Gradients and Automatic Differentiation" (TensorFlow guide).
"""

import tensorflow as tf

x = tf.Variable(2.0)
y = tf.Variable(3.0)

with tf.GradientTape() as tape:
    z = y * y
print(tape.gradient(x, y, unconnected_gradients=tf.UnconnectedGradients.ZERO))

EXPECTED = {"z": 9.0}
PRINTED = ["tf.Tensor(0.0, shape=(), dtype=float32)"]
