"""Nets on graphs: gather, segments, attention along edges."""

import numpy as np
import tensorflow as tf

keras = tf.keras

edges = tf.constant([[0, 1], [1, 2], [2, 0], [3, 2], [4, 3], [1, 0]])
src, dst = edges[:, 0], edges[:, 1]
h = tf.Variable(np.random.RandomState(0).randn(5, 3).astype("float32"), name="nodes")
W = tf.Variable(np.random.RandomState(1).randn(3, 4).astype("float32"))
a = tf.Variable(np.random.RandomState(2).randn(8, 1).astype("float32"))
with tf.GradientTape() as tape:
    msg = tf.gather(h @ W, src)
    agg = tf.math.unsorted_segment_sum(msg, dst, num_segments=5)
    deg = tf.math.unsorted_segment_sum(tf.ones_like(dst, tf.float32), dst, 5)
    out = tf.nn.relu(tf.math.divide_no_nan(agg, deg[:, None]))
    loss = tf.reduce_mean(out**2)
print(deg, out, tape.gradient(loss, [h, W]))
order = tf.argsort(dst, stable=True)
sd = tf.gather(dst, order)
with tf.GradientTape(persistent=True) as tape:
    z = h @ W
    e = tf.nn.leaky_relu(tf.concat([tf.gather(z, src), tf.gather(z, dst)], 1) @ a)[:, 0]
    mx = tf.math.unsorted_segment_max(e, dst, 5)
    ex = tf.exp(e - tf.gather(mx, dst))
    att = ex / tf.gather(tf.math.unsorted_segment_sum(ex, dst, 5), dst)
    gat = tf.math.unsorted_segment_sum(att[:, None] * tf.gather(z, src), dst, 5)
    mean = tf.math.segment_mean(tf.gather(z, tf.gather(src, order)), sd)
    mxs = tf.math.segment_max(tf.gather(z, tf.gather(src, order)), sd)
    l1, l2, l3 = tf.reduce_sum(gat**2), tf.reduce_sum(mean), tf.reduce_sum(mxs)
print(mx, att, tape.gradient(l1, [h, W, a]))
print(mean.shape, tape.gradient(l2, W), tape.gradient(l3, W))
A = tf.scatter_nd(edges, tf.ones(6), [5, 5])
A_hat = tf.minimum(A + tf.transpose(A), 1.0) + tf.eye(5)
d = tf.linalg.diag(tf.math.rsqrt(tf.reduce_sum(A_hat, 1)))
norm = d @ A_hat @ d
print(norm)


class GCN(keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units = units

    def build(self, shapes):
        self.w = self.add_weight(shape=(shapes[0][-1], self.units), initializer="ones", name="w")

    def call(self, inputs):
        x, adj = inputs
        return tf.einsum("ij,jk,kl->il", adj, x, self.w)


layer = GCN(2)
print(layer([h, norm]))
print(layer.w.path)
mask = tf.constant([True, False, True, False, False])
y = tf.constant([0, 0, 1, 0, 1])
with tf.GradientTape() as tape:
    logits = tf.boolean_mask(layer([h, norm]), mask)
    l = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(tf.boolean_mask(y, mask), logits))
print(l, tape.gradient(l, [h, layer.w]))
