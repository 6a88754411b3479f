"""Attention, rotary positions and gated units by einsum."""

import numpy as np
import tensorflow as tf

keras = tf.keras

rng = np.random.RandomState(0)
q, k, v = (tf.Variable(rng.randn(2, 3, 4, 5).astype("float32")) for _ in range(3))
with tf.GradientTape(persistent=True) as tape:
    s = tf.einsum("bqhd,bkhd->bhqk", q, k) * 5**-0.5 if False else tf.einsum("bhqd,bhkd->bhqk", q, k) / tf.sqrt(5.0)
    causal = tf.sequence_mask(tf.range(1, 5), 4)
    s = tf.where(causal, s, float("-inf"))
    w = tf.nn.softmax(s)
    o = tf.einsum("bhqk,bhkd->bqhd", w, v)
    o = tf.reshape(o, [2, 4, -1])
    loss = tf.reduce_mean(o**2)
print(
    w[0, 0],
    o.shape,
    [tf.reduce_sum(g).numpy() for g in tape.gradient(loss, [q, k, v])],
    tf.reduce_any(tf.math.is_nan(tape.gradient(loss, s))),
)


# rotary embeddings
def rope(x):
    d = x.shape[-1]
    inv = 1.0 / (10000 ** (tf.range(0, d, 2, dtype=tf.float32) / d))
    t = tf.range(x.shape[-2], dtype=tf.float32)
    f = tf.einsum("i,j->ij", t, inv)
    c, s = tf.cos(f), tf.sin(f)
    x1, x2 = x[..., ::2], x[..., 1::2]
    return tf.reshape(tf.stack([x1 * c - x2 * s, x1 * s + x2 * c], -1), x.shape)


x = tf.Variable(rng.randn(1, 3, 4).astype("float32"))
with tf.GradientTape() as tape:
    r = rope(x)
    l = tf.reduce_sum(r[0, 1] * r[0, 2])
print(r, tape.gradient(l, x))


# rms norm + swiglu + label smoothing + beam of topk
def rms(x, g):
    return x * tf.math.rsqrt(tf.reduce_mean(x**2, -1, keepdims=True) + 1e-6) * g


g = tf.Variable(tf.ones(4))
W, V = tf.Variable(rng.randn(4, 6).astype("float32")), tf.Variable(rng.randn(4, 6).astype("float32"))
with tf.GradientTape() as tape:
    h = rms(x, g)
    y = tf.nn.swish(h @ W) * (h @ V)
    ls = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)(tf.one_hot([[0, 1, 2]], 6), y)
print(ls, tape.gradient(ls, [g, x]))
vals, idx = tf.math.top_k(tf.nn.log_softmax(y[0]), k=2)
print(vals, idx, tf.gather(tf.range(6) * 10, idx), tf.gather(y[0], idx, batch_dims=1))
cum = tf.cumsum(tf.sort(tf.nn.softmax(y[0]), direction="DESCENDING"), axis=-1)
print(tf.reduce_sum(tf.cast(cum < 0.9, tf.int32), -1))
