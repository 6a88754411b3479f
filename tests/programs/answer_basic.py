"""The gradient of a polynomial in two variables.

From "How to correctly calculate gradients in TensorFlow?" (question and answer, 30 January 2025).
The text names -1 for dz/dy; x - 3 at 3 is 0, as TensorFlow says.
"""

import tensorflow as tf

# Define variables
x = tf.Variable(3.0, name="x", dtype=tf.float32)
y = tf.Variable(2.0, name="y", dtype=tf.float32)

# Define operations
with tf.GradientTape() as tape:
    z = x**2 + y * x - 3 * y

# Calculate gradients of z with respect to x and y
gradients = tape.gradient(z, [x, y])

print(f"Gradient of z with respect to x: {gradients[0]}")
print(f"Gradient of z with respect to y: {gradients[1]}")

EXPECTED = {"gradients": [8.0, 0.0]}
PRINTED = ["Gradient of z with respect to x: 8.0", "Gradient of z with respect to y: 0.0"]
