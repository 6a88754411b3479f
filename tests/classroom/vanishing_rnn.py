"""A recurrent net whose gradients vanish and explode."""

import numpy as np
import tensorflow as tf

np.set_printoptions(precision=4, suppress=True)
T, H = 20, 4
for scale in (0.5, 1.0, 1.6):
    W = tf.Variable(scale * np.eye(H, dtype=np.float32), name="W")
    U = tf.Variable(0.1 * np.ones((2, H), np.float32), name="U")
    xs = tf.constant(np.sin(np.arange(T * 2)).reshape(T, 1, 2).astype(np.float32))
    hs = []
    with tf.GradientTape(persistent=True) as tape:
        h = tf.zeros([1, H])
        for t in range(T):
            h = tf.matmul(h, W) + xs[t] @ U
            hs.append(h)
        loss = tf.reduce_sum(hs[-1] ** 2)
    norms = [tf.norm(tape.gradient(loss, h_t)).numpy() for h_t in hs]
    print(scale, np.array(norms)[::4] / norms[-1])
    gW = tape.gradient(loss, W)
    clipped, norm = tf.clip_by_global_norm([gW], 1.0)
    print("norm before", norm, "after", tf.linalg.global_norm(clipped).numpy())
    del tape
# truncated back propagation
W = tf.Variable(0.9 * np.eye(H, dtype=np.float32))
U = tf.Variable(np.ones((2, H), "float32") * 0.1)
with tf.GradientTape() as tape:
    h = tf.zeros([1, H])
    for t in range(T):
        if t % 5 == 0:
            h = tf.stop_gradient(h)
        h = tf.tanh(h @ W + xs[t] @ U)
    loss = tf.reduce_mean(h)
print(tape.gradient(loss, {"W": W, "U": U}))
