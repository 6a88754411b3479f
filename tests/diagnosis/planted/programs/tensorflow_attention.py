"""Attention over a sequence, by hand."""

import tensorflow as tf

REQUIRES = ["tensorflow"]

tf.random.set_seed(0)
tokens = tf.random.normal([2, 5, 8])  #: data
wq = tf.Variable(tf.random.normal([8, 8], stddev=0.3))
wk = tf.Variable(tf.random.normal([8, 8], stddev=0.3))
wv = tf.Variable(tf.random.normal([8, 8], stddev=0.3))
with tf.GradientTape() as tape:
    query, key, value = tokens @ wq, tokens @ wk, tokens @ wv
    scores = tf.matmul(query, key, transpose_b=True) / 8.0**0.5  #: hidden
    attention = tf.nn.softmax(scores, axis=-1)
    context = attention @ value  #: hidden
    loss = tf.reduce_mean((context - tokens) ** 2)  #: loss
gradients = tape.gradient(loss, {"wq": wq, "wk": wk, "wv": wv})  #: backward
