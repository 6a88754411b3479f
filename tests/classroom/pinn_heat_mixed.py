"""A net that solves the heat equation: second and mixed derivatives."""

import numpy as np
import tensorflow as tf

w = [
    tf.Variable(np.random.RandomState(i).randn(*s) * 0.5, dtype=tf.float64)
    for i, s in enumerate([(2, 6), (1, 6), (6, 1)])
]


def u_net(x, t):
    return tf.sin(tf.concat([x, t], 1) @ w[0] + w[1]) @ w[2]


x = tf.constant(np.linspace(0, 1, 5)[:, None])
t = tf.constant(np.linspace(0, 0.5, 5)[:, None])
with tf.GradientTape() as param_tape:
    with tf.GradientTape(persistent=True) as t2:
        t2.watch([x, t])
        with tf.GradientTape(persistent=True) as t1:
            t1.watch([x, t])
            u = u_net(x, t)
        u_x = t1.gradient(u, x)
        u_t = t1.gradient(u, t)
    u_xx = t2.gradient(u_x, x)
    u_xt = t2.gradient(u_x, t)
    u_tx = t2.gradient(u_t, x)
    residual = u_t - 0.1 * u_xx
    loss = tf.reduce_mean(residual**2) + tf.reduce_mean(u_net(tf.zeros_like(t), t) ** 2)
print(u_xx.numpy().ravel(), np.allclose(u_xt, u_tx))
print(tf.reduce_max(tf.abs(u_xt - u_tx)).numpy() < 1e-12, loss.dtype, residual.shape)
print(param_tape.gradient(loss, w))
# the bias of the last layer has no second derivative
b = tf.Variable(0.0, dtype=tf.float64)
with tf.GradientTape() as o:
    with tf.GradientTape() as i:
        i.watch(x)
        y = u_net(x, t) + b
    dy = i.gradient(y, x)
print(o.gradient(dy, b))
with tf.GradientTape() as o:
    with tf.GradientTape() as i:
        i.watch(x)
        y = u_net(x, t) + b
    dy = i.gradient(y, x)
print(o.gradient(dy, b, unconnected_gradients=tf.UnconnectedGradients.ZERO))
