"""The second derivative of x³ by nested tapes.

From "Introduction to Gradients and Automatic Differentiation" (TensorFlow guide).
"""

import tensorflow as tf

x = tf.Variable(1.0)  # Create a Tensorflow variable initialized to 1.0

with tf.GradientTape() as t:
    with tf.GradientTape() as t2:
        y = x * x * x

    # Compute the gradient inside the 't' context manager
    # which means the gradient computation is differentiable as well.
    dy_dx = t2.gradient(y, x)
d2y_dx2 = t.gradient(dy_dx, x)

print("dy_dx:", dy_dx.numpy())  # 3.0
print("d2y_dx2:", d2y_dx2.numpy())  # 6.0

EXPECTED = {"dy_dx": 3.0, "d2y_dx2": 6.0}
PRINTED = ["dy_dx: 3.0", "d2y_dx2: 6.0"]
