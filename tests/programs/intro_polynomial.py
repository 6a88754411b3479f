"""The derivative of 2x³ + 5x² + 3x at 2.

From "Introduction to GradientTape in TensorFlow" (article).
"""

import tensorflow as tf
from tensorflow import GradientTape

x = tf.constant(2.0)
with GradientTape() as t:
    t.watch(x)
    y = 2 * (x**3) + 5 * (x**2) + 3 * x
dy_dx = t.gradient(y, x)
print(dy_dx)

EXPECTED = {"dy_dx": 47.0}
PRINTED = ["tf.Tensor(47.0, shape=(), dtype=float32)"]
