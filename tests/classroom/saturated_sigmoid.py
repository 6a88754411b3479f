"""Sigmoids that saturate, and log(1 + exp(x)) done badly and well."""

import tensorflow as tf

inputs = tf.Variable([-100.0, -50.0, -10.0, -1.0, 0.0, 1.0, 10.0, 50.0, 100.0])
with tf.GradientTape() as tape:
    out = tf.nn.sigmoid(inputs)
grads = tape.gradient(out, inputs)
for v, o, g in zip(inputs.numpy(), out.numpy(), grads.numpy()):
    print("%8.1f  %.6g  %.6g" % (v, o, g))
with tf.GradientTape() as tape:
    naive = tf.math.log(1 + tf.exp(inputs))
print(naive.numpy())
print(tape.gradient(naive, inputs).numpy())
with tf.GradientTape() as tape:
    stable = tf.math.softplus(inputs)
print(stable.numpy())
print(tape.gradient(stable, inputs).numpy())


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return tf.math.log(1 + e), grad


x = tf.constant(100.0)
with tf.GradientTape() as g:
    g.watch(x)
    y = log1pexp(x)
print(y, g.gradient(y, x))
logits = tf.constant([[1000.0, -1000.0], [0.0, 0.0]])
with tf.GradientTape() as tape:
    tape.watch(logits)
    p = tf.exp(logits) / tf.reduce_sum(tf.exp(logits), axis=-1, keepdims=True)
    l = -tf.reduce_mean(tf.math.log(p[:, 0]))
print(p, l, tape.gradient(l, logits))
try:
    tf.debugging.check_numerics(p, "probabilities")
except tf.errors.InvalidArgumentError as e:
    print(type(e).__name__, "probabilities" in e.message)
