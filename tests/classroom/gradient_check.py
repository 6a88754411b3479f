"""Gradients beside finite differences."""

import numpy as np
import tensorflow as tf


def numeric_gradient(f, x, eps=1e-6):
    grad = np.zeros_like(x)
    it = np.nditer(x, flags=["multi_index"])
    while not it.finished:
        i = it.multi_index
        old = x[i]
        x[i] = old + eps
        fp = f(tf.constant(x)).numpy()
        x[i] = old - eps
        fm = f(tf.constant(x)).numpy()
        x[i] = old
        grad[i] = (fp - fm) / (2 * eps)
        it.iternext()
    return grad


def relative_error(a, b):
    return np.max(np.abs(a - b) / np.maximum(1e-8, np.abs(a) + np.abs(b)))


def analytic(f, x):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as t:
        t.watch(x)
        y = f(x)
    return t.gradient(y, x).numpy()


functions = {
    "softmax-xent": lambda x: tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 2, 1], logits=x)
    ),
    "tanh": lambda x: tf.reduce_sum(tf.tanh(x) ** 2),
    "norm": lambda x: tf.norm(x),
    "lse": lambda x: tf.reduce_sum(tf.reduce_logsumexp(x, axis=1)),
    "layernorm": lambda x: tf.reduce_sum(
        tf.square((x - tf.reduce_mean(x, -1, keepdims=True)) / tf.math.reduce_std(x, -1, keepdims=True))
        * tf.constant([1.0, 2.0, 3.0], tf.float64)
    ),
    "det": lambda x: tf.linalg.det(x),
    "cumprod": lambda x: tf.reduce_sum(tf.math.cumprod(x, axis=1)),
    "gelu": lambda x: tf.reduce_sum(tf.nn.gelu(x)),
    "topk": lambda x: tf.reduce_sum(tf.math.top_k(x, 2).values * [1.0, 3.0]),
}
x0 = np.random.RandomState(3).randn(3, 3)
for name, f in functions.items():
    g, n = analytic(f, x0.copy()), numeric_gradient(f, x0.copy())
    err = relative_error(g, n)
    print(f"{name:14s} ok={err < 1e-4}", np.round(g.ravel()[:3], 5))
theoretical, numerical = tf.test.compute_gradient(lambda x: tf.square(x) * 2.0, [tf.constant([1.0, 2.0])])
print(theoretical[0], np.round(numerical[0], 1))
