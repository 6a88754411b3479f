"""A persistent tape asked twice, for an intermediate result the second time.

From "Introduction to GradientTape in TensorFlow" (article).
The article's second output is lost: 4y³ at 42 is TensorFlow's number.
"""

import tensorflow as tf
from tensorflow import GradientTape

x = tf.constant(2.0)
with GradientTape(persistent=True) as t:
    t.watch(x)
    y = 2 * (x**3) + 5 * (x**2) + 3 * x
    z = y * y * y * y
dy_dx = t.gradient(y, x)
print(dy_dx)

dz_dy = t.gradient(z, y)
print(dz_dy)

EXPECTED = {"dy_dx": 47.0, "dz_dy": 296352.0}
PRINTED = ["tf.Tensor(47.0, shape=(), dtype=float32)", "tf.Tensor(296352.0, shape=(), dtype=float32)"]
