"""An equation of motion that is learned, and its adjoint."""

import numpy as np
import tensorflow as tf

keras = tf.keras

W1 = tf.Variable(np.random.RandomState(0).randn(2, 10).astype("float32") * 0.3)
W2 = tf.Variable(np.random.RandomState(1).randn(10, 2).astype("float32") * 0.3)


def f(t, y):
    return tf.tanh((y**3) @ W1) @ W2


def rk4_step(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def odeint(f, y0, ts, method="rk4"):
    ys = [y0]
    for t0, t1 in zip(ts[:-1], ts[1:]):
        h = t1 - t0
        ys.append(rk4_step(f, t0, ys[-1], h) if method == "rk4" else ys[-1] + h * f(t0, ys[-1]))
    return tf.stack(ys)


A = tf.constant([[-0.1, 2.0], [-2.0, -0.1]])
ts = tf.linspace(0.0, 1.0, 6)
y0 = tf.constant([[2.0, 0.0]])
true = odeint(lambda t, y: (y**3) @ A, y0, ts)
print(ts, true[-1])
opt = keras.optimizers.RMSprop(1e-2)
for it in range(6):
    with tf.GradientTape() as tape:
        pred = odeint(f, y0, ts)
        loss = tf.reduce_mean(tf.abs(pred - true))
    grads = tape.gradient(loss, [W1, W2])
    opt.apply_gradients(zip(grads, [W1, W2]))
    print(it, float(loss))
# adjoint method against the tape
with tf.GradientTape() as tape:
    tape.watch(y0)
    yT = odeint(f, y0, ts, "euler")[-1]
    L = tf.reduce_sum(yT**2)
direct = tape.gradient(L, [y0, W1])
a = 2 * yT
states = odeint(f, y0, ts, "euler")
gW1 = tf.zeros_like(W1)
for k in reversed(range(len(ts) - 1)):
    h = ts[k + 1] - ts[k]
    yk = states[k]
    with tf.GradientTape() as tape:
        tape.watch(yk)
        fy = f(ts[k], yk)
    vy, vw = tape.gradient(fy, [yk, W1], output_gradients=a)
    a = a + h * vy
    gW1 += h * vw
print(np.allclose(direct[0], a, atol=1e-5), np.allclose(direct[1], gW1, atol=1e-5))
