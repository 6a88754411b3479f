"""Programs with layers of attention, products by equations, and what prepares data, run in both frameworks."""

from __future__ import annotations

from functools import partial

import numpy as np

from tests.tf.keras.material import errors, filled

_numbers = np.random.RandomState(4)
WORDS, OTHERS = (_numbers.normal(size=shape) for shape in ((2, 4, 5), (2, 3, 5)))
PICTURES = _numbers.normal(size=(2, 3, 2, 5))
SEEN = np.array([[True, True, True, False], [True, False, False, False]])
ROWS = np.float32([[1, 2, 3], [4, 5, 9], [0, 1, 2]])


def _through(tf, layer, *inputs, **options):
    """What a layer with some weights gives, their gradients and those of its inputs, and the paths of its weights."""
    layer(*inputs, **options)
    filled(layer)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        outputs = layer(*inputs, **options)
        loss = sum(tf.reduce_sum(tf.sin(each)) for each in tf.nest.flatten(outputs))
    gradients = tape.gradient(loss, [*tf.nest.flatten(inputs), *layer.trainable_variables])
    return [outputs, gradients, [(each.path, tuple(each.shape)) for each in layer.weights]]


def heads(tf):
    words, others = tf.constant(WORDS), tf.constant(OTHERS)
    layer = partial(tf.keras.layers.MultiHeadAttention, dtype="float64")
    of_itself = _through(tf, layer(2, 3, name="mha"), words, words)
    of_others = _through(tf, layer(2, 3, value_dim=4, use_bias=False), words, others)
    of_keys = _through(tf, layer(1, 2, output_shape=7), words, others, 2.0 * others)
    return [of_itself, of_others, of_keys]


def heads_that_are_shown(tf):
    words = tf.constant(WORDS)
    layer = tf.keras.layers.MultiHeadAttention(2, 3, dtype="float64")
    causal = _through(tf, layer, words, words, use_causal_mask=True, return_attention_scores=True)
    whole = _through(tf, layer, words, words, attention_mask=tf.constant(SEEN[:, None, :]))
    places = _through(tf, layer, words, words, value_mask=tf.constant(SEEN), return_attention_scores=True)
    queries = layer(words, words, query_mask=tf.constant(SEEN), use_causal_mask=True)
    return [causal, whole, places, queries[0, :3], queries[1, :1]]


def heads_over_pictures(tf):
    pictures, layer = tf.constant(PICTURES), partial(tf.keras.layers.MultiHeadAttention, dtype="float64")
    both = _through(tf, layer(2, 3, attention_axes=(1, 2), output_shape=(2, 3)), pictures, pictures)
    one = _through(tf, layer(2, 3, attention_axes=2), pictures, pictures)
    return [both, one]


def heads_behind_an_embedding_with_a_mask(tf):
    layers = tf.keras.layers
    words = tf.keras.Input((4,), dtype="int32")
    embedded = layers.Embedding(6, 5, mask_zero=True)(words)
    model = tf.keras.Model(words, layers.MultiHeadAttention(2, 3)(embedded, embedded))
    return filled(model)(tf.constant([[1, 2, 0, 0], [3, 4, 5, 0]]))[:, :2]


def heads_of_padding(tf):
    embedding = tf.keras.layers.Embedding(6, 5, mask_zero=True)
    embedding(tf.constant([[0]]))
    words, others = (filled(embedding)(tf.constant(rows)) for rows in ([[1, 2, 0], [0, 0, 0]], [[3, 0], [4, 5]]))
    layer = tf.keras.layers.MultiHeadAttention(2, 3, kernel_initializer=tf.keras.initializers.Constant(0.1))
    return list(layer(words, others, return_attention_scores=True))  # Keras forgets these masks at the next call


def heads_on_placeholders(tf):
    layers = tf.keras.layers
    place = tf.keras.Input((None, 5))
    layer = layers.MultiHeadAttention(2, 3)
    output, weights = layer(place, place, return_attention_scores=True)
    built = layers.MultiHeadAttention(2, 3, name="built")
    built.build((2, 4, 5), (2, 3, 6))
    shapes = [layers.MultiHeadAttention(2, 3).compute_output_shape((2, 4, 5), (2, 3, 5)), output.shape, weights.shape]
    return [shapes, [each.path for each in built.weights], layer.get_config(), layer.count_params()]


def heads_that_are_refused(tf):
    words, layers = tf.constant(WORDS), tf.keras.layers
    return errors(
        lambda: layers.MultiHeadAttention(0, 3),
        lambda: layers.MultiHeadAttention(2, -1),
        lambda: layers.MultiHeadAttention(2, 3)(words),
        lambda: layers.MultiHeadAttention(2, 3)(words, words[:1]),
        lambda: layers.MultiHeadAttention(2, 3)(words[0], words[0]),
        lambda: layers.MultiHeadAttention(2, 3, attention_axes=5)(words, words),
    )


def scores_of_lists(tf):
    words, others = tf.constant(WORDS), tf.constant(OTHERS)
    scores, sums = (
        partial(each, dtype="float64") for each in (tf.keras.layers.Attention, tf.keras.layers.AdditiveAttention)
    )
    return [
        _through(tf, scores(), [words, others]),
        _through(tf, scores(use_scale=True), [words, others, 2.0 * others], return_attention_scores=True),
        _through(tf, scores(use_scale=True, score_mode="concat"), [words, others]),
        _through(tf, sums(name="added"), [words, others]),
        _through(tf, sums(use_scale=False), [words, others]),
        _through(tf, scores(), [words, words], use_causal_mask=True),
        _through(tf, scores(), [words, words], mask=[None, tf.constant(SEEN)]),
        _through(tf, scores(), [words, words], mask=[tf.constant(SEEN), tf.constant(SEEN)]),
        [scores(use_scale=True, name="a").get_config(), sums(name="b").get_config()],
    ]


def lists_that_are_refused(tf):
    words, layer = tf.constant(WORDS), tf.keras.layers.Attention()
    return errors(
        lambda: layer(words),
        lambda: layer([words]),
        lambda: layer([words, words], mask=tf.constant(SEEN)),
        lambda: layer([words, words], mask=[tf.constant(SEEN)]),
        lambda: tf.keras.layers.Attention(score_mode="other"),
    )


def products_by_equations(tf):
    words, dense = tf.constant(WORDS), partial(tf.keras.layers.EinsumDense, dtype="float64")
    return [
        _through(tf, dense("abc,cd->abd", output_shape=(None, 6), bias_axes="d", name="e"), words),
        _through(tf, dense("...x,xy->...y", output_shape=6, bias_axes="y", activation="relu"), words),
        _through(tf, dense("ab...,bc->ac...", output_shape=6), words),
        _through(tf, dense("abc,cde->abde", output_shape=(None, 2, 3), bias_axes="de"), words),
        _through(tf, dense("abc,cde->abde", output_shape=(None, 2, 3), bias_axes="d"), words),
        dense("abc,cd->abd", output_shape=(None, 6), bias_axes="d", name="e").get_config(),
        dense("abc,cd->abd", output_shape=(None, 6))(tf.keras.Input((None, 5))).shape,
    ]


def equations_that_are_refused(tf):
    words, dense = tf.constant(WORDS), tf.keras.layers.EinsumDense
    return errors(
        lambda: dense("abc->ab", output_shape=3)(words),
        lambda: dense("abc,cd->abd", output_shape=(None, 3), bias_axes="z")(words),
        lambda: dense("abc,cd->abd", output_shape=(7, 3))(words),
        lambda: dense("abc,cd->abe", output_shape=(None, 3))(words),
    )


def data_are_normalized(tf):
    layers, rows = tf.keras.layers, tf.constant(ROWS)
    found = []
    for options in ({}, {"axis": None}, {"invert": True}, {"axis": 0}):
        layer = layers.Normalization(name="n", **options)
        layer.adapt(ROWS)
        weights = [(each.path, tuple(each.shape), str(each.dtype), each.trainable) for each in layer.weights]
        held = [each.numpy() for each in (layer.adapt_mean, layer.adapt_variance, layer.count)]
        found += [layer(rows), layer.mean, layer.variance, weights, held, layer.get_config()]
    given = layers.Normalization(mean=[1.0, 2.0, 3.0], variance=[4.0, 4.0, 1.0], name="g")
    batches = layers.Normalization()
    batches.adapt(tf.data.Dataset.from_tensor_slices(ROWS).batch(2))
    whole = layers.Normalization()
    whole.adapt(np.int32([[1], [2]]))
    far = layers.Normalization()
    far.adapt(np.float32([[10000.0], [10001.0]]))
    pairs = layers.Normalization()
    pairs.adapt(tf.data.Dataset.from_tensor_slices((ROWS, [0, 1, 2])).batch(2))
    found += [far(tf.constant([[10001.0]])), far.variance, pairs(rows)]
    return [found, given(rows), given.get_config(), batches(rows), whole(np.int32([[1]]))]


def data_that_cannot_be_normalized(tf):
    layers = tf.keras.layers
    return errors(
        lambda: layers.Normalization(mean=1.0),
        lambda: layers.Normalization(mean=[1.0, 2.0], variance=1.0),
        lambda: layers.Normalization(axis=5).adapt(ROWS),
        lambda: layers.Normalization().adapt(3),
        lambda: layers.Normalization(mean=0.0, variance=1.0).adapt(ROWS),
        lambda: layers.Normalization().build((3, None)),
    )


def data_are_rescaled(tf):
    layers = tf.keras.layers
    scaled, moved = layers.Rescaling(1 / 255, name="r"), layers.Rescaling(1 / 127.5, offset=-1)
    same = layers.Identity(name="i")
    model = tf.keras.Sequential([tf.keras.Input((2,), dtype="uint8"), scaled])
    return [
        [scaled(tf.constant([[1, 2]])), moved(np.uint8([[0, 255]])), model(np.uint8([[0, 255]]))],
        [same(tf.constant([1])), same.get_config(), scaled.get_config()],
    ]
