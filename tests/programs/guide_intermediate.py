"""The gradient with respect to an intermediate result.

From "Introduction to Gradients and Automatic Differentiation" (TensorFlow guide).
"""

import tensorflow as tf

x = tf.constant([3.0, 3.0])

with tf.GradientTape() as t:
    t.watch(x)
    y = tf.multiply(x, x)
    z = tf.multiply(y, y)

# Use the tape to compute the derivative of z with respect to the
# intermediate value y.
# dz_dx = 2 * y, where y = x ^ 2
print(t.gradient(z, y))

EXPECTED = {"y": [9.0, 9.0], "z": [81.0, 81.0]}
PRINTED = ["tf.Tensor([18. 18.], shape=(2,), dtype=float32)"]
