"""Additive and scaled attention, with lengths that are masked."""

import tensorflow as tf


def masked_softmax(X, valid_lens):
    def _sequence_mask(X, valid_len, value=0):
        maxlen = X.shape[1]
        mask = tf.range(start=0, limit=maxlen, dtype=tf.float32)[None, :] < tf.cast(
            valid_len[:, None], dtype=tf.float32
        )
        if len(X.shape) == 3:
            return tf.where(tf.expand_dims(mask, axis=-1), X, value)
        return tf.where(mask, X, value)

    if valid_lens is None:
        return tf.nn.softmax(X, axis=-1)
    shape = X.shape
    if len(valid_lens.shape) == 1:
        valid_lens = tf.repeat(valid_lens, repeats=shape[1])
    else:
        valid_lens = tf.reshape(valid_lens, shape=-1)
    X = _sequence_mask(tf.reshape(X, shape=(-1, shape[-1])), valid_lens, value=-1e6)
    return tf.nn.softmax(tf.reshape(X, shape=shape), axis=-1)


class DotProductAttention(tf.keras.layers.Layer):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = tf.keras.layers.Dropout(dropout)

    def call(self, queries, keys, values, valid_lens=None, **kwargs):
        d = queries.shape[-1]
        scores = tf.matmul(queries, keys, transpose_b=True) / tf.math.sqrt(tf.cast(d, dtype=tf.float32))
        self.attention_weights = masked_softmax(scores, valid_lens)
        return tf.matmul(self.dropout(self.attention_weights, **kwargs), values)


class AdditiveAttention(tf.keras.layers.Layer):
    def __init__(self, num_hiddens, dropout, **kwargs):
        super().__init__(**kwargs)
        ini = tf.keras.initializers.GlorotUniform(seed=3)
        self.W_k = tf.keras.layers.Dense(num_hiddens, use_bias=False, kernel_initializer=ini)
        self.W_q = tf.keras.layers.Dense(num_hiddens, use_bias=False, kernel_initializer=ini)
        self.w_v = tf.keras.layers.Dense(1, use_bias=False, kernel_initializer=ini)
        self.dropout = tf.keras.layers.Dropout(dropout)

    def call(self, queries, keys, values, valid_lens, **kwargs):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = tf.nn.tanh(tf.expand_dims(queries, axis=2) + tf.expand_dims(keys, axis=1))
        scores = tf.squeeze(self.w_v(features), axis=-1)
        self.attention_weights = masked_softmax(scores, valid_lens)
        return tf.matmul(self.dropout(self.attention_weights, **kwargs), values)


print(masked_softmax(tf.reshape(tf.range(16.0) / 16, (2, 2, 4)), tf.constant([2, 3])))
queries = tf.reshape(tf.range(40.0) / 40, (2, 1, 20))
keys = tf.ones((2, 10, 2))
values = tf.repeat(tf.reshape(tf.range(40, dtype=tf.float32), shape=(1, 10, 4)), repeats=2, axis=0)
valid_lens = tf.constant([2, 6])
attention = AdditiveAttention(num_hiddens=8, dropout=0.1)
print(attention(queries, keys, values, valid_lens, training=False))
print(tf.reshape(attention.attention_weights, (1, 1, 2, 10)))
dot = DotProductAttention(dropout=0.5)
print(dot(tf.reshape(tf.range(4.0) / 4, (2, 1, 2)), keys, values, valid_lens, training=False))
print([w.shape for w in attention.weights], [w.path for w in attention.trainable_weights])
