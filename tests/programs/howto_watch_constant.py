"""A constant has to be watched by hand.

From "How to calculate gradients using tf.GradientTape in TensorFlow in Python" (article).
"""

import tensorflow as tf

a = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(a)  # Start watching the constant tensor
    b = a * a + 3

db_da = tape.gradient(b, a)  # Computes gradient with respect to 'a'
print(db_da.numpy())  # Should print 4.0 (2 * a)

EXPECTED = {"db_da": 4.0}
PRINTED = ["4.0"]
