"""A model of Keras' functional interface, its gradients taken by a tape."""

import keras
import tensorflow as tf

REQUIRES = ["keras", "tensorflow"]

keras.utils.set_random_seed(0)
given = keras.Input((4,))
model = keras.Model(given, keras.layers.Dense(8, activation="softplus")(given))
last = keras.layers.Dense(1)  #: layer
last.build((None, 8))
x = tf.random.normal([6, 4])  #: data
y = tf.random.normal([6, 1])  #: target
weights = [*model.trainable_variables, last.kernel, last.bias]
with tf.GradientTape() as tape:
    features = model(x)  #: hidden
    prediction = last(features)  #: hidden
    loss = tf.reduce_mean(tf.square(prediction - y))  #: loss
gradients = tape.gradient(loss, weights)  #: backward
