"""Small Keras programs on models of several outputs, their losses and metrics. Run in both frameworks."""

from __future__ import annotations

import numpy as np

from tests.framework_programs import fails
from tests.tf.keras.material import SHARES, X, Y, answer_or_error, errors, filled, network


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


def several_losses_for_one_output(tf):
    """The first counts, and what the others would have come to stays zero."""
    inputs = tf.keras.Input((3,))
    found = []
    for told in (["mse"], ["mse", "mae"], ("mae", "mse", "mse")):
        for named, weights in ((False, None), (True, [2.0, 3.0, 4.0][: len(told)])):
            line = tf.keras.layers.Dense(1, kernel_initializer="ones", name="line")
            model = tf.keras.Model(inputs, line(inputs)) if named else tf.keras.Sequential([line])
            model.compile("sgd", told, loss_weights=weights, metrics=["mae"])
            scores = model.evaluate(X, Y, verbose=0), model.evaluate(X, [Y], verbose=0, return_dict=True)
            found.append([*scores, model.fit(X, Y, verbose=0).history, model.metrics_names])
    assert len(found[2][0]) == 4
    return found


def losses_and_labels_that_are_not_as_many_as_the_outputs(tf):
    inputs = tf.keras.Input((3,))
    layers = [tf.keras.layers.Dense(1, name=name) for name in "pq"]
    one, two = (tf.keras.Model(inputs, [layer(inputs) for layer in layers[:count]]) for count in (1, 2))
    one = tf.keras.Sequential(layers[:1])

    def score(model, told, labels):
        model.compile("sgd", told)
        return lambda: model.evaluate(X, labels, verbose=0)

    singles = [score(one, told, Y) for told in ([None, "mae"], ["mae", None], [None], [])]
    labels = (Y, [Y], [Y, Y, Y], None)
    pairs = [(told, each) for told in ("mse", ["mse", "mae", "mse"], ("mse", "mae")) for each in labels]
    return [errors(each) for each in singles], [errors(score(two, *pair)) for pair in pairs]


@fails
def a_loss_needs_labels(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model.fit(X, verbose=0)


def _text(call):
    """What it gives, or its error with what that says first."""
    try:
        return call()
    except Exception as error:
        return [type(error).__name__]


def inputs_by_names_and_by_their_number(tf):
    a, b, c = (tf.keras.Input((1,), name=name) for name in ("a", "b", None))
    x, add = tf.ones([2, 1]), tf.keras.layers.Add()
    models = [
        tf.keras.Model([a, b], add([a, b]), name="list"),
        tf.keras.Model({"p": a, "q": b}, add([a, b]), name="dict"),
        tf.keras.Model(c, c * 2.0, name="one"),
    ]
    given = [x, [x], {"a": x}, {"a": x, "b": x, "more": x}, {"p": x}, {"p": x, "q": x}, [x, x], [x, x, x]]
    given += [{"keras_tensor": x}, [[1.0, 2.0]], {}]
    found = [_text(lambda m=model, each=each: m(each)) for model in models for each in given]
    assert {True, False} == {isinstance(each, list) for each in found}
    return found, [answer_or_error(lambda m=model: m([x, None])) for model in models]
