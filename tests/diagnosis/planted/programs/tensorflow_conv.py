"""Convolutions by hand on images."""

import tensorflow as tf

REQUIRES = ["tensorflow"]

tf.random.set_seed(0)
images = tf.random.normal([2, 8, 8, 1])  #: data
labels = tf.constant([0, 2])
kernel = tf.Variable(tf.random.normal([3, 3, 1, 4], stddev=0.3))  #: weight
dense = tf.Variable(tf.random.normal([4, 3]))  #: weight
with tf.GradientTape() as tape:
    maps = tf.nn.conv2d(images, kernel, strides=1, padding="SAME")  #: hidden
    maps = tf.nn.softplus(maps)
    pooled = tf.reduce_mean(maps, axis=[1, 2])  #: hidden
    logits = pooled @ dense  #: hidden logits
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf.reduce_mean(losses)  #: loss
gradients = tape.gradient(loss, [kernel, dense])  #: backward
