"""Mixtures of densities."""

import numpy as np
import tensorflow as tf

keras = tf.keras

x = np.linspace(-1, 1, 10, dtype="float32")[:, None]
y = (x + 0.3 * np.sin(2 * np.pi * x)).astype("float32")
K = 3
model = keras.Sequential(
    [
        keras.layers.Input((1,)),
        keras.layers.Dense(8, activation="tanh", kernel_initializer=keras.initializers.GlorotUniform(seed=1)),
        keras.layers.Dense(3 * K, kernel_initializer=keras.initializers.GlorotUniform(seed=2)),
    ]
)


def mdn_loss(y, out):
    pi, mu, log_sigma = tf.split(out, 3, axis=-1)
    comp = -0.5 * tf.square((y - mu) / tf.exp(log_sigma)) - log_sigma - 0.5 * tf.math.log(2.0 * np.pi)
    return -tf.reduce_mean(tf.reduce_logsumexp(tf.nn.log_softmax(pi) + comp, axis=-1))


opt = keras.optimizers.Adam(0.02)
for i in range(10):
    with tf.GradientTape() as tape:
        loss = mdn_loss(y, model(x))
    opt.apply_gradients(zip(tape.gradient(loss, model.trainable_weights), model.trainable_weights))
    if i % 3 == 0:
        print(i, f"{loss:.4f}")
model.compile(loss=mdn_loss, optimizer=opt)
print(model.evaluate(y, x, verbose=0))
# EM-like gradient for gaussian mixture with softplus scale and Dirichlet prior (lgamma)
data = tf.constant([-2.0, -1.8, 0.1, 0.3, 3.0])
mu = tf.Variable([-1.0, 0.5, 2.0])
rho = tf.Variable(tf.zeros(3))
logit = tf.Variable(tf.zeros(3))
with tf.GradientTape(persistent=True) as tape:
    s = tf.math.softplus(rho) + 1e-3
    lp = tf.nn.log_softmax(logit) - tf.math.log(s) - 0.5 * ((data[:, None] - mu) / s) ** 2
    ll = tf.reduce_sum(tf.math.reduce_logsumexp(lp, 1))
    a = tf.exp(logit) + 1
    prior = (
        tf.math.lgamma(tf.reduce_sum(a))
        - tf.reduce_sum(tf.math.lgamma(a))
        + tf.reduce_sum((a - 1) * tf.nn.log_softmax(logit))
    )
resp = tf.nn.softmax(lp, axis=1)
print(resp, tape.gradient(ll, [mu, rho, logit]), prior, tape.gradient(prior, logit))
print(tf.math.lbeta(a), tf.math.digamma(a), tf.math.erf(data) if hasattr(tf.math, "erf") else None)
