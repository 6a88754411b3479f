"""Keras programs that begin with `set_random_seed`: first weights, what is dropped, orders, whole trainings.

Each is run under TensorFlow and under tapeviz: `program(tf)` -> its results.
"""

from __future__ import annotations

import random
from functools import partial

import numpy as np


def _began(tf, seed=7):
    tf.keras.utils.set_random_seed(seed)
    return tf.keras.layers, np.random.rand(11, 3).astype(np.float32), np.random.rand(11, 1).astype(np.float32)


def _learned(model, x, y, **options):
    losses = model.fit(x, y, verbose=0, **options).history
    return losses, model.predict(x, verbose=0), model.get_weights(), random.random()


def random_ops_begin_anew_with_the_session(tf):
    _began(tf)
    drawn = tf.function(lambda: tf.random.uniform([3]))
    results = []
    for _ in range(2):
        results += [tf.random.uniform([3], seed=1), tf.random.uniform([3]), drawn(), drawn()]
        tf.keras.backend.clear_session()
    return results, tf.keras.layers.Dropout(0.5)(tf.ones([9]), training=True)


def layers_begin_as_in_keras(tf):
    k, x, _ = _began(tf)
    grown = [k.Dense(2), k.Dense(2, kernel_initializer="he_normal"), k.Dense(2, bias_initializer="random_normal")]
    rows = [k.LSTM(2), k.GRU(2), k.SimpleRNN(2), k.Bidirectional(k.GRU(2)), k.Conv1D(2, 2), k.SeparableConv1D(2, 2)]
    around = [k.MultiHeadAttention(2, 3, dropout=0.3), k.EinsumDense("abc,cde->abde", (None, 2, 4))]
    values = [each(x) for each in grown] + [each(x[None]) for each in rows + around[1:]]
    values.append(around[0](x[None], x[None], training=True))
    return values, k.Embedding(3, 2)(np.int32([2])), random.random()


def an_initializer_gives_the_same_numbers_again(tf):
    _began(tf)
    i = tf.keras.initializers
    made = [i.RandomNormal(), i.GlorotUniform(), i.get("orthogonal"), i.VarianceScaling(2.0, "fan_out"), i.he_normal()]
    return [[bool(np.all(each([3, 2]) == each([3, 2]))), each([3, 2]), each.get_config()] for each in made]


def noise_goes_on_from_call_to_call(tf):
    k, x, _ = _began(tf)
    made = [k.Dropout(0.5), k.Dropout(0.5, seed=3), k.Dropout(0.4, (None, 1)), k.GaussianNoise(0.5), k.Dropout(0.0)]
    made += [k.GaussianDropout(0.3), k.AlphaDropout(0.3, seed=1)]
    found = [[each(x, training=True), each(x), each(x, training=True)] for each in made]
    rows = [k.SpatialDropout1D(0.5), k.LSTM(2, dropout=0.3, recurrent_dropout=0.2), k.GRU(2, dropout=0.5, seed=2)]
    found += [[each(x[None], training=True), each(x[None], training=True)] for each in rows]
    dropout = tf.nn.experimental.stateless_dropout
    return found, dropout(x, 0.5, [1, 2]), dropout(x, 0.0, [1]), dropout(x, 0.5, seed=[3, 4], noise_shape=[11, 1])


def dropout_in_a_model_of_placeholders(tf):
    k, x, _ = _began(tf)
    start, drop = tf.keras.Input((3,)), k.Dropout(0.5)
    model = tf.keras.Model(start, drop(drop(start)))
    return model(x, training=True), model(x, training=True), drop(x, training=True)


def training_is_the_same_number_by_number(tf):
    k, x, y = _began(tf)
    model = tf.keras.Sequential([k.Dense(4, activation="relu"), k.Dropout(0.5), k.Dense(1)])
    model.compile("adam", "mse", metrics=["mae"])
    return _learned(model, x, y, epochs=2, batch_size=4, validation_split=0.2)


def training_on_a_shuffled_dataset(tf):
    k, x, y = _began(tf)
    model = tf.keras.Sequential([tf.keras.Input((3,)), k.Dense(1)])
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    pairs = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(5)
    return _learned(model, pairs.batch(4), None, epochs=3), [each for each, _ in pairs.take(2)]


def _unhurried(tf, data):
    """A dataset in front of which TensorFlow puts no thread that begins the next pass when it has the time."""
    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = False
    return data.with_options(options)


def training_on_datasets_of_all_kinds(tf):
    def found(pipeline, **options):
        k, x, y = _began(tf)
        model = tf.keras.Sequential([tf.keras.Input((3,)), k.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
        pairs = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(11)
        data = _unhurried(tf, pipeline(pairs))
        held = {"validation_data": data, "validation_steps": options["validation_steps"]} if options else {}
        losses = model.fit(data, epochs=4, verbose=0, **(options | held)).history
        return losses, model.evaluate(data, verbose=0), [each for each, _ in pairs.take(2)]

    made = [
        lambda s: s.filter(lambda x, y: True).batch(4),
        lambda s: s.batch(4).unbatch().batch(3).shuffle(2),
        lambda s: s.repeat(2).batch(4),
        lambda s: s.scan(0.0, lambda state, pair: (state, pair)).concatenate(s).batch(5),
    ]
    steps = [{"steps_per_epoch": each, "validation_steps": each} for each in (2, 3, 4)]
    return [found(each) for each in made], [found(lambda s: s.shuffle(3).batch(4), **each) for each in steps]


def epochs_of_so_many_steps_go_on(tf):
    k, x, y = _began(tf)
    model = tf.keras.Sequential([tf.keras.Input((3,)), k.Dense(1)])
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    return _learned(model, x, y, epochs=3, batch_size=3, steps_per_epoch=3)


def a_seed_is_an_integer(tf):
    found = []
    for seed in ("a", 1.5, None, -1):
        try:
            tf.keras.utils.set_random_seed(seed)
        except Exception as error:
            found.append(type(error).__name__)
    return found


def a_layers_seed_is_an_integer(tf):
    k, found = tf.keras.layers, []
    made = [partial(each, 0.5) for each in (k.Dropout, k.GaussianNoise, k.GaussianDropout, k.AlphaDropout)]
    made += [partial(each, 2) for each in (k.LSTM, k.GRU, k.SimpleRNN)]
    for each in made:
        for seed in ("a", 1.5, np.int64(3), [1]):
            try:
                found.append(each(seed=seed).name)
            except Exception as error:
                found.append(type(error).__name__)
    return found, k.Dropout(0.0, seed="a")(np.ones(2, np.float32), training=True)


def a_loop_of_ones_own_over_a_shuffled_dataset(tf):
    k, x, y = _began(tf)
    pairs = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(11, seed=1).batch(4, drop_remainder=True)
    model = tf.keras.Sequential([k.Dense(3, "tanh"), k.Dropout(0.2), k.Dense(1)])
    optimizer, losses = tf.keras.optimizers.SGD(0.1, momentum=0.9), []
    for _ in range(2):
        for some, wanted in pairs:
            with tf.GradientTape() as tape:
                loss = tf.keras.losses.MeanSquaredError()(wanted, model(some, training=True))
            slopes = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(slopes, model.trainable_variables, strict=True))
            losses.append(loss)
    return losses, model.get_weights()


def noise_by_ops_of_random_in_a_layer(tf):
    layers, x, y = _began(tf)

    class Noise(layers.Layer):
        def call(self, inputs):
            return inputs + tf.random.normal(tf.shape(inputs)) + tf.random.uniform([], seed=2)

    model = tf.keras.Sequential([tf.keras.Input((3,)), Noise(), layers.Dense(1)])
    model.compile("sgd", "mse")
    found = [_learned(model, x, y, epochs=2, batch_size=4), model.evaluate(x, y, verbose=0), model.train_on_batch(x, y)]
    found.append(model.fit(x, y, batch_size=4, verbose=0).history)
    model.compile("sgd", "mse")
    found.append(_learned(model, x, y, batch_size=4))
    model.compile("sgd", "mse", run_eagerly=True)
    return found, _learned(model, x, y, batch_size=4)


def losses_of_several_outputs_over_a_smaller_last_batch(tf):
    layers, x, y = _began(tf)
    given = tf.keras.Input((3,))
    model = tf.keras.Model(given, [layers.Dense(1, name="a")(given), layers.Dense(1, name="b")(given)])
    model.compile("sgd", {"a": "mse", "b": "mae"})
    found = [_learned(model, x, [y, y], batch_size=4, validation_data=(x, [y, y]), validation_batch_size=3)]
    found += [model.evaluate(x, [y, y], batch_size=4, verbose=0), model.train_on_batch(x[:3], [y[:3], y[:3]])]
    model.compile("sgd", {"a": "mse", "b": "mae"}, run_eagerly=True)
    return found, _learned(model, x, [y, y], batch_size=4, validation_split=0.5, validation_batch_size=2)


def masks_reach_layers_on_placeholders(tf):
    layers, _, _ = _began(tf)

    class Shares(layers.Layer):
        def __init__(self, **options):
            super().__init__(**options)
            self.supports_masking = True

        def call(self, inputs, mask=None):
            counted = tf.cast(mask, inputs.dtype)[..., None]
            powers = tf.exp(inputs) * counted
            return powers / tf.reduce_sum(powers, axis=1, keepdims=True)

    words, series = np.int32([[1, 2, 0], [3, 0, 0]]), np.float32([[[1, 2], [3, 1], [0, 0]]])
    given = tf.keras.Input((None,), dtype="int32")
    place = layers.Embedding(10, 4, mask_zero=True)(given)
    tagged = layers.LSTM(3, return_sequences=True)(place)
    model = tf.keras.Model(given, Shares()(layers.Dense(1)(tagged)))
    stacked = tf.keras.Sequential([layers.Masking(), layers.TimeDistributed(layers.Dense(2)), Shares()])
    masks = [getattr(each, "_keras_mask", None) for each in (given, place, tagged, layers.LSTM(3)(place))]
    return model(words), stacked(series), [each if each is None else (each.shape, each.dtype) for each in masks]


def recurrent_masks_of_calls_that_drop_nothing(tf):
    layers = tf.keras.layers
    cells = partial(layers.LSTMCell, dropout=0.5), partial(layers.GRUCell, recurrent_dropout=0.3), layers.SimpleRNNCell
    makes = [
        partial(layers.LSTM, 2, dropout=0.5),
        partial(layers.GRU, 2, dropout=0.5, recurrent_dropout=0.3),
        partial(layers.SimpleRNN, 2, dropout=0.5, recurrent_dropout=0.2),
        lambda: layers.Bidirectional(layers.LSTM(2, dropout=0.5)),
        lambda: layers.RNN([make(2) for make in cells]),
    ]
    seen = []
    for make in makes:
        _began(tf)
        layer = make()
        seen += [layer(np.ones([4, 3, 2], np.float32), training=on) for on in (True, False, True, False, False, True)]
    return seen


def a_recurrent_training_with_validation(tf):
    layers, x, y = _began(tf)
    model = tf.keras.Sequential([layers.Reshape((3, 1)), layers.LSTM(4, dropout=0.5), layers.Dense(1)])
    model.compile("sgd", "mse")
    return _learned(model, x, y, epochs=3, validation_data=(x, y), batch_size=4)
