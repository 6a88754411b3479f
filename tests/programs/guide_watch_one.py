"""Only the variable that was watched by hand has a gradient.

From "Introduction to Gradients and Automatic Differentiation" (TensorFlow guide).
"""

import tensorflow as tf

x = tf.Variable(2.0)
y = tf.Variable(3.0)

with tf.GradientTape(watch_accessed_variables=False, persistent=True) as t:
    # Only watch y
    t.watch(y)
    y_sq = y * y
    z = x + y_sq

# Gradient will be None, as x is not watched, so the tape cannot
# differentiate it
print("Gradient with respect to x:", t.gradient(z, x))
# Gradient will be 6, as y is watched
print("Gradient with respect to y:", t.gradient(z, y))
del t

EXPECTED = {"z": 11.0}
PRINTED = [
    "Gradient with respect to x: None",
    "Gradient with respect to y: tf.Tensor(6.0, shape=(), dtype=float32)",
]
