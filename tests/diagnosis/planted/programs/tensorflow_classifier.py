"""A classifier of Keras layers in a loop of one's own."""

import keras
import tensorflow as tf

REQUIRES = ["keras", "tensorflow"]

keras.utils.set_random_seed(0)
inputs = tf.random.normal([8, 4])  #: data
labels = tf.constant([0, 1, 2, 0, 1, 2, 0, 1])
body = keras.layers.Dense(16, activation="tanh")  #: layer
head = keras.layers.Dense(3)
optimizer = keras.optimizers.Adam(1e-2)
entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
head(body(inputs))
weights = [body.kernel, body.bias, head.kernel, head.bias]
for _ in range(2):
    with tf.GradientTape() as tape:
        h = body(inputs)  #: hidden
        logits = head(h)  #: hidden logits
        loss = entropy(labels, logits)  #: loss
    gradients = tape.gradient(loss, weights)  #: backward
    optimizer.apply_gradients(zip(gradients, weights, strict=True))
