"""The gradient of a squared difference with respect to the weights.

From "Gradient Tape with Tensorflow" (blog "Coding from scratch", 13 February 2021).
The post shows the result as a cell's last line, where the text lost the two minus signs.
"""

import tensorflow as tf

input = tf.constant([[1.0, 2.0]])
weights = tf.Variable([[0.25], [0.15]])
y_true = tf.constant(0.75)

with tf.GradientTape() as tape:  # 1
    output = tf.linalg.matmul(input, weights)
    # Loss - Squared Diff
    loss = tf.math.squared_difference(y_true, output)

gradients = tape.gradient(loss, weights)  # 2
print(repr(gradients))

EXPECTED = {"gradients": [[-0.39999998], [-0.79999995]]}
PRINTED = [
    "<tf.Tensor: shape=(2, 1), dtype=float32, numpy=",
    "array([[-0.39999998],",
    "       [-0.79999995]], dtype=float32)>",
]
