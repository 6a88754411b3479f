"""A straight line fitted by gradient descent, 1000 steps.

From "How to calculate gradients using tf.GradientTape in TensorFlow in Python" (article).
The article shows no output: the numbers are TensorFlow's.
"""

import tensorflow as tf

# Sample data: y = 3x + 2 with some noise
x_data = tf.constant([1.0, 2.0, 3.0, 4.0])
y_data = tf.constant([5.0, 8.0, 11.0, 14.0])

# Variables to optimize
W = tf.Variable(0.0)
b = tf.Variable(0.0)

learning_rate = 0.01
epochs = 1000

for epoch in range(epochs):
    with tf.GradientTape() as tape:
        y_pred = W * x_data + b  # Forward pass
        loss = tf.reduce_mean(tf.square(y_data - y_pred))  # MSE loss

    # Compute gradients of loss wrt W and b
    gradients = tape.gradient(loss, [W, b])
    # Gradient descent step
    W.assign_sub(learning_rate * gradients[0])
    b.assign_sub(learning_rate * gradients[1])

    if epoch % 100 == 0:
        print(f"Epoch {epoch}: Loss = {loss.numpy():.4f}, W = {W.numpy():.4f}, b = {b.numpy():.4f}")

EXPECTED = {"W": 3.0148926, "b": 1.9562136}
PRINTED = [
    "Epoch 0: Loss = 101.5000, W = 0.5500, b = 0.1900",
    "Epoch 100: Loss = 0.0707, W = 3.2206, b = 1.3514",
    "Epoch 200: Loss = 0.0388, W = 3.1635, b = 1.5194",
    "Epoch 300: Loss = 0.0213, W = 3.1211, b = 1.6439",
    "Epoch 400: Loss = 0.0117, W = 3.0897, b = 1.7362",
    "Epoch 500: Loss = 0.0064, W = 3.0665, b = 1.8045",
    "Epoch 600: Loss = 0.0035, W = 3.0493, b = 1.8552",
    "Epoch 700: Loss = 0.0019, W = 3.0365, b = 1.8927",
    "Epoch 800: Loss = 0.0011, W = 3.0270, b = 1.9205",
    "Epoch 900: Loss = 0.0006, W = 3.0200, b = 1.9411",
]
