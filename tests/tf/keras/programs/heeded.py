"""What layers heed of what is set on them, told to them, or said otherwise by a class below them."""

from __future__ import annotations

import numpy as np

from tests.framework_programs import fails

IMAGE = np.linspace(-1.0, 1.0, 36, dtype="float32").reshape(1, 3, 4, 3)


def _below(kind, **told):
    """A class below a layer of Keras, with a weight of its own."""

    class Weighed(kind):
        def build(self, input_shape):
            self.share = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="share")

        def call(self, inputs):
            return super().call(inputs) * self.share

    return Weighed(**told)


def a_class_below_one_without_weights_is_built_by_its_own_build(tf):
    layers = tf.keras.layers
    kinds = (
        layers.ReLU,
        layers.Activation,
        layers.MaxPooling2D,
        layers.Identity,
        layers.UnitNormalization,
        layers.GaussianNoise,
    )
    seen = []
    for kind, told in zip(kinds, ({}, {"activation": "tanh"}, {}, {}, {}, {"stddev": 0.5}), strict=True):
        layer = _below(kind, **told)
        before = layer.built
        seen.append([before, layer(IMAGE), layer.built, [each.path for each in layer.weights], kind(**told).built])
    return seen


def layers_whose_activation_is_taken_away(tf):
    layers = tf.keras.layers
    made = [
        layers.Dense(2, activation="softmax", kernel_initializer="ones"),
        layers.Conv2D(2, 2, activation="relu", kernel_initializer="ones"),
        layers.Conv2DTranspose(2, 2, activation="relu", kernel_initializer="ones", use_bias=False),
        layers.DepthwiseConv2D(2, activation="relu", depthwise_initializer="ones"),
        layers.SeparableConv2D(2, 2, activation="relu", depthwise_initializer="ones", pointwise_initializer="ones"),
        layers.EinsumDense("bhwc,cd->bhwd", (3, 4, 2), activation="relu", bias_axes="d", kernel_initializer="ones"),
    ]
    seen = []
    for layer in made:
        layer.build(IMAGE.shape)
        layer.activation = None
        with tf.GradientTape() as tape:
            outputs = layer(IMAGE)
        seen.append([outputs, tape.gradient(outputs, layer.trainable_variables)])
    return seen


def a_model_without_its_last_activation(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [tf.keras.Input((3,)), layers.Dense(2, activation="softmax", kernel_initializer="ones")]
    )
    before = model(IMAGE[0, 0])
    model.layers[-1].activation = None
    return before, model(IMAGE[0, 0]), model.predict(IMAGE[0, 0], verbose=0)


def padding_of_integers(tf):
    series = tf.constant([[[1, 2], [0, 0], [0, 3], [-1, -1]]])
    seen = []
    for value in (0.0, 0, -1, -1.0, 0.5):
        kept = tf.keras.layers.Masking(mask_value=value)(series)
        seen.append([kept, kept._keras_mask])
    return seen


def arguments_that_say_nothing_else_than_without_them(tf):
    layer = tf.keras.layers.BatchNormalization(synchronized=False, renorm=False)
    return layer(IMAGE), tf.keras.layers.LayerNormalization(rms_scaling=False)(IMAGE)


def what_attention_hands_on(tf):
    pair = [tf.constant(IMAGE[0]), tf.constant(IMAGE[0, :, ::-1])]
    seen = []
    for kind in (tf.keras.layers.Attention, tf.keras.layers.AdditiveAttention):
        layer = kind(use_scale=False, dropout=0.5, seed=3)
        seen.append(layer(pair, training=True, return_attention_scores=True))
        seen.append(layer(pair, return_attention_scores=True))
        masks = [np.array([[True, False]]), None]
        seen.append(
            [
                layer.compute_mask(inputs=pair, mask=masks),
                layer.compute_mask(pair),
                layer.compute_mask(pair, [None, None]),
            ]
        )
    return seen


@fails
def attention_with_a_mask_for_three(tf):
    layer = tf.keras.layers.Attention()
    return layer.compute_mask([IMAGE[0], IMAGE[0]], mask=IMAGE)


def log_softmax_over_axes(tf):
    log_softmax = tf.keras.activations.log_softmax
    axes = (-1, 0, (1, 2), (0, 3), (3,), (), None)
    place = tf.keras.Input((3, 4, 3))
    return [log_softmax(tf.constant(IMAGE), axis=each) for each in axes], log_softmax(place, axis=(1, 2)).shape


@fails
def log_softmax_over_an_axis_too_many(tf):
    return tf.keras.activations.log_softmax(tf.constant(IMAGE), axis=(1, 4))


def a_class_that_says_what_it_gives_on_placeholders(tf):
    class Counted(tf.keras.layers.Layer):
        def call(self, inputs):
            return tf.constant(float(inputs.numpy().size)), inputs

        def compute_output_spec(self, inputs):
            return tf.keras.Input(batch_shape=()), inputs

    counted, same = Counted()(place := tf.keras.Input((2,)))
    dense = tf.keras.layers.Dense(3)
    spec = dense.compute_output_spec(place)
    return [counted.shape, same.shape, same.dtype, spec.shape, spec.dtype, dense.built, spec.sparse, spec.ragged]


def initializers_cloned(tf):
    made = tf.keras.initializers.VarianceScaling(2.0, seed=3)
    again = made.clone()
    return [again is made, type(again).__name__, again.get_config() == made.get_config(), made((2, 2)), again((2, 2))]


def a_dtype_of_inputs(tf):
    return [tf.keras.layers.Dense(2).input_dtype, tf.keras.layers.Dense(2, dtype="float64").input_dtype]


def beginnings_of_refusals(tf):
    layers = tf.keras.layers
    refused = [
        lambda: layers.Cropping1D(2)(tf.ones([1, 3, 1])),
        lambda: layers.Cropping2D(2)(tf.ones([1, 3, 8, 1])),
        lambda: layers.Cropping2D(2)(tf.keras.Input((3, 8, 1))),
        lambda: layers.Reshape((-2, 5)),
        lambda: layers.Reshape((-1, 5, -1)),
        lambda: layers.Conv2D(4, 2, groups=0),
        lambda: layers.Conv2D(4, 2, groups=3),
        lambda: layers.Dropout(0.5, noise_shape="all"),
        lambda: layers.Dropout(0.5, noise_shape=3),
    ]
    return [_beginning(each) for each in refused]


def _beginning(refused):
    """The class of an error, and how its text begins."""
    try:
        refused()
    except Exception as error:
        own = str(error).rpartition("\x1b[1m")[2]  # behind what Keras says of the call
        return [type(error).__name__, own[:65]]
    return None


def masks_that_come_in_numbers(tf):
    pair, shares = (
        [tf.constant(IMAGE), tf.constant(IMAGE)],
        np.array([[[1.0, 0.0, 0.5], [0.0, 0.0, 2.0]]] * 2, "float32"),
    )
    masks = [tf.constant(each[None, :, None]) for each in shares.reshape(2, 6)[:, :3]]
    variables = [tf.keras.Variable(each) for each in masks]
    layers = (tf.keras.layers.Add(), tf.keras.layers.Maximum(), tf.keras.layers.Concatenate())
    return [each.compute_mask(pair, given) for each in layers for given in (masks, variables)]
