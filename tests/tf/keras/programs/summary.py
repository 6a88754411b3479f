"""Small Keras programs that print what a model is made of, run in both frameworks."""

from __future__ import annotations

import numpy as np

from tests.tf.keras.material import X, network, text


def summary_in_other_widths_and_of_some_layers(tf):
    model = network(tf, tf.keras.layers.Dense(4, name="first"), tf.keras.layers.Flatten(name="last"))
    texts = []
    for options in (
        {"line_length": 60},
        {"line_length": 100},
        {"line_length": 40},
        {"positions": [0.3, 0.6, 1.0]},
        {"positions": [20, 40, 60]},
        {"line_length": 70, "show_trainable": True},
        {"layer_range": ("first", "first")},
        {"layer_range": ["la.*", "fi"]},
        {"line_length": 15},
        {"layer_range": ["first"]},
        {"layer_range": ("first", 1)},
        {"layer_range": ("first", "second")},
    ):
        try:
            texts.append(text(lambda show, options=options: model.summary(print_fn=show, **options)))
        except ValueError as error:
            texts.append(type(error).__name__)
    return texts


def summary(tf):
    return text(lambda show: network(tf, tf.keras.layers.Dense(4), tf.keras.layers.Flatten()).summary(print_fn=show))


def summary_before_the_first_call(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)], name="waiting")
    return text(lambda show: model.summary(print_fn=show))


def summary_of_frozen_layers(tf):
    model = network(tf, tf.keras.layers.Dense(400), tf.keras.layers.Dense(1))
    model.layers[0].trainable = False
    return text(lambda show: model.summary(print_fn=show))


def summary_of_long_names(tf):
    k = tf.keras.layers
    place = tf.keras.Input((12, 12, 64))
    wide = k.Conv2D(1024, 3, padding="same", name="a_name_that_is_much_too_long_for_one_line")(place)
    end = k.GlobalAveragePooling2D()(k.BatchNormalization()(wide) * 2.0)
    return text(lambda write: tf.keras.Model(place, end).summary(print_fn=write))


def summary_of_a_graph_with_branches(tf):
    k = tf.keras.layers
    first, second, third = (tf.keras.Input((3,), name=name) for name in ("first", "second", "third"))
    shared = k.Dense(3, name="dense_layer_with_a_long_name")
    both = k.Concatenate(name="concatenate_them_all_together")([shared(first), shared(second)])
    ends = [k.BatchNormalization()(both * 2.0), k.Dense(2)(both)]
    loop = k.Dense(3)
    models = [
        tf.keras.Model([first, second, third], ends),
        tf.keras.Model(first, loop(loop(first))),
        tf.keras.Model(first, k.Add()([first, k.Dense(3)(first)])),
    ]
    return [text(lambda write, each=each: each.summary(print_fn=write)) for each in models]


def summary_of_a_layer_with_two_outputs(tf):
    class Two(tf.keras.layers.Layer):
        def call(self, inputs):
            return inputs, inputs * 2.0

    place = tf.keras.Input((3,))
    one, other = outputs = Two()(place)
    models = [tf.keras.Model(place, outputs), tf.keras.Model(place, tf.keras.layers.Add()([other, one]))]
    return [text(lambda write, each=each: each.summary(print_fn=write)) for each in models]


def summary_of_what_was_built_from_the_start(tf):
    k = tf.keras.layers

    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.all = [
                *(k.Reshape((2, 2, 3)), k.Activation("relu"), k.ReLU(), k.LeakyReLU(), k.Dropout(0.5)),
                *(k.MaxPooling2D(1), k.Softmax(), k.GlobalAveragePooling2D(keepdims=True), k.Flatten(), k.Dense(2)),
            ]

        def call(self, inputs):
            for layer in self.all:
                inputs = layer(inputs)
            return inputs

    net = Net()
    before = text(lambda write: net.summary(print_fn=write))
    net(np.zeros((4, 12), np.float32))
    return [before, text(lambda write: net.summary(print_fn=write))]


def functional_chain_summary(tf):
    inputs = tf.keras.Input((3,), name="x")
    outputs = tf.keras.layers.Dense(1, name="o")(tf.keras.layers.Dense(3, name="h")(inputs))
    return text(lambda show: tf.keras.Model(inputs, outputs, name="f").summary(print_fn=show))


def summary_counts_what_the_optimizer_remembers(tf):
    model = network(tf, tf.keras.layers.Dense(2), tf.keras.layers.BatchNormalization())
    texts = []
    for optimizer in ("sgd", "adam", tf.keras.optimizers.RMSprop(use_ema=True)):
        model.compile(optimizer, "mse")
        texts.append(text(lambda print_fn: model.summary(print_fn=print_fn)))
        model.fit(X, X[:, :2], verbose=0)
        texts.append(text(lambda print_fn: model.summary(print_fn=print_fn)))
    return texts


def summary_after_batches_of_one_size_and_of_several(tf):
    k = tf.keras.layers

    class Doubled(k.Layer):
        def build(self, input_shape):
            told.append(input_shape)

        def call(self, inputs):
            return 2 * inputs

    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__(name="n")
            self.first, self.last = k.Dense(2), Doubled()

        def call(self, inputs):
            return self.last(self.first(inputs))

    def cut(size, **options):
        return tf.data.Dataset.from_tensor_slices((X, X[:, :2])).batch(size, **options)

    def generated():
        while True:
            yield X, X[:, :2]

    uses = [
        lambda model: model.fit(X, X[:, :2], verbose=0),
        lambda model: model.fit(X, X[:, :2], batch_size=2, verbose=0),
        lambda model: model.fit(X, X[:, :2], batch_size=3, verbose=0),
        lambda model: model.fit(X, X[:, :2], validation_split=0.5, batch_size=2, verbose=0),
        lambda model: model.fit(X, X[:, :2], steps_per_epoch=3, verbose=0),
        lambda model: model.fit(cut(2), verbose=0),
        lambda model: model.fit(cut(2, drop_remainder=True), verbose=0),
        lambda model: model.fit(generated(), steps_per_epoch=2, verbose=0),
        lambda model: model.evaluate(X, X[:, :2], verbose=0),
        lambda model: model.predict(X, verbose=0),
        lambda model: model.train_on_batch(X, X[:, :2]),
    ]
    told, texts = [], []
    for use in uses:
        for model in (tf.keras.Sequential([k.Dense(2, name="d"), Doubled(name="e")], name="m"), Net()):
            model.compile("sgd", "mse")
            use(model)
            texts.append(text(lambda show, model=model: model.summary(print_fn=show)))
    return [told, [[line for line in lines if line.startswith("│")] for lines in texts]]


def shapes_after_steps_that_run_eagerly(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    model.compile("sgd", "mse", run_eagerly=True)
    model.fit(X, X[:, :2], verbose=0)
    return [model.input_shape, model.output_shape, model.layers[0].output.shape]


def summary_of_vectors(tf):
    given = tf.keras.Input((3,))
    numbers = tf.keras.layers.Dense(1)(given)[:, 0]
    return text(lambda show: tf.keras.Model(given, numbers).summary(print_fn=show))


def _table(model):
    return text(lambda print_fn: model.summary(print_fn=print_fn))


def masks_in_the_table(tf):
    """The operations that make them are rows, and layers that take a mask are connected to them."""
    k = tf.keras.layers
    words, series = tf.keras.Input((4,), name="words"), tf.keras.Input((4, 3), name="series")
    embedded = k.Embedding(5, 2, mask_zero=True)(words)
    masked = k.Masking(0.0)(series)
    dense = k.Dropout(0.1)(k.Dense(3)(embedded))
    both = k.Add()([embedded, k.Embedding(5, 2, mask_zero=True)(words)])
    attended = k.LayerNormalization()(k.MultiHeadAttention(1, 2)(embedded, embedded))
    ends = (
        k.LSTM(2)(embedded),
        k.GRU(2)(k.Bidirectional(k.LSTM(2, return_sequences=True))(masked)),
        k.GlobalAveragePooling1D()(dense),
        k.SimpleRNN(2)(both),
        k.GlobalAveragePooling1D()(attended),
        k.Flatten()(embedded),
    )
    models = [tf.keras.Model(series if index == 1 else words, end) for index, end in enumerate(ends)]
    return [_table(model) for model in models]


def a_shared_layer_in_the_table(tf):
    """Its calls are in the order in which they were made, and its shape is that of the last one."""
    k = tf.keras.layers
    first, second = tf.keras.Input((None,), name="first"), tf.keras.Input((3,), name="second")
    shared = k.Embedding(6, 3, name="shared")
    _, h, c = k.LSTM(3, return_state=True)(shared(first))
    model = tf.keras.Model([first, second], k.LSTM(3)(shared(second), initial_state=[h, c]))
    return [_table(model), _table(tf.keras.models.clone_model(model))]
