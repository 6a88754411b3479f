"""Ratings as products of looked-up rows."""

import numpy as np
import tensorflow as tf

keras = tf.keras

users = np.array([0, 0, 1, 2, 2, 3])
items = np.array([0, 1, 1, 2, 0, 3])
ratings = np.array([5, 3, 4, 1, 2, 5], np.float32)
U = tf.Variable(tf.random.normal([4, 3], stddev=0.3, seed=1), name="U")
V = tf.Variable(tf.random.normal([4, 3], stddev=0.3, seed=2), name="V")
bu = tf.Variable(tf.zeros(4))
mu = ratings.mean()
with tf.GradientTape() as tape:
    pred = tf.reduce_sum(tf.nn.embedding_lookup(U, users) * tf.gather(V, items), 1) + tf.gather(bu, users) + mu
    loss = tf.reduce_mean((pred - ratings) ** 2) + 0.01 * tf.nn.l2_loss(V)
g = tape.gradient(loss, [U, V, bu])
for x in g:
    print(isinstance(x, tf.IndexedSlices), x.shape, x.dtype)
print(g[0])
print(g[0].values.shape, g[0].indices, g[0].dense_shape)
print(tf.convert_to_tensor(g[0]))
print(g[2].values)
print(tf.math.unsorted_segment_sum(g[0].values, g[0].indices, 4) - tf.convert_to_tensor(g[0]))
for name, opt in {
    "sgd": keras.optimizers.SGD(0.1),
    "mom": keras.optimizers.SGD(0.1, momentum=0.9),
    "adam": keras.optimizers.Adam(0.05),
    "adagrad": keras.optimizers.Adagrad(0.1),
    "rms": keras.optimizers.RMSprop(0.01),
}.items():
    for _ in range(3):
        with tf.GradientTape() as tape:
            pred = tf.reduce_sum(tf.nn.embedding_lookup(U, users) * tf.gather(V, items), 1) + tf.gather(bu, users) + mu
            loss = tf.reduce_mean((pred - ratings) ** 2)
        opt.apply_gradients(zip(tape.gradient(loss, [U, V, bu]), [U, V, bu]))
    print(name, loss.numpy())
clipped, gn = tf.clip_by_global_norm(g, 0.1)
print(gn, isinstance(clipped[0], tf.IndexedSlices), clipped[1])
clip2 = [tf.clip_by_norm(x, 0.1) for x in g]
print([isinstance(c, tf.IndexedSlices) for c in clip2])
U.scatter_sub(g[0])
print(U[0])
U.scatter_nd_add([[0, 0]], [1.0])
print(U[0, 0])


class RecommenderNet(keras.Model):
    def __init__(self, n, m, k, **kw):
        super().__init__(**kw)
        e = lambda s: keras.initializers.HeNormal(seed=s)
        self.ue = keras.layers.Embedding(
            n, k, embeddings_initializer=e(1), embeddings_regularizer=keras.regularizers.l2(1e-6)
        )
        self.ub = keras.layers.Embedding(n, 1, embeddings_initializer="zeros")
        self.ie = keras.layers.Embedding(m, k, embeddings_initializer=e(2))
        self.ib = keras.layers.Embedding(m, 1, embeddings_initializer="zeros")

    def call(self, inputs):
        uv, ub, iv, ib = self.ue(inputs[:, 0]), self.ub(inputs[:, 0]), self.ie(inputs[:, 1]), self.ib(inputs[:, 1])
        dot = tf.tensordot(uv, iv, 2)
        return tf.nn.sigmoid(dot + ub + ib)


m = RecommenderNet(4, 4, 3)
m.compile(loss=keras.losses.BinaryCrossentropy(), optimizer=keras.optimizers.Adam(0.01))
h = m.fit(np.c_[users, items], ratings / 5, batch_size=3, epochs=2, verbose=0, shuffle=False)
print(np.round(h.history["loss"], 4))
m.summary()
