"""The toy graph alone: no tape yet.

From "Gradient Tape with Tensorflow" (blog "Coding from scratch", 13 February 2021).
The post shows no output: the number is TensorFlow's.
"""

import tensorflow as tf

input = tf.constant([[1.0, 2.0]])
weights = tf.Variable([[0.25], [0.15]])

output = tf.linalg.matmul(input, weights)

# Loss - MSE
y_true = tf.constant(0.75)
loss = tf.math.sqrt(tf.math.subtract(tf.math.square(y_true), tf.math.square(output)))

EXPECTED = {"output": [[0.55]], "loss": [[0.50990194]]}
