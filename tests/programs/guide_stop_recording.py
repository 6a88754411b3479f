"""A gradient while the recording is stopped; then the tape is reset.

From "Introduction to Gradients and Automatic Differentiation" (TensorFlow guide).
The author's comment says 1; the guide's own output, like TensorFlow, says 6.
"""

import tensorflow as tf

x = tf.Variable(2.0)
y = tf.Variable(3.0)

with tf.GradientTape(persistent=True) as t:
    y_sq = y * y
    # Stop recording so we can calculate an intermediate gradient
    with t.stop_recording():
        print("y with respect to y_sq:", t.gradient(y_sq, y))  # Will be 1
    t.reset()
    z = x + y_sq

print("z with respect to y after reset:", t.gradient(z, y))  # None

EXPECTED = {"y_sq": 9.0, "z": 11.0}
PRINTED = [
    "y with respect to y_sq: tf.Tensor(6.0, shape=(), dtype=float32)",
    "z with respect to y after reset: None",
]
