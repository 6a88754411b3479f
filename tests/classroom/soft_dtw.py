"""Alignment, sorting and transport that are differentiable; the forward algorithm."""

import tensorflow as tf


def softmin(*a, gamma=0.5):
    return -gamma * tf.reduce_logsumexp(tf.stack([-v / gamma for v in a]))


def soft_dtw(x, y):
    n, m = x.shape[0], len(y)
    R = {(0, 0): tf.constant(0.0)}
    for i in range(1, n + 1):
        R[i, 0] = tf.constant(1e6)
    for j in range(1, m + 1):
        R[0, j] = tf.constant(1e6)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            R[i, j] = (x[i - 1] - y[j - 1]) ** 2 + softmin(R[i - 1, j], R[i, j - 1], R[i - 1, j - 1])
    return R[n, m]


x = tf.Variable([0.0, 1.0, 2.0, 1.5])
y = tf.constant([0.2, 0.8, 1.9])
with tf.GradientTape() as t:
    d = soft_dtw(x, y)
print(d, t.gradient(d, x))
# differentiable sort: soft rank / NeuralSort / Sinkhorn
s = tf.Variable([2.0, 0.5, 1.0])


def neural_sort(s, tau=0.5):
    n = s.shape[0]
    A = tf.abs(s[:, None] - s[None])
    B = A @ tf.ones([n, 1])
    scal = tf.cast(n + 1 - 2 * (tf.range(n) + 1), tf.float32)
    C = s[:, None] @ scal[None]
    return tf.nn.softmax(tf.transpose(C - B) / tau, axis=-1)


with tf.GradientTape() as t:
    P = neural_sort(s)
    l = tf.reduce_sum((P @ s[:, None])[:, 0] * [1.0, 2.0, 3.0])
print(P, t.gradient(l, s))
with tf.GradientTape() as t:
    l = tf.reduce_sum(tf.sort(s) * [1.0, 2.0, 3.0])
print(t.gradient(l, s), tf.argsort(s, direction="DESCENDING"))
with tf.GradientTape() as t:
    r = tf.argsort(s)
    l = tf.reduce_sum(tf.cast(r, tf.float32) * s)
print(l, t.gradient(l, s))


def sinkhorn(C, eps=0.1, n=10):
    u, v = tf.zeros(3), tf.zeros(3)
    la = -tf.math.log(3.0)
    for _ in range(n):
        u = eps * (la - tf.reduce_logsumexp((v[None] - C) / eps, 1))
        v = eps * (la - tf.reduce_logsumexp((u[:, None] - C) / eps, 0))
    return tf.exp((u[:, None] + v[None] - C) / eps)


pts = tf.Variable([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
tgt = tf.constant([[0.1, 0.1], [0.2, 1.0], [1.0, 0.3]])
with tf.GradientTape() as t:
    C = tf.reduce_sum((pts[:, None] - tgt) ** 2, -1)
    Pm = sinkhorn(C)
    ot = tf.reduce_sum(Pm * C)
print(ot, tf.reduce_sum(Pm, 0), t.gradient(ot, pts))
# edit distance style / viterbi / forward algorithm
A = tf.Variable(tf.math.log([[0.7, 0.3], [0.4, 0.6]]))
em = tf.math.log([[0.9, 0.1], [0.2, 0.8]])
obs = [0, 1, 1, 0]
with tf.GradientTape() as t:
    alpha = tf.math.log([0.5, 0.5]) + em[:, obs[0]]
    for o in obs[1:]:
        alpha = tf.reduce_logsumexp(alpha[:, None] + tf.nn.log_softmax(A), axis=0) + em[:, o]
    ll = tf.reduce_logsumexp(alpha)
print(ll, t.gradient(ll, A))
delta = tf.math.log([0.5, 0.5]) + em[:, 0]
back = []
for o in obs[1:]:
    sc = delta[:, None] + A
    back.append(tf.argmax(sc, 0))
    delta = tf.reduce_max(sc, 0) + em[:, o]
path = [int(tf.argmax(delta))]
for b in reversed(back):
    path.insert(0, int(b[path[0]]))
print(path, delta)
