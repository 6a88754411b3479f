"""Small Keras programs with a `train_step` of their own, run in both frameworks."""

from __future__ import annotations

import numpy as np

from tests.tf.keras.material import SHARES, X, Y, filled


def fit_with_an_own_step(tf):
    class Own(tf.keras.Sequential):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                y_pred = self(x, training=True)
                loss = self.compute_loss(y=y, y_pred=y_pred)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply(gradients, self.trainable_variables)
            return {"cost": loss}

    model = filled(Own([tf.keras.Input((3,)), tf.keras.layers.Dense(1)]))
    model.compile(optimizer="sgd", loss="mse")
    return model.fit(X, Y, epochs=2, verbose=0, shuffle=False).history


def train_step_as_it_was_once_written(tf):
    class Model(tf.keras.Model):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                y_pred = self(x, training=True)
                loss = self.compiled_loss(y, y_pred, regularization_losses=self.losses)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply(gradients, self.trainable_variables)
            self.compiled_metrics.update_state(y, y_pred)
            return {metric.name: metric.result() for metric in self.metrics}

    place = tf.keras.Input((3,))
    model = filled(Model(place, tf.keras.layers.Dense(1, kernel_regularizer="l2")(place)))
    model.compile("sgd", "mse", metrics=["mae"])
    history = model.fit(X, Y, epochs=2, batch_size=2, shuffle=False, verbose=0)
    return [history.history, list(history.history), model.train_step((tf.constant(X), tf.constant(Y)))]


def steps_that_tell_of_what_the_model_measures(tf):
    """Only metrics of other names than the model's own are reported as the steps tell them."""

    def _model(told):
        class Told(tf.keras.Sequential):
            def train_step(self, data):
                loss = tf.reduce_mean((self(data[0]) - data[1]) ** 2)
                return dict.fromkeys(told, loss)

            test_step = train_step

        model = Told([tf.keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile("sgd")
        return model

    models = [_model(told) for told in (["loss"], ["mine"], ["loss", "mine"])]
    trained = [model.fit(X, Y, epochs=2, verbose=0).history for model in models]
    return [trained, [model.evaluate(X, Y, verbose=0, return_dict=True) for model in models]]


def python_in_a_step(tf):
    """Keras makes a graph of a step, in which AutoGraph rewrites nothing; what runs eagerly has values."""

    def _trained(look, **options):
        class Looking(tf.keras.Sequential):
            def train_step(self, data):
                loss = tf.reduce_mean((self(data[0]) - data[1]) ** 2)
                return {"mine": look(loss)}

        model = Looking([tf.keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile("sgd", **options)
        try:
            return model.fit(X, Y, verbose=0).history
        except Exception as error:
            return type(error).__name__

    scale = tf.Variable(2.0)
    looks = (
        lambda loss: loss.numpy(),
        float,
        lambda loss: loss * float(scale),
        lambda loss: loss if scale > 0 else -loss,
        np.mean,
        lambda loss: loss if loss > 0 else -loss,
        lambda loss: tf.cond(loss > 0, lambda: loss, lambda: -loss),
        lambda loss: (f"{loss:.3f}", loss)[1],
    )
    return [[_trained(look, **options) for look in looks] for options in ({}, {"run_eagerly": True})]


def what_train_step_is_given(tf):
    seen = []

    class Model(tf.keras.Model):
        def train_step(self, data):
            seen.append(tf.nest.map_structure(lambda each: tuple(each.shape), data))
            return {"loss": tf.constant(0.0)}

    model = Model()
    model.compile("sgd", run_eagerly=True)
    dataset = tf.data.Dataset.from_tensor_slices(X).batch(2)
    for args in ((X,), ([X],), ([X, Y],), (X, Y), (X, [Y]), ({"a": X},), (dataset,), (X, Y, 4, 1)):
        model.fit(*args, verbose=0)
    model.fit(X, Y, sample_weight=SHARES, verbose=0)
    model.fit(X, verbose=0, validation_split=0.0, batch_size=3)
    return [(type(each).__name__, each) for each in seen]
