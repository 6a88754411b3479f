"""A model with a training step of its own, run by fit."""

import keras
import tensorflow as tf

REQUIRES = ["keras", "tensorflow"]
kept = []


class Regressor(keras.Model):
    def __init__(self):
        super().__init__()
        self.body = keras.layers.Dense(8, activation="tanh")  #: layer
        self.head = keras.layers.Dense(1)  #: layer

    def call(self, x):
        h = self.body(x)  #: hidden
        return self.head(h)

    def train_step(self, data):
        x, y = data
        weights = [self.body.kernel, self.head.kernel]
        with tf.GradientTape() as tape:
            prediction = self(x, training=True)  #: hidden
            loss = tf.reduce_mean((prediction - y) ** 2)  #: loss
        gradients = tape.gradient(loss, weights)  #: backward
        kept[:] = gradients
        self.optimizer.apply_gradients(zip(gradients, weights, strict=True))
        return {"loss": loss}


keras.utils.set_random_seed(0)
x = tf.random.normal([8, 4])  #: data
y = tf.random.normal([8, 1])  #: target
net = Regressor()
net(x)
net.compile(optimizer=keras.optimizers.SGD(0.1), run_eagerly=True)
net.fit(x, y, batch_size=4, epochs=1, verbose=0)
gradients = kept
