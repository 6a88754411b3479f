"""Batch normalization by hand, as a layer."""

import numpy as np
import tensorflow as tf


def batch_norm(X, gamma, beta, moving_mean, moving_var, eps):
    inv = tf.cast(tf.math.rsqrt(moving_var + eps), X.dtype)
    inv *= gamma
    return X * inv + (beta - moving_mean * inv)


class BatchNorm(tf.keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def build(self, input_shape):
        weight_shape = [
            input_shape[-1],
        ]
        self.gamma = self.add_weight(name="gamma", shape=weight_shape, initializer="ones", trainable=True)
        self.beta = self.add_weight(name="beta", shape=weight_shape, initializer="zeros", trainable=True)
        self.moving_mean = self.add_weight(name="moving_mean", shape=weight_shape, initializer="zeros", trainable=False)
        self.moving_variance = self.add_weight(
            name="moving_variance", shape=weight_shape, initializer="ones", trainable=False
        )
        super().build(input_shape)

    def assign_moving_average(self, variable, value):
        momentum = 0.1
        delta = (1.0 - momentum) * variable + momentum * value
        return variable.assign(delta)

    @tf.function
    def call(self, inputs, training):
        if training:
            axes = list(range(len(inputs.shape) - 1))
            batch_mean = tf.reduce_mean(inputs, axes, keepdims=True)
            batch_variance = tf.reduce_mean(
                tf.math.squared_difference(inputs, tf.stop_gradient(batch_mean)), axes, keepdims=True
            )
            batch_mean = tf.squeeze(batch_mean, axes)
            batch_variance = tf.squeeze(batch_variance, axes)
            mean_update = self.assign_moving_average(self.moving_mean, batch_mean)
            variance_update = self.assign_moving_average(self.moving_variance, batch_variance)
            mean, variance = batch_mean, batch_variance
        else:
            mean, variance = self.moving_mean, self.moving_variance
        return batch_norm(inputs, moving_mean=mean, moving_var=variance, beta=self.beta, gamma=self.gamma, eps=1e-5)


bn = BatchNorm(name="bn")
X = tf.constant(np.random.RandomState(0).randn(8, 3).astype("float32") * 3 + 1)
with tf.GradientTape() as tape:
    y = bn(X, training=True)
    l = tf.reduce_sum(y**3)
g = tape.gradient(l, bn.trainable_variables)
print(g)
print(bn.gamma, bn.moving_mean.numpy(), bn.moving_variance.numpy())
print(bn(X, training=False)[0])
print(len(bn.weights), len(bn.non_trainable_weights))
ref = tf.keras.layers.BatchNormalization(momentum=0.9, epsilon=1e-5)
ref(X, training=True)
print(ref.moving_mean, ref(X)[0])
