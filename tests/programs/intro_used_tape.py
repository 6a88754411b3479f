"""A second gradient of a used tape raises RuntimeError.

From "Introduction to GradientTape in TensorFlow" (article).
The program ends at the error: what stands below it is for the test, which reads it unrun.
"""

import tensorflow as tf
from tensorflow import GradientTape

x = tf.constant(2.0)
with GradientTape() as t:
    t.watch(x)
    y = 2 * (x**3) + 5 * (x**2) + 3 * x
dy_dx = t.gradient(y, x)

z = tf.reduce_sum(dy_dx)
dz_dx = t.gradient(z, x)

RAISES = "RuntimeError"
EXPECTED = {"dy_dx": 47.0, "z": 47.0}
