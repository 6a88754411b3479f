"""A loss function of one's own, with a kink in it, 300 steps.

From "How to calculate gradients using tf.GradientTape in TensorFlow in Python" (article).
The article shows no output: the numbers are TensorFlow's.
"""

import tensorflow as tf


def hinge_loss(y_true, y_pred):
    return tf.reduce_mean(tf.maximum(0.0, 1 - y_true * y_pred))


x = tf.constant([[2.0], [-1.5], [0.0]])
y_true = tf.constant([1.0, -1.0, 1.0])

W = tf.Variable([[1.0]])
b = tf.Variable(0.0)
learning_rate = 0.01

for _ in range(300):
    with tf.GradientTape() as tape:
        logits = tf.matmul(x, W) + b
        loss = hinge_loss(y_true, tf.squeeze(logits))

    grads = tape.gradient(loss, [W, b])
    W.assign_sub(learning_rate * grads[0])
    b.assign_sub(learning_rate * grads[1])

EXPECTED = {"W": [[1.2299998]], "b": 0.846666, "loss": 0.05222245}
