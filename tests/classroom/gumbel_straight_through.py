"""Choices that gradients pass through, and some that they do not."""

import numpy as np
import tensorflow as tf

logits = tf.Variable([[0.5, 1.0, -0.3], [2.0, 0.1, 0.1]])
u = tf.constant(np.random.RandomState(0).uniform(size=(2, 3)).astype("float32"))


def gumbel_softmax(logits, temperature, hard=False):
    y = tf.nn.softmax((logits - tf.math.log(-tf.math.log(u + 1e-20) + 1e-20)) / temperature)
    if hard:
        y_hard = tf.cast(tf.equal(y, tf.reduce_max(y, 1, keepdims=True)), y.dtype)
        y = tf.stop_gradient(y_hard - y) + y
    return y


values = tf.constant([1.0, 10.0, 100.0])
for tau in (0.1, 1.0, 10.0):
    for hard in (False, True):
        with tf.GradientTape() as tape:
            s = gumbel_softmax(logits, tau, hard)
            out = tf.reduce_sum(s * values)
        print(tau, hard, s.numpy().round(3).tolist(), tape.gradient(out, logits).numpy().round(4).tolist())


# binary neuron
@tf.custom_gradient
def binarize(x):
    def grad(dy):
        return tf.where(tf.abs(x) <= 1.0, dy, tf.zeros_like(dy))

    return tf.sign(x), grad


w = tf.Variable([-2.0, -0.5, 0.0, 0.5, 2.0])
with tf.GradientTape(persistent=True) as tape:
    a = tf.reduce_sum(binarize(w) * [1.0, 2.0, 3.0, 4.0, 5.0])
    b = tf.reduce_sum(tf.sign(w))
    c = tf.reduce_sum(w + tf.stop_gradient(tf.round(w) - w))
    d = tf.reduce_sum(tf.round(w))
print(tape.gradient(a, w), tape.gradient(b, w), tape.gradient(c, w), tape.gradient(d, w))
hardmax = tf.one_hot(tf.argmax(logits, -1), 3)
with tf.GradientTape() as tape:
    l = tf.reduce_sum(tf.one_hot(tf.argmax(logits, -1), 3) * values)
print(hardmax, tape.gradient(l, logits))
# VQ: nearest codebook
codebook = tf.Variable([[0.0, 0.0], [1.0, 1.0], [-1.0, 2.0]])
z = tf.Variable([[0.2, 0.1], [0.9, 1.3]])
with tf.GradientTape() as tape:
    d = tf.reduce_sum((z[:, None] - codebook[None]) ** 2, -1)
    idx = tf.argmin(d, 1)
    q = tf.nn.embedding_lookup(codebook, idx)
    st = z + tf.stop_gradient(q - z)
    loss = (
        tf.reduce_mean((tf.stop_gradient(z) - q) ** 2)
        + 0.25 * tf.reduce_mean((z - tf.stop_gradient(q)) ** 2)
        + tf.reduce_sum(st)
    )
gz, gc = tape.gradient(loss, [z, codebook])
print(idx, gz, gc, tf.convert_to_tensor(gc))
