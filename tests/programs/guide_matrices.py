"""The gradient of an elementwise square.

From "Introduction to Gradients and Automatic Differentiation" (TensorFlow guide).
"""

import tensorflow as tf

x = tf.constant([3.0, 3.0])

with tf.GradientTape() as t:
    t.watch(x)
    z = tf.multiply(x, x)

print(z)

# Find derivative of z with respect to the original input tensor x
print(t.gradient(z, x))

EXPECTED = {"z": [9.0, 9.0]}
PRINTED = ["tf.Tensor([9. 9.], shape=(2,), dtype=float32)", "tf.Tensor([6. 6.], shape=(2,), dtype=float32)"]
