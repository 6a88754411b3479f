"""Automatic differentiation from a textbook's second chapter."""

import tensorflow as tf

x = tf.range(4, dtype=tf.float32)
x = tf.Variable(x)
with tf.GradientTape() as t:
    y = 2 * tf.tensordot(x, x, axes=1)
print(y)
x_grad = t.gradient(y, x)
print(x_grad, x_grad == 4 * x)
with tf.GradientTape() as t:
    y = tf.reduce_sum(x)
print(t.gradient(y, x))
with tf.GradientTape() as t:
    y = x * x
print(t.gradient(y, x))
with tf.GradientTape(persistent=True) as t:
    y = x * x
    u = tf.stop_gradient(y)
    z = u * x
x_grad = t.gradient(z, x)
print(x_grad == u, t.gradient(y, x) == 2 * x)


def f(a):
    b = a * 2
    while tf.norm(b) < 1000:
        b = b * 2
    if tf.reduce_sum(b) > 0:
        c = b
    else:
        c = 100 * b
    return c


a = tf.Variable(-0.37)
with tf.GradientTape() as t:
    d = f(a)
d_grad = t.gradient(d, a)
print(d, d_grad, d_grad == d / a)
A = tf.reshape(tf.range(20), (5, 4))
print(A, tf.transpose(A))
B = tf.cast(A, tf.float32)
print(B.shape, tf.size(B), tf.reduce_mean(B, axis=0), B / tf.reduce_sum(B, axis=1, keepdims=True))
print(tf.cumsum(B, axis=0), tf.linalg.matvec(B, x), tf.norm(tf.ones((4, 9))), tf.reduce_sum(tf.abs(x)))
X_var = tf.Variable(tf.zeros((2, 3)))
X_var[1, 2].assign(9)
X_var[0:1, :].assign(tf.ones(X_var[0:1, :].shape, dtype=tf.float32) * 12)
print(X_var)
print(
    tf.concat([X_var, X_var + 1], axis=0),
    X_var == X_var,
    type(X_var.numpy()),
    float(tf.constant([3.5])[0]),
    int(tf.constant([3.5]).numpy()[0]),
)
