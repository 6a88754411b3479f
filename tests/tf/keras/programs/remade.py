"""Layers and models that are made again from what others tell, built for the same shapes."""

from __future__ import annotations

import numpy as np

from tests.framework_programs import fails
from tests.tf.keras.material import answer_or_error

SERIES = np.linspace(-1.0, 1.0, 24, dtype="float32").reshape(2, 3, 4)


def _told(tf, layer):
    """Whether a layer is built, by which paths its weights go, and what they are."""
    return [layer.built, layer.get_build_config(), [[each.path, each] for each in layer.weights]]


def layers_that_hold_others_made_again(tf):
    k = tf.keras.layers
    makes = (
        lambda: k.RNN(k.SimpleRNNCell(2)),
        lambda: k.RNN([k.GRUCell(2), k.LSTMCell(3)]),
        lambda: k.Bidirectional(k.GRU(2)),
        lambda: k.TimeDistributed(k.Dense(2)),
        lambda: tf.keras.Sequential([k.Dense(2), k.GRU(3), k.Dense(1)]),
    )
    seen = []
    for number, make in enumerate(makes):
        layer = make()
        before = type(layer).from_config(layer.get_config())
        seen.append([before.built, len(before.weights)])
        layer(SERIES)
        tf.keras.utils.set_random_seed(number)
        seen.append([_told(tf, type(layer).from_config(layer.get_config()))[0::2], layer.get_build_config()])
    return seen


def a_bidirectional_layer_of_one_that_is_built(tf):
    seen = []
    for built in (False, True):
        inner = tf.keras.layers.LSTM(2)
        if built:
            inner.build((None, 3, 4))
        tf.keras.utils.set_random_seed(5)
        layer = tf.keras.layers.Bidirectional(inner)
        seen.append([[each.path for each in layer.weights], layer(SERIES), [each.path for each in layer.weights]])
    return seen


def a_graph_made_again(tf):
    k = tf.keras.layers

    class Two(k.Layer):
        def build(self, x_shape, y_shape):
            self.w = self.add_weight(shape=(x_shape[-1] + y_shape[-1],), initializer="glorot_normal", name="w")

        def call(self, x, y):
            return tf.concat([x, y], -1) * self.w

    one, two = tf.keras.Input((3, 4)), tf.keras.Input((3, 4))
    ends = [k.MultiHeadAttention(2, 2)(one, two), k.TimeDistributed(k.Dense(2))(one), k.BatchNormalization()(two)]
    ends.append(k.Bidirectional(k.GRU(2))(one))
    told = tf.keras.Model([one, two], [*ends, Two()(one, two)]).get_config()["layers"]
    config = tf.keras.Model([one, two], ends).get_config()
    tf.keras.utils.set_random_seed(3)
    again = tf.keras.Model.from_config(config)
    built = [[each["name"], each.get("build_config")] for each in told]
    return built, [each.path for each in again.weights], again([SERIES, SERIES])


def what_a_layer_was_built_for(tf):
    k = tf.keras.layers
    dense = k.Dense(2)
    seen = [dense.get_build_config()]
    dense.build((None, 4))
    other = k.Dense(2)
    other.build_from_config(dense.get_build_config())
    attention = k.MultiHeadAttention(1, 2)
    attention.build((None, 3, 4), (None, 5, 4))
    again = k.MultiHeadAttention(1, 2)
    again.build_from_config(attention.get_build_config())
    seen += [dense.get_build_config(), other.built, [each.shape.as_list() for each in other.weights]]
    return [*seen, attention.get_build_config(), len(again.weights), k.Dropout(0.5).get_build_config()]


def _own_layer(tf):
    class Own(tf.keras.layers.Layer):
        def __init__(self, n=2, **kwargs):
            super().__init__(**kwargs)
            self.n = n

        def call(self, x):
            return x * self.n

        def get_config(self):
            return {**super().get_config(), "n": self.n}

    return Own


def registered_classes_and_functions(tf):
    utils, layers = tf.keras.utils, tf.keras.layers
    own = utils.register_keras_serializable(package="mine", name="Scaled")(_own_layer(tf))

    @utils.register_keras_serializable()
    def triple(x):
        return x * 3.0

    try:
        told, dense = layers.serialize(own(4, name="o")), layers.Dense(2, activation=triple)
        model = tf.keras.Sequential([tf.keras.Input((2,)), own(5)])
        return [
            [told["class_name"], told["registered_name"], layers.deserialize(told).n],
            tf.keras.Sequential.from_config(model.get_config()).layers[-1].n,
            [dense.get_config()["activation"], layers.Dense.from_config(dense.get_config()).activation(2.0)],
            [utils.get_registered_name(each) for each in (own, triple, layers.Dense)],
            [utils.get_registered_object("mine>Scaled") is own, utils.get_registered_object("none")],
            sorted(utils.get_custom_objects()),
            answer_or_error(lambda: tf.keras.activations.get("triple")),
        ]
    finally:
        utils.get_custom_objects().clear()


def a_scope_of_custom_objects(tf):
    own, layers = _own_layer(tf), tf.keras.layers
    told = {"class_name": "Own", "config": {"n": 3}}
    with tf.keras.utils.custom_object_scope({"Own": own}):
        found = [layers.deserialize(told).n, layers.deserialize(layers.serialize(own(4))).n]
    by_name = layers.deserialize(layers.serialize(own(5)), custom_objects={"Own": own}).n
    outside = answer_or_error(lambda: layers.deserialize(told))
    return [found, by_name, outside, answer_or_error(lambda: layers.deserialize("Dense"))]


@fails
def a_registered_class_without_config(tf):
    return tf.keras.utils.register_keras_serializable()(type("Bare", (), {}))
