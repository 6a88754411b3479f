"""Gradients of decompositions; norms of matrices."""

import numpy as np
import tensorflow as tf

keras = tf.keras

A = tf.Variable(np.random.RandomState(0).randn(4, 3))
with tf.GradientTape(persistent=True) as t:
    s = tf.linalg.svd(A)[0]
    nuc = tf.reduce_sum(s)
    top = s[0]
    c = A - tf.reduce_mean(A, 0)
    cov = tf.matmul(c, c, transpose_a=True) / 3.0
    e, V = tf.linalg.eigh(cov)
    expl = e[-1] / tf.reduce_sum(e)
    q, r = tf.linalg.qr(A)
    ld = tf.linalg.slogdet(tf.transpose(A) @ A)[1]
    recon = (c @ V[:, -2:]) @ tf.transpose(V[:, -2:])
    V = tf.abs(V)
    err = tf.reduce_mean((recon - c) ** 2)
print(s, nuc, t.gradient(nuc, A), t.gradient(top, A))
print(e, expl, t.gradient(expl, A))
print(err, t.gradient(err, A))
print(t.gradient(ld, A), tf.abs(tf.linalg.diag_part(r)))
W = tf.Variable(np.random.RandomState(1).randn(3, 4).astype("float32"))
u = tf.Variable(tf.ones([1, 4]), trainable=False)


def spectral_norm(w, iters=5):
    uh = u
    for _ in range(iters):
        vh = tf.nn.l2_normalize(tf.matmul(uh, w, transpose_b=True))
        uh = tf.nn.l2_normalize(vh @ w)
    uh, vh = tf.stop_gradient(uh), tf.stop_gradient(vh)
    sigma = tf.squeeze(vh @ w @ tf.transpose(uh))
    u.assign(uh)
    return w / sigma, sigma


with tf.GradientTape() as t:
    wn, sig = spectral_norm(W)
    l = tf.reduce_sum(wn**2 * tf.range(12, dtype=tf.float32)[tf.newaxis, :4]) if False else tf.reduce_sum(wn**3)
print(sig, tf.linalg.svd(W, compute_uv=False)[0], t.gradient(l, W), u)
print(
    tf.linalg.norm(A, ord=2, axis=[0, 1]) if False else tf.norm(A, ord="fro", axis=[0, 1]),
    tf.linalg.matrix_rank(A),
    tf.linalg.trace(cov),
    tf.linalg.pinv(A).shape,
    tf.linalg.expm(cov)[0],
)


class SpectralDense(keras.layers.Layer):
    def __init__(self, units, **kw):
        super().__init__(**kw)
        self.units = units

    def build(self, s):
        self.w = self.add_weight(name="w", shape=(s[-1], self.units), initializer="ones")
        self.u = self.add_weight(name="u", shape=(1, self.units), initializer="ones", trainable=False)

    def call(self, x, training=None):
        v = tf.math.l2_normalize(tf.matmul(self.u, tf.transpose(self.w)))
        uu = tf.math.l2_normalize(tf.matmul(v, self.w))
        sigma = tf.matmul(tf.matmul(v, self.w), tf.transpose(uu))
        if training:
            self.u.assign(uu)
        return x @ (self.w / sigma)


sd = SpectralDense(2)
print(sd(tf.ones([1, 3]), training=True), sd.u, sd.weights)
# oja / deflation / power iteration with tf.while_loop
M = tf.constant([[4.0, 1.0], [1.0, 3.0]])
lam, vec = tf.while_loop(
    lambda l, x: True,
    lambda l, x: (tf.tensordot(x, tf.linalg.matvec(M, x), 1), tf.math.l2_normalize(tf.linalg.matvec(M, x))),
    (0.0, tf.constant([1.0, 0.0])),
    maximum_iterations=20,
)
print(lam, vec)
