"""Normalizing flows."""

import numpy as np
import tensorflow as tf

keras = tf.keras


class Coupling(keras.layers.Layer):
    def __init__(self, mask, seed, **kw):
        super().__init__(**kw)
        self.mask = tf.constant(mask, tf.float32)
        ki = lambda i: keras.initializers.RandomNormal(stddev=0.3, seed=seed + i)
        self.s = keras.Sequential(
            [
                keras.layers.Dense(6, "relu", kernel_initializer=ki(0)),
                keras.layers.Dense(2, "tanh", kernel_initializer=ki(1)),
            ]
        )
        self.t = keras.Sequential(
            [keras.layers.Dense(6, "relu", kernel_initializer=ki(2)), keras.layers.Dense(2, kernel_initializer=ki(3))]
        )

    def call(self, x, inverse=False):
        x_masked = x * self.mask
        rev = 1 - self.mask
        s = self.s(x_masked) * rev
        t = self.t(x_masked) * rev
        if inverse:
            return x_masked + rev * (x - t) * tf.exp(-s), -tf.reduce_sum(s, 1)
        return x_masked + rev * (x * tf.exp(s) + t), tf.reduce_sum(s, 1)


layers = [Coupling([0, 1], 1), Coupling([1, 0], 11)]


def log_prob(x):
    ld = tf.zeros(tf.shape(x)[0])
    for l in layers[::-1]:
        x, d = l(x, inverse=True)
        ld += d
    return tf.reduce_sum(-0.5 * x**2 - 0.5 * np.log(2 * np.pi), 1) + ld


x = tf.constant(np.random.RandomState(0).randn(12, 2).astype("float32") * 0.5 + 1)
opt = keras.optimizers.Adam(1e-2)
params = None
for i in range(8):
    with tf.GradientTape() as tape:
        nll = -tf.reduce_mean(log_prob(x))
    params = [v for l in layers for v in l.trainable_variables]
    opt.apply_gradients(zip(tape.gradient(nll, params), params))
print("nll", nll.numpy(), len(params))
z, d1 = layers[0](x)
back, d2 = layers[0](z, inverse=True)
print(np.allclose(back, x, atol=1e-5), np.allclose(d1, -d2, atol=1e-5))
with tf.GradientTape() as tape:
    tape.watch(x)
    z, ld = layers[0](x)
J = tape.batch_jacobian(z, x)
print(J.shape, np.allclose(tf.linalg.slogdet(J).log_abs_determinant, ld, atol=1e-4))
# planar flow
u, w, b = tf.Variable([[0.5, -1.0]]), tf.Variable([[1.0, 1.0]]), tf.Variable(0.1)


def planar(z):
    uw = tf.reduce_sum(u * w)
    u_hat = u + (tf.math.softplus(uw) - 1 - uw) * w / tf.reduce_sum(w**2)
    lin = tf.matmul(z, w, transpose_b=True) + b
    psi = (1 - tf.tanh(lin) ** 2) @ w
    return z + u_hat * tf.tanh(lin), tf.math.log(tf.abs(1 + tf.matmul(psi, u_hat, transpose_b=True)))


with tf.GradientTape() as tape:
    fz, logdet = planar(x)
    loss = tf.reduce_mean(fz**2) - tf.reduce_mean(logdet)
print(loss, tape.gradient(loss, [u, w, b]))
