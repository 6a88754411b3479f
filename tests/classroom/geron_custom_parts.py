"""A loss, a metric, an initializer, a regularizer and a constraint of one's own."""

import numpy as np
import tensorflow as tf

keras = tf.keras


class HuberLoss(keras.losses.Loss):
    def __init__(self, threshold=1.0, **kwargs):
        self.threshold = threshold
        super().__init__(**kwargs)

    def call(self, y_true, y_pred):
        error = y_true - y_pred
        is_small_error = tf.abs(error) < self.threshold
        squared_loss = tf.square(error) / 2
        linear_loss = self.threshold * tf.abs(error) - self.threshold**2 / 2
        return tf.where(is_small_error, squared_loss, linear_loss)

    def get_config(self):
        base_config = super().get_config()
        return {**base_config, "threshold": self.threshold}


def my_softplus(z):
    return tf.math.log(1.0 + tf.exp(z))


def my_glorot_initializer(shape, dtype=tf.float32):
    stddev = tf.sqrt(2.0 / (shape[0] + shape[1]))
    return tf.random.normal(shape, stddev=stddev, dtype=dtype, seed=12)


def my_l1_regularizer(weights):
    return tf.reduce_sum(tf.abs(0.01 * weights))


def my_positive_weights(weights):
    return tf.where(weights < 0.0, tf.zeros_like(weights), weights)


class MyL1Regularizer(keras.regularizers.Regularizer):
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, weights):
        return tf.reduce_sum(tf.abs(self.factor * weights))

    def get_config(self):
        return {"factor": self.factor}


def create_huber(threshold=1.0):
    def huber_fn(y_true, y_pred):
        error = y_true - y_pred
        is_small_error = tf.abs(error) < threshold
        return tf.where(is_small_error, tf.square(error) / 2, threshold * tf.abs(error) - threshold**2 / 2)

    return huber_fn


class HuberMetric(keras.metrics.Metric):
    def __init__(self, threshold=1.0, **kwargs):
        super().__init__(**kwargs)
        self.threshold = threshold
        self.huber_fn = create_huber(threshold)
        self.total = self.add_weight(name="total", initializer="zeros")
        self.count = self.add_weight(name="count", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        sample_metrics = self.huber_fn(y_true, y_pred)
        self.total.assign_add(tf.reduce_sum(sample_metrics))
        self.count.assign_add(tf.cast(tf.size(y_true), tf.float32))

    def result(self):
        return self.total / self.count

    def get_config(self):
        return {**super().get_config(), "threshold": self.threshold}


rng = np.random.RandomState(42)
X = rng.randn(32, 4).astype("float32")
y = (X @ [[1.0], [-2.0], [0.5], [0.0]] + 0.3).astype("float32")
model = keras.models.Sequential(
    [
        keras.layers.Input(shape=(4,)),
        keras.layers.Dense(
            6,
            activation=my_softplus,
            kernel_initializer=my_glorot_initializer,
            kernel_regularizer=MyL1Regularizer(0.01),
        ),
        keras.layers.Dense(
            1,
            activation=my_softplus,
            kernel_initializer=my_glorot_initializer,
            kernel_regularizer=my_l1_regularizer,
            kernel_constraint=my_positive_weights,
        ),
    ]
)
model.compile(loss=HuberLoss(2.0), optimizer=keras.optimizers.Nadam(0.01), metrics=["mae", HuberMetric(2.0)])
h = model.fit(X, y, epochs=3, batch_size=8, shuffle=False, verbose=0)
for k in h.history:
    print(k, np.round(h.history[k], 4))
print(model.evaluate(X, y, verbose=0, return_dict=True))
m = HuberMetric(2.0)
print(
    m(tf.constant([[2.0]]), tf.constant([[10.0]])),
    m(tf.constant([[0.0], [5.0]]), tf.constant([[1.0], [9.25]])),
    m.result(),
)
print(m.variables)
m.reset_state()
print(m.result())
print(HuberLoss(3.0, name="h").get_config(), HuberLoss(2.0)(np.zeros((2, 1)), np.ones((2, 1)) * 5))
print(m.get_config(), model.losses)
model.summary()
precision = keras.metrics.Precision()
print(
    precision([0, 1, 1, 1, 0, 1, 0, 1], [1, 1, 0, 1, 0, 1, 0, 1]),
    precision([0, 1, 0, 0, 1, 0, 1, 1], [1, 0, 1, 1, 0, 0, 0, 0]),
    precision.variables,
)
