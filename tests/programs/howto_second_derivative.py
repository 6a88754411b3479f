"""Nested tapes: the second derivative of x².

From "How to calculate gradients using tf.GradientTape in TensorFlow in Python" (article).
"""

import tensorflow as tf

x = tf.Variable(5.0)

with tf.GradientTape() as outer_tape:
    with tf.GradientTape() as inner_tape:
        y = x * x
    dy_dx = inner_tape.gradient(y, x)  # First derivative, 2x
d2y_dx2 = outer_tape.gradient(dy_dx, x)  # Second derivative, 2

print(dy_dx.numpy())  # 10.0
print(d2y_dx2.numpy())  # 2.0

EXPECTED = {"dy_dx": 10.0, "d2y_dx2": 2.0}
PRINTED = ["10.0", "2.0"]
