"""One step up the expected reward of a softmax policy.

From "How to calculate gradients using tf.GradientTape in TensorFlow in Python" (article).
The article shows no output: the numbers are TensorFlow's.
"""

import tensorflow as tf

theta = tf.Variable([0.5, -0.5])  # Policy parameters


def policy_action_prob(params):
    return tf.nn.softmax(params)


def objective(params):
    probs = policy_action_prob(params)
    reward = tf.constant([1.0, 2.0])
    return tf.reduce_sum(probs * reward)  # Expected reward


with tf.GradientTape() as tape:
    loss = -objective(theta)  # Maximize objective → minimize -objective

grad = tape.gradient(loss, theta)
theta.assign_sub(0.1 * grad)

print(theta.numpy())

EXPECTED = {"grad": [0.19661191, -0.19661194], "theta": [0.4803388, -0.4803388]}
PRINTED = ["[ 0.4803388 -0.4803388]"]
