"""Keras 2, as tf_keras has it, in a loop of one's own."""

import tensorflow as tf
import tf_keras

REQUIRES = ["tf_keras", "tensorflow"]

tf_keras.utils.set_random_seed(0)
x = tf.random.normal([6, 4])  #: data
y = tf.random.normal([6, 1])  #: target
model = tf_keras.Sequential([tf_keras.layers.Dense(8, activation="elu", input_shape=(4,))])
last = tf_keras.layers.Dense(1)  #: layer
last.build((None, 8))
optimizer = tf_keras.optimizers.SGD(0.05)
weights = [*model.trainable_variables, last.kernel, last.bias]
for _ in range(2):
    with tf.GradientTape() as tape:
        features = model(x)  #: hidden
        prediction = last(features)  #: hidden
        loss = tf.reduce_mean(tf_keras.losses.mse(y, prediction))  #: loss
    gradients = tape.gradient(loss, weights)  #: backward
    optimizer.apply_gradients(zip(gradients, weights, strict=True))
