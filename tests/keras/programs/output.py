"""Small Keras programs on models of several outputs, their losses and metrics. Run in both frameworks."""

from __future__ import annotations

import numpy as np

from tests.framework_programs import fails
from tests.keras.material import SHARES, X, Y, filled, network


def _two_outputs(tf):
    place = tf.keras.Input((3,))
    inner = tf.keras.layers.Dense(3, activation="tanh", name="inner")(place)
    up = tf.keras.layers.Dense(1, name="up")(inner)
    down = tf.keras.layers.Dense(2, name="down")(inner)
    return filled(tf.keras.Model(place, [up, down]))


def _learned(model, labels, weights=None, **told):
    model.compile("sgd", **told)
    history = model.fit(X, labels, sample_weight=weights, epochs=2, batch_size=2, shuffle=False, verbose=0)
    return [
        history.history,
        list(history.history),
        model.evaluate(X, labels, sample_weight=weights, verbose=0),
        model.train_on_batch(X, labels, sample_weight=weights),
        model.test_on_batch(X, labels, return_dict=True),
        model.metrics_names,
        model.get_weights(),
    ]


SIDES = [Y, np.concatenate([Y, -Y], axis=1)]


def one_loss_for_two_outputs(tf):
    return _learned(_two_outputs(tf), SIDES, loss="mse", metrics=["mae", "mse"])


def a_list_of_losses(tf):
    return _learned(_two_outputs(tf), SIDES, loss=["mse", "mae"], loss_weights=[1.0, 0.5], metrics=[["mae"], None])


def a_dict_of_losses(tf):
    told = {"loss": {"up": "mse", "down": tf.keras.losses.Huber()}, "loss_weights": {"up": 0.5, "down": 2.0}}
    return _learned(_two_outputs(tf), SIDES, **told, metrics={"down": ["mae", "mse"]})


def a_dict_of_labels(tf):
    return _learned(_two_outputs(tf), {"down": SIDES[1], "up": SIDES[0]}, loss="mse")


def a_loss_for_one_of_two_outputs(tf):
    model = _two_outputs(tf)
    model.compile("sgd", ["mse", None])
    return model.fit(X, [Y], epochs=2, verbose=0, shuffle=False).history


def losses_of_a_subclass(tf):
    class Two(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.up, self.down = tf.keras.layers.Dense(1), tf.keras.layers.Dense(2)

        def call(self, inputs):
            return self.up(inputs), self.down(inputs)

    def far(y_true, y_pred):
        return tf.reduce_mean(tf.abs(y_true - y_pred), axis=-1)

    model = Two()
    model(X)
    return _learned(filled(model), SIDES, loss=[far, "mse"])


def outputs_in_a_dict(tf):
    place = tf.keras.Input((3,))
    ends = {"b": tf.keras.layers.Dense(1, name="up")(place), "a": tf.keras.layers.Dense(2, name="down")(place)}
    labels = {"a": SIDES[1], "b": SIDES[0]}
    return _learned(filled(tf.keras.Model(place, ends)), labels, loss={"a": "mse", "b": "mae"}, metrics={"a": ["mae"]})


def _outputs_by_name(tf):
    place = tf.keras.Input((3,))
    ends = {"b": tf.keras.layers.Dense(1, name="up")(place), "a": tf.keras.layers.Dense(2, name="down")(place)}
    return filled(tf.keras.Model(place, ends)), {"a": SIDES[1], "b": SIDES[0]}


def losses_are_told_in_the_order_of_their_dict(tf):
    found = []
    for loss in ({"a": "mse", "b": "mae"}, {"b": "mae", "a": "mse"}, "mse", ["mse", "mae"], {"b": "mae"}):
        model, labels = _outputs_by_name(tf)
        model.compile("sgd", loss)
        found += [model.evaluate(X, labels, verbose=0), model.metrics_names, model.train_on_batch(X, labels)]
    return found


@fails
def loss_of_an_output_that_is_not_there(tf):
    model, labels = _outputs_by_name(tf)
    return _learned(model, labels, loss={"a": "mse", "c": "mae"})


@fails
def losses_by_name_of_outputs_without_names(tf):
    class Two(tf.keras.Model):
        def call(self, inputs):
            return inputs, 2.0 * inputs

    return _learned(Two(), [X, X], loss={"a": "mse", "b": "mae"})


@fails
def losses_for_another_number_of_outputs(tf):
    return _learned(_two_outputs(tf), SIDES, loss=["mse", "mae", "mse"])


@fails
def weights_for_another_number_of_losses(tf):
    return _learned(_two_outputs(tf), SIDES, loss=["mse", "mae"], loss_weights=[1.0])


@fails
def metrics_for_another_number_of_outputs(tf):
    return _learned(_two_outputs(tf), SIDES, loss="mse", metrics=["mse", "mae", "mse"])


@fails
def losses_of_other_names(tf):
    return _learned(_two_outputs(tf), SIDES, loss={"up": "mse", "sideways": "mae"})


@fails
def metrics_that_are_no_list(tf):
    return _two_outputs(tf).compile("sgd", "mse", metrics="mae")


def metrics_with_weights(tf):
    model = network(tf, tf.keras.layers.Dense(1))
    return _learned(model, Y, SHARES, loss="mse", metrics=["mae"], weighted_metrics=["mae", "mse"])


def metrics_of_two_outputs_with_weights(tf):
    return _learned(_two_outputs(tf), SIDES, SHARES, loss="mse", weighted_metrics=[["mae"], ["mse"]])


def what_compile_leaves(tf):
    model = network(tf, tf.keras.layers.Dense(1))
    before = [each.name for each in model.metrics]
    model.compile("sgd", "mse", metrics=["mae"])
    told = [model.loss, [each.name for each in model.metrics], type(model.optimizer).__name__]
    model.fit(X, Y, verbose=0)
    return [before, told, [each.name for each in model.metrics], model.metrics[1].result()]
