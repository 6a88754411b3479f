"""Python's own control flow is recorded as it ran.

From "Introduction to Gradients and Automatic Differentiation" (TensorFlow guide).
"""

import tensorflow as tf


def f(x, y):
    output = 1.0
    for i in range(y):
        if i > 1 and i < 5:
            output *= x  # tf.multiply(output, x)
    return output


def grad(x, y):
    with tf.GradientTape() as t:
        t.watch(x)
        out = f(x, y)
    return t.gradient(out, x)


x = tf.constant(2.0)

print(grad(x, 6).numpy())  # 12.0
print(grad(x, 5).numpy())  # 12.0
print(grad(x, 4).numpy())  # 4.0

PRINTED = ["12.0", "12.0", "4.0"]
