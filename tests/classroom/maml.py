"""Learning to learn: gradients of gradient steps."""

import numpy as np
import tensorflow as tf

keras = tf.keras


def net(p, x):
    return tf.nn.relu(x @ p[0] + p[1]) @ p[2] + p[3]


rng = np.random.RandomState(0)
theta = [
    tf.Variable(rng.randn(1, 8).astype("float32"), name="w1"),
    tf.Variable(rng.randn(8).astype("float32"), name="b1"),
    tf.Variable(rng.randn(8, 1).astype("float32") * 0.3, name="w2"),
    tf.Variable(tf.zeros(1), name="b2"),
]


def task(k):
    x = np.linspace(-3, 3, 6, dtype="float32")[:, None]
    return x[::2], np.sin(x[::2] + k), x[1::2], np.sin(x[1::2] + k)


mse = lambda a, b: tf.reduce_mean(tf.square(a - b))
opt = keras.optimizers.Adam(0.01)
for it in range(5):
    with tf.GradientTape() as outer:
        total = 0.0
        for k in (0.0, 0.5):
            xs, ys, xq, yq = task(k)
            with tf.GradientTape() as inner:
                inner.watch(theta)
                l = mse(net(theta, xs), ys)
            g = inner.gradient(l, theta)
            fast = [p - 0.1 * gi for p, gi in zip(theta, g)]
            total += mse(net(fast, xq), yq)
        meta = total / 2
    mg = outer.gradient(meta, theta)
    opt.apply_gradients(zip(mg, theta))
    print(it, f"{meta.numpy():.5f}", [float(tf.norm(x)) for x in mg])
# first-order variant
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        l = mse(net(theta, xs), ys)
    g = [tf.stop_gradient(x) for x in inner.gradient(l, theta)]
    fast = [p - 0.1 * gi for p, gi in zip(theta, g)]
    m1 = mse(net(fast, xq), yq)
print([x.numpy().ravel()[:2] for x in outer.gradient(m1, theta)])
# with keras model: assign breaks the path
model = keras.Sequential([keras.layers.Input((1,)), keras.layers.Dense(1, kernel_initializer="ones")])
w = model.trainable_variables
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        l = mse(model(xs), ys)
    g = inner.gradient(l, w)
    for v, gi in zip(w, g):
        v.assign_sub(0.1 * gi)
    m = mse(model(xq), yq)
print(outer.gradient(m, w))
# hyperparameter gradient: learning rate
lr = tf.Variable(0.05)
w0 = tf.constant(2.0)
with tf.GradientTape() as t:
    w = w0
    for _ in range(5):
        with tf.GradientTape() as s:
            s.watch(w)
            l = (w - 1.0) ** 2 * (1 + tf.cos(w))
        w = w - lr * s.gradient(l, w)
    val = (w - 1.0) ** 2
print(val, t.gradient(val, lr))
