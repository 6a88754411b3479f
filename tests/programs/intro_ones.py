"""The forward values only: ones, their sum, its square.

From "Introduction to GradientTape in TensorFlow" (article).
The article shows x as a cell's last line, names 6 for y and leaves z to a formula.
"""

import tensorflow as tf

x = tf.ones((2, 3))
print(repr(x))

y = tf.reduce_sum(x)
z = tf.square(y)

EXPECTED = {"x": [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], "y": 6.0, "z": 36.0}
PRINTED = [
    "<tf.Tensor: shape=(2, 3), dtype=float32, numpy=",
    "array([[1., 1., 1.],",
    "       [1., 1., 1.]], dtype=float32)>",
]
