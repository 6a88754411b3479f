"""The derivative of x² at 3.

From "Introduction to Gradients and Automatic Differentiation" (TensorFlow guide).
The guide prints no number here: it is TensorFlow's.
"""

import tensorflow as tf

x = tf.constant(3.0)
# y = x ^ 2
with tf.GradientTape() as t:
    t.watch(x)
    y = x * x
# dy = 2x
dy_dx = t.gradient(y, x)

EXPECTED = {"dy_dx": 6.0}
