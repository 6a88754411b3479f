"""Prices of options and their derivatives."""

import numpy as np
import tensorflow as tf


def norm_cdf(x):
    return 0.5 * (1.0 + tf.math.erf(x / tf.sqrt(tf.constant(2.0, tf.float64))))


S, K, T, r, sigma = (
    tf.Variable(v, dtype=tf.float64, name=n)
    for v, n in [(100.0, "S"), (105.0, "K"), (1.0, "T"), (0.05, "r"), (0.2, "sigma")]
)


def bs(S, K, T, r, sigma):
    d1 = (tf.math.log(S / K) + (r + sigma**2 / 2) * T) / (sigma * tf.sqrt(T))
    d2 = d1 - sigma * tf.sqrt(T)
    return S * norm_cdf(d1) - K * tf.exp(-r * T) * norm_cdf(d2)


with tf.GradientTape() as t2:
    with tf.GradientTape() as t1:
        price = bs(S, K, T, r, sigma)
    greeks = t1.gradient(price, {"delta": S, "vega": sigma, "theta": T, "rho": r})
    delta = greeks["delta"]
gamma, vanna = t2.gradient(delta, [S, sigma])
print(
    f"price {price:.6f}",
    {k: round(float(v), 6) for k, v in greeks.items()},
    f"gamma {gamma:.6f} vanna {vanna.numpy():.6f}",
)
# monte carlo pathwise
z = tf.constant(np.random.RandomState(0).randn(2000))
with tf.GradientTape() as tape:
    ST = S * tf.exp((r - sigma**2 / 2) * T + sigma * tf.sqrt(T) * z)
    mc = tf.exp(-r * T) * tf.reduce_mean(tf.nn.relu(ST - K))
print(mc, tape.gradient(mc, [S, sigma]))
with tf.GradientTape() as tape:
    digital = tf.reduce_mean(tf.cast(S * tf.exp(sigma * z) > K, tf.float64))
print(digital, tape.gradient(digital, S))
# implied vol by newton
iv = tf.Variable(0.5, dtype=tf.float64)
for i in range(6):
    with tf.GradientTape() as t:
        diff = bs(S, K, T, r, iv) - price
    iv.assign_sub(diff / t.gradient(diff, iv))
    print(i, iv.numpy())
H = []
with tf.GradientTape(persistent=True) as t2:
    with tf.GradientTape() as t1:
        p = bs(S, K, T, r, sigma)
    g = t1.gradient(p, [S, K, sigma])
print(tf.stack([tf.stack(t2.gradient(gi, [S, K, sigma])) for gi in g]))
