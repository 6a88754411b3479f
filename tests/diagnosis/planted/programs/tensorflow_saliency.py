"""Which inputs move the score of a class."""

import keras
import tensorflow as tf

REQUIRES = ["keras", "tensorflow"]

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(12, activation="tanh"), keras.layers.Dense(3)])
image = tf.random.normal([1, 6])  #: data
with tf.GradientTape() as tape:
    tape.watch(image)
    scores = model(image)  #: hidden
    loss = scores[0, 1] - tf.reduce_mean(scores)  #: loss
gradients = [tape.gradient(loss, image)]  #: backward
