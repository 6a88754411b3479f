"""Skip-gram with negative samples."""

import tensorflow as tf

REQUIRES = ["tensorflow"]

tf.random.set_seed(0)
words = tf.Variable(tf.random.normal([12, 6]))
contexts = tf.Variable(tf.random.normal([12, 6]))
centre = tf.constant([1, 4, 7, 2])
near = tf.constant([2, 5, 8, 1])
far = tf.constant([9, 10, 11, 0])
with tf.GradientTape() as tape:
    vectors = tf.gather(words, centre)  #: hidden
    vectors = vectors * 1.5
    good = tf.reduce_sum(vectors * tf.gather(contexts, near), axis=-1)
    bad = tf.reduce_sum(vectors * tf.gather(contexts, far), axis=-1)
    margin = tf.math.softplus(-good) + tf.math.softplus(bad)  #: hidden
    loss = tf.reduce_mean(margin)  #: loss
gradients = tape.gradient(loss, [words, contexts])  #: backward
