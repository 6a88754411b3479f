"""A persistent tape gives several gradients of one computation.

From "Introduction to Gradients and Automatic Differentiation" (TensorFlow guide).
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape(persistent=True) as t:
    t.watch(x)
    y = x * x
    z = y * y
print(t.gradient(z, x))  # 108.0 (4*x^3 at x = 3)
print(t.gradient(y, x))  # 6.0 (2 * x)
del t  # Drop the reference to the tape

EXPECTED = {"y": 9.0, "z": 81.0}
PRINTED = ["tf.Tensor(108.0, shape=(), dtype=float32)", "tf.Tensor(6.0, shape=(), dtype=float32)"]
