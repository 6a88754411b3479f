"""The first and second derivative of 2x³ + 5x² + 3x at 2.

From "Introduction to GradientTape in TensorFlow" (article).
"""

import tensorflow as tf

x = tf.Variable(2.0)
with tf.GradientTape() as t1:
    with tf.GradientTape() as t2:
        y = 2 * (x**3) + 5 * (x**2) + 3 * x
    dy_dx = t2.gradient(y, x)
d2y_dx2 = t1.gradient(dy_dx, x)
print(dy_dx)
print(d2y_dx2)

EXPECTED = {"dy_dx": 47.0, "d2y_dx2": 34.0}
PRINTED = ["tf.Tensor(47.0, shape=(), dtype=float32)", "tf.Tensor(34.0, shape=(), dtype=float32)"]
