"""Gradients of fixed points and of solutions."""

import numpy as np
import tensorflow as tf


@tf.custom_gradient
def solve_fixed(a):
    x = tf.ones_like(a)
    for _ in range(50):
        x = 0.5 * (x + a / x)

    def grad(dy):
        return dy * 1.0 / (2.0 * x)

    return x, grad


a = tf.Variable([2.0, 9.0])
with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        y = solve_fixed(a)
    g = t1.gradient(y, a)
print(y, g, t2.gradient(g, a))


def fixed_point(f, x_init, theta, tol=1e-6):
    x, x_prev = x_init, x_init + 1.0
    n = 0
    while tf.reduce_max(tf.abs(x - x_prev)) > tol and n < 100:
        x_prev, x = x, f(x, theta)
        n += 1
    return x, n


f = lambda x, theta: tf.tanh(tf.linalg.matvec(theta, x) + 0.5)
theta = tf.Variable(np.random.RandomState(0).randn(3, 3).astype("float32") * 0.3)
x_star, n = fixed_point(f, tf.zeros(3), theta)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x_star)
    fx = f(x_star, theta)
J = tape.jacobian(fx, x_star)
v = tf.linalg.solve(tf.transpose(tf.eye(3) - J), tf.ones([3, 1]))[:, 0]
implicit = tape.gradient(fx, theta, output_gradients=v)
with tf.GradientTape() as tape:
    xs, _ = fixed_point(f, tf.zeros(3), theta)
    s = tf.reduce_sum(xs)
unrolled = tape.gradient(s, theta)
print(x_star, implicit, np.allclose(implicit, unrolled, atol=1e-4))
# ridge regression hyper gradient by lstsq and solve
X = tf.constant(np.random.RandomState(1).randn(8, 3))
y = tf.constant(np.random.RandomState(2).randn(8, 1))
lam = tf.Variable(0.1, dtype=tf.float64)
with tf.GradientTape() as t:
    w = tf.linalg.solve(tf.transpose(X) @ X + lam * tf.eye(3, dtype=tf.float64), tf.transpose(X) @ y)
    val = tf.reduce_mean((X @ w - 1.0) ** 2)
print(val, t.gradient(val, lam))
with tf.GradientTape() as t:
    t.watch(X)
    w = tf.linalg.lstsq(X, y, l2_regularizer=0.1)
    val = tf.reduce_mean(w**2)
print(w, t.gradient(val, X)[0])
