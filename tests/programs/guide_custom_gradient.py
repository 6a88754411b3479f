"""A gradient of one's own: clipped on the way back.

From "Introduction to Gradients and Automatic Differentiation" (TensorFlow guide).
"""

import tensorflow as tf


# Establish an identity operation, but clip during the gradient pass
@tf.custom_gradient
def clip_gradients(y):
    def backward(dy):
        return tf.clip_by_norm(dy, 0.5)

    return y, backward


v = tf.Variable(2.0)
with tf.GradientTape() as t:
    output = clip_gradients(v * v)
print(t.gradient(output, v))  # calls "backward", which clips 4 to 2

EXPECTED = {"output": 4.0}
PRINTED = ["tf.Tensor(2.0, shape=(), dtype=float32)"]
