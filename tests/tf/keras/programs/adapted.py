"""`Normalization` of what it is adapted to or told, and what layers tell that are made again or hold others."""

from __future__ import annotations

import warnings

import numpy as np

DATA = np.linspace(-3.0, 2.75, 24, dtype="float32").reshape(6, 4)


def _said(refused):
    """The class of an error."""
    try:
        refused()
    except Exception as error:
        return [type(error).__name__]
    return None


def adapted_to_batches_of_several_kinds(tf):
    dataset = tf.data.Dataset.from_tensor_slices(DATA)
    series = tf.data.Dataset.from_tensor_slices(DATA[:, 0]).batch(2)
    kinds = (DATA, tf.constant(DATA), [DATA[:2], DATA[2:]], (each for each in (DATA[:3], DATA[3:])), dataset.batch(4))
    seen = []
    for data in (*kinds, dataset):
        layer = tf.keras.layers.Normalization()
        layer.adapt(data)
        layer.adapt(data if data is not kinds[3] else [DATA])
        seen.append([layer.adapt_mean, layer.adapt_variance, layer(DATA)])
    layer = tf.keras.layers.Normalization(axis=None)
    layer.adapt(series)
    return seen, layer(DATA[:, 0]), tuple(layer.mean.shape)


def told_means_of_fewer_axes_than_are_kept(tf):
    pictures = np.linspace(0.0, 1.0, 24, dtype="float32").reshape(1, 3, 4, 2)
    means = (0.5, [0.25, 0.5], [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6], [0.7, 0.8]], [[0.25, 0.5]])
    seen = []
    for mean in means:
        layer = tf.keras.layers.Normalization(axis=(2, 3), mean=mean, variance=np.ones(np.shape(mean)) * 4.0)
        seen.append([layer(pictures), tuple(layer.mean.shape)])
    return seen


def refusals_to_adapt(tf):
    def adapt(*batches, built=None):
        layer = tf.keras.layers.Normalization()
        if built is not None:
            layer.build(built)
        for data in batches:
            layer.adapt(data)

    return [
        _said(lambda: adapt([])),
        _said(lambda: adapt(iter(()))),
        _said(lambda: adapt([3])),
        _said(lambda: adapt(3)),
        _said(lambda: adapt([DATA, DATA[:, :3]])),
        _said(lambda: adapt(DATA[:, :3], built=(None, 4))),
        _said(lambda: adapt(DATA, DATA[:, :2])),
        _said(lambda: tf.keras.layers.Normalization(mean=[[0.5]], variance=[[1.0]])),
        _said(lambda: tf.keras.layers.Softmax()(DATA, mask=np.ones((1, 6, 4), bool))),
    ]


def shapes_of_outputs_in_a_dict(tf):
    class Parted(tf.keras.layers.Layer):
        def call(self, inputs):
            return {"first": inputs[:, :1], "rest": [inputs[:, 1:]]}

        def compute_output_shape(self, input_shape):
            return {"first": (input_shape[0], 1), "rest": [(input_shape[0], input_shape[1] - 1)]}

    place = tf.keras.Input((4,))
    parts = Parted()(place)
    model = tf.keras.Model(place, parts["first"] + parts["rest"][0])
    return [parts["first"].shape, parts["rest"][0].shape, model(DATA)]


def both_directions_go_by_what_the_layer_was_told(tf):
    layers = tf.keras.layers
    made = [
        layers.Bidirectional(kind(1, use_cudnn=told)) for kind in (layers.GRU, layers.LSTM) for told in (False, "auto")
    ]
    plain = layers.Bidirectional(layers.SimpleRNN(1))
    told = [[each.forward_layer.use_cudnn, each.backward_layer.use_cudnn] for each in made]
    return told, hasattr(plain.forward_layer, "use_cudnn")


def outputs_of_models_made_again(tf):
    place = tf.keras.Input((4,), name="place")
    one, two = (tf.keras.layers.Dense(2, name=name)(place) for name in ("one", "two"))
    seen = []
    for outputs in ((one, two), [one, two], {"a": one, "b": (two, one)}):
        model = tf.keras.Model(place, outputs)
        again = tf.keras.Model.from_config(model.get_config())
        seen.append([type(each(DATA)).__name__ for each in (model, again)])
    return seen


def an_input_layer_by_its_former_argument(tf):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        layer = tf.keras.layers.InputLayer(input_shape=(4,))
    return layer.batch_shape, [str(each.message) for each in told]


def a_variable_of_an_initializer_without_a_shape(tf):
    return [_said(lambda: tf.keras.Variable("zeros")), _said(lambda: tf.keras.Variable(tf.keras.initializers.Ones()))]
