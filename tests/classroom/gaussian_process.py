"""Gaussian processes, and a Kalman filter."""

import numpy as np
import tensorflow as tf

keras = tf.keras

X = np.linspace(0, 5, 7)[:, None]
y = np.sin(X)
Xs = np.linspace(0, 5, 4)[:, None]
log_l, log_s, log_n = (tf.Variable(v, dtype=tf.float64, name=n) for v, n in [(0.0, "l"), (0.0, "s"), (-2.0, "n")])


def kernel(a, b):
    d2 = tf.reduce_sum(a**2, 1)[:, None] + tf.reduce_sum(b**2, 1)[None] - 2 * tf.matmul(a, b, transpose_b=True)
    return tf.exp(2 * log_s) * tf.exp(-0.5 * d2 / tf.exp(2 * log_l))


def nll():
    K = kernel(X, X) + tf.exp(2 * log_n) * tf.eye(7, dtype=tf.float64)
    L = tf.linalg.cholesky(K)
    a = tf.linalg.triangular_solve(L, y)
    return 0.5 * tf.reduce_sum(a**2) + tf.reduce_sum(tf.math.log(tf.linalg.diag_part(L))) + 0.5 * 7 * np.log(2 * np.pi)


opt = keras.optimizers.Adam(0.1)
params = [log_l, log_s, log_n]
for i in range(15):
    with tf.GradientTape() as tape:
        loss = nll()
    opt.apply_gradients(zip(tape.gradient(loss, params), params))
    if i % 5 == 0:
        print(i, loss.numpy(), [round(float(tf.exp(p)), 4) for p in params])
K = kernel(X, X) + tf.exp(2 * log_n) * tf.eye(7, dtype=tf.float64)
L = tf.linalg.cholesky(K)
Ks = kernel(X, Xs)
mean = tf.transpose(Ks) @ tf.linalg.cholesky_solve(L, tf.constant(y))
V = tf.linalg.triangular_solve(L, Ks)
cov = kernel(Xs, Xs) - tf.matmul(V, V, transpose_a=True)
print(mean.numpy().ravel(), tf.sqrt(tf.linalg.diag_part(cov)).numpy())
with tf.GradientTape() as tape:
    K = kernel(X, X) + tf.exp(2 * log_n) * tf.eye(7, dtype=tf.float64)
    l2 = 0.5 * tf.squeeze(tf.transpose(y) @ tf.linalg.inv(K) @ y) + 0.5 * tf.linalg.logdet(K)
print(tape.gradient(l2, params))
try:
    tf.linalg.cholesky(tf.constant([[1.0, 2.0], [2.0, 1.0]]))
except tf.errors.InvalidArgumentError as e:
    print("not PD:", e.message)
with tf.GradientTape() as t:
    xs = tf.constant(Xs)
    t.watch(xs)
    m = tf.reduce_sum(kernel(xs, X) @ tf.linalg.cholesky_solve(L, tf.constant(y)))
print(t.gradient(m, xs))
# Kalman filter, log likelihood and its gradient
F = tf.constant([[1.0, 1.0], [0.0, 1.0]])
Hm = tf.constant([[1.0, 0.0]])
lq, lr = tf.Variable(-2.0), tf.Variable(0.0)
zs = [1.1, 1.9, 3.2, 3.9, 5.3]
with tf.GradientTape() as tape:
    xk, P, ll = tf.zeros([2, 1]), tf.eye(2) * 10.0, 0.0
    for z in zs:
        xk = F @ xk
        P = F @ P @ tf.transpose(F) + tf.exp(lq) * tf.eye(2)
        S = Hm @ P @ tf.transpose(Hm) + tf.exp(lr)
        innov = z - Hm @ xk
        Kg = P @ tf.transpose(Hm) @ tf.linalg.inv(S)
        xk = xk + Kg @ innov
        P = (tf.eye(2) - Kg @ Hm) @ P
        ll += -0.5 * tf.squeeze(innov**2 / S + tf.math.log(2 * np.pi * S))
print(ll, xk, P, tape.gradient(ll, [lq, lr]))
