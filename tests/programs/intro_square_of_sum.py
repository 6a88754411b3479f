"""The square of a sum: the same gradient at every position.

From "Introduction to GradientTape in TensorFlow" (article).
The class is imported from TensorFlow's own module, as the article does.
"""

import tensorflow as tf
from tensorflow.python.eager.backprop import GradientTape

x = tf.ones((2, 3))

with GradientTape() as t:
    t.watch(x)  # keep track of the x
    y = tf.reduce_sum(x)  # sum up the elements in x which is 6
    z = tf.square(y)  # square of y
dz_dx = t.gradient(z, x)  # taking the differential z with respect to x
print(dz_dx)

EXPECTED = {"dz_dx": [[12.0, 12.0, 12.0], [12.0, 12.0, 12.0]]}
PRINTED = [
    "tf.Tensor(",
    "[[12. 12. 12.]",
    " [12. 12. 12.]], shape=(2, 3), dtype=float32)",
]
