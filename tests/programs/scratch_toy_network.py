"""Two weights trained on three points, one step for each.

From "Gradient Tape with Tensorflow" (blog "Coding from scratch", 13 February 2021).
The text lost the names of the calls that make the tensors and the dataset; they are put back.
"""

import tensorflow as tf

data = tf.constant([[5.0, 2.0], [3.0, 3.0], [4.0, 1.5]])
weights = tf.Variable([[0.55], [0.75]], shape=[2, 1])
y_true = tf.constant([0.75, 0.5, 0.4])
lr = 0.01  # Learning rate
dataset = tf.data.Dataset.from_tensor_slices((data, y_true))  # Zipped the two tensor to loop

for data, y_true in dataset:
    with tf.GradientTape() as tape:
        output = tf.linalg.matmul(tf.reshape(data, [1, 2]), weights)
        loss = tf.math.squared_difference(y_true, output)
    gradients = tape.gradient(loss, weights)
    weights.assign_sub(tf.multiply(lr, gradients))  # Applied the Gradient Descent

weights  # Final trained weights

EXPECTED = {"weights": [[0.02995202], [0.47385702]]}
