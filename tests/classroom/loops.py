"""Loops, folds and branches."""

import tensorflow as tf


@tf.function
def fib(n):
    a, b = tf.constant(0), tf.constant(1)
    for _ in tf.range(n):
        a, b = b, a + b
    return a


print([int(fib(tf.constant(i))) for i in range(8)])
x = tf.Variable(2.0)


@tf.function
def collatz_like(x):
    n = tf.constant(0)
    while x > 0.1:
        x = x * 0.5
        n += 1
        if tf.equal(n % 2, 0):
            x = x + 0.01
    return x, n


with tf.GradientTape() as t:
    y, n = collatz_like(x)
print(y, n, t.gradient(y, x))
with tf.GradientTape() as t:
    c = tf.scan(lambda a, e: 0.9 * a + 0.1 * e, tf.constant([1.0, 2.0, 3.0]) * x, initializer=0.0)
print(c, t.gradient(c, x))
with tf.GradientTape() as t:
    c = tf.scan(lambda a, e: (a[0] + e, a[1] * e), tf.constant([1.0, 2.0, 3.0]) * x, initializer=(0.0, 1.0))
print(c, t.gradient(c[1][-1], x))
m = tf.map_fn(lambda r: tf.reduce_sum(r) / tf.reduce_max(r), tf.constant([[1.0, 2.0], [3.0, 4.0]]))
print(m)
m = tf.map_fn(
    lambda t: (t[0] + t[1], t[0] * t[1]),
    (tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])),
    fn_output_signature=(tf.float32, tf.float32),
)
print(m)
print(
    tf.vectorized_map(lambda r: tf.tensordot(r, r, 1), tf.constant([[1.0, 2.0], [3.0, 4.0]])),
    tf.foldl(lambda a, e: a * e, tf.constant([1.0, 2.0, 3.0])) if hasattr(tf, "foldl") else None,
)
i, s = tf.while_loop(
    lambda i, s: tf.less(i, 10), lambda i, s: [i + 1, s + tf.cast(i, tf.float32) * x], [tf.constant(0), 0.0]
)
print(i, s)
with tf.GradientTape() as t:
    ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    v = x
    for k in range(4):
        v = tf.sin(v)
        ta = ta.write(k, v)
    st = ta.stack()
print(st, t.gradient(st, x))
print(
    tf.cond(x > 1.0, lambda: x * 2, lambda: x / 2),
    tf.case([(x < 1.0, lambda: 1), (x < 5.0, lambda: 2)], default=lambda: 3) if hasattr(tf, "case") else None,
    tf.switch_case(tf.constant(1), {0: lambda: 10, 1: lambda: 20}) if hasattr(tf, "switch_case") else None,
)


def newton_sqrt(a):
    return tf.while_loop(lambda y: tf.abs(y * y - a) > 1e-4, lambda y: (0.5 * (y + a / y),), (a,))[0]


with tf.GradientTape() as t:
    r = newton_sqrt(x)
print(r, t.gradient(r, x))
