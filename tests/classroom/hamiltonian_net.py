"""A net that learns an energy; accelerations from a Lagrangian."""

import numpy as np
import tensorflow as tf

keras = tf.keras


class HNN(tf.Module):
    def __init__(self, hidden=8, seed=0):
        super().__init__()
        rng = np.random.RandomState(seed)
        self.w1 = tf.Variable(rng.randn(2, hidden), dtype=tf.float32)
        self.b1 = tf.Variable(tf.zeros(hidden))
        self.w2 = tf.Variable(rng.randn(hidden, 1), dtype=tf.float32)
        self.J = tf.constant([[0.0, 1.0], [-1.0, 0.0]])

    def hamiltonian(self, x):
        return tf.reduce_sum(tf.tanh(x @ self.w1 + self.b1) @ self.w2)

    @tf.function
    def time_derivative(self, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            H = self.hamiltonian(x)
        dH = tape.gradient(H, x)
        return dH @ tf.transpose(self.J)


theta = np.linspace(0, 2 * np.pi, 9)[:-1]
x = tf.constant(np.c_[np.cos(theta), np.sin(theta)], tf.float32)
dx = tf.stack([x[:, 1], -x[:, 0]], 1)
hnn = HNN()
opt = keras.optimizers.Adam(0.05)
for step in range(20):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.math.squared_difference(hnn.time_derivative(x), dx))
    g = tape.gradient(loss, hnn.trainable_variables, unconnected_gradients="zero")
    opt.apply_gradients(zip(g, hnn.trainable_variables))
    if step % 5 == 0:
        print("loss", loss.numpy())
print([v.shape.as_list() for v in hnn.trainable_variables])


# Lagrangian: accelerations from Hessian of L
def lagrangian(q, qd):
    return 0.5 * tf.reduce_sum(qd**2) * (1.0 + q[0] ** 2) + tf.cos(q[1])


q = tf.constant([0.3, -0.4])
qd = tf.constant([1.0, 0.5])
with tf.GradientTape(persistent=True) as t2:
    t2.watch([q, qd])
    with tf.GradientTape(persistent=True) as t1:
        t1.watch([q, qd])
        L = lagrangian(q, qd)
    dLdq = t1.gradient(L, q)
    dLdqd = t1.gradient(L, qd)
H = t2.jacobian(dLdqd, qd)
C = t2.jacobian(dLdqd, q)
qdd = tf.linalg.solve(H, (dLdq - tf.linalg.matvec(C, qd))[:, None])[:, 0]
print(H, C, qdd)
