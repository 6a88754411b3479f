"""An integer has no gradient: None.

From "Introduction to Gradients and Automatic Differentiation" (TensorFlow guide).
"""

import tensorflow as tf

with tf.GradientTape() as tape:
    x = tf.Variable([[2, 2], [2, 2]], dtype=tf.int8)
    y = x * x
print(tape.gradient(y, x))

EXPECTED = {"y": [[4, 4], [4, 4]]}
PRINTED = ["None"]
