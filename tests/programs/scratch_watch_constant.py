"""Constant weights, watched; a persistent tape asked twice.

From "Gradient Tape with Tensorflow" (blog "Coding from scratch", 13 February 2021).
The post shows no output: the numbers are TensorFlow's.
"""

import tensorflow as tf

input = tf.constant([[1.0, 2.0]])
# Will not work if "tape.watch(weights)" is not added
weights = tf.constant([[0.25], [0.15]])  # 1
y_true = tf.constant(0.75)

with tf.GradientTape(persistent=True) as tape:  # 2
    tape.watch(weights)  # 3
    output = tf.linalg.matmul(input, weights)
    # Loss - Squared Diff
    loss = tf.math.squared_difference(y_true, output)

gradients = tape.gradient(loss, weights)
gradients_copy = tape.gradient(loss, weights)  # 4

EXPECTED = {"gradients": [[-0.39999998], [-0.79999995]], "gradients_copy": [[-0.39999998], [-0.79999995]]}
