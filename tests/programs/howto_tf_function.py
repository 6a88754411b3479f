"""A training step in a tf.function, 100 steps from random weights.

From "How to calculate gradients using tf.GradientTape in TensorFlow in Python" (article).
The data are drawn at random, so no number can be named.
"""

import tensorflow as tf


@tf.function
def train_step(x, y, W, b):
    with tf.GradientTape() as tape:
        y_pred = tf.matmul(x, W) + b
        loss = tf.reduce_mean(tf.square(y - y_pred))
    grads = tape.gradient(loss, [W, b])
    return loss, grads


W = tf.Variable(tf.random.normal([3, 1]))
b = tf.Variable(tf.zeros([1]))

x = tf.random.normal([10, 3])
y = tf.random.normal([10, 1])

for _ in range(100):
    loss, grads = train_step(x, y, W, b)
    W.assign_sub(0.01 * grads[0])
    b.assign_sub(0.01 * grads[1])

print(f"Loss after training: {loss.numpy():.4f}")
