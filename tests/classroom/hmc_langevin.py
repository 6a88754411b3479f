"""Hamiltonian Monte Carlo and Langevin dynamics."""

import tensorflow as tf

tf.random.set_seed(0)
A = tf.constant([[2.0, 0.8], [0.8, 1.0]])
prec = tf.linalg.inv(A)


def U(q):
    return 0.5 * tf.reduce_sum(q * tf.linalg.matvec(prec, q))


def grad_U(q):
    with tf.GradientTape() as t:
        t.watch(q)
        u = U(q)
    return t.gradient(u, q)


def leapfrog(q, p, eps, L):
    p = p - eps / 2 * grad_U(q)
    for i in range(L):
        q = q + eps * p
        if i < L - 1:
            p = p - eps * grad_U(q)
    return q, -(p - eps / 2 * grad_U(q))


q = tf.zeros(2)
accepted = 0
chain = []
for i in range(15):
    p = tf.random.normal([2])
    qn, pn = leapfrog(q, p, 0.2, 8)
    dH = U(q) + tf.reduce_sum(p**2) / 2 - U(qn) - tf.reduce_sum(pn**2) / 2
    if tf.math.log(tf.random.uniform([])) < dH:
        q = qn
        accepted += 1
    chain.append(q)
chain = tf.stack(chain)
print(accepted, chain[-3:], tf.reduce_mean(chain, 0))
g = tf.random.Generator.from_seed(3)
x = tf.Variable(tf.zeros([5, 2]))
for i in range(10):
    with tf.GradientTape() as t:
        e = tf.reduce_sum(tf.map_fn(U, x))
    x.assign_add(-0.1 * t.gradient(e, x) + tf.sqrt(0.2) * g.normal([5, 2]))
print(x)
s = tf.random.stateless_normal([3], seed=[1, 2])
print(s, tf.random.stateless_uniform([2], [5, 6], maxval=10, dtype=tf.int32))


# SVGD
def rbf(x, h=1.0):
    d = tf.reduce_sum((x[:, None] - x[None]) ** 2, -1)
    return tf.exp(-d / h)


with tf.GradientTape() as t:
    K = tf.reduce_sum(rbf(x))
print(t.gradient(K, x))
