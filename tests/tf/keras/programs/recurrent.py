"""Small programs with recurrent layers, each run under TensorFlow and under tapeviz: `program(tf)` -> its results."""

from __future__ import annotations

import warnings

import numpy as np

from tests.tf.keras.material import errors, filled, text

SERIES = np.random.RandomState(5).normal(size=(4, 6, 3)).astype(np.float32)
Y = np.float32([[1.0], [0.0], [0.5], [-1.0]])
WORDS = np.int32([[3, 1, 2, 0, 0], [1, 1, 0, 0, 0], [2, 4, 4, 1, 3], [0, 0, 0, 0, 0]])
NAMED = ("SimpleRNN", "GRU", "LSTM")


def _words(tf, *layers, **told):
    model = tf.keras.Sequential([tf.keras.Input((None,)), tf.keras.layers.Embedding(5, 3, **told), *layers])
    return filled(model)


def _found(*calls):
    """What each call gives, or the class of its error."""
    found = []
    for call in calls:
        try:
            found.append(call())
        except Exception as error:
            found.append(type(error).__name__)
    return found


def _cell(tf):
    class Leaky(tf.keras.layers.Layer):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.units = units
            self.state_size = units

        def build(self, input_shape):
            self.kernel = self.add_weight(shape=(input_shape[-1], self.units), name="kernel")
            self.rate = self.add_weight(shape=(self.units,), name="rate")

        def call(self, inputs, states):
            state = self.rate * states[0] + tf.matmul(inputs, self.kernel)
            return tf.tanh(state), [state]

    return Leaky


# ----- how they are made -----


def configs(tf):
    k = tf.keras.layers
    layers = [
        k.SimpleRNN(2, "relu", dropout=0.5, name="r"),
        k.GRU(2, kernel_regularizer="l2", reset_after=False, seed=3),
        k.LSTM(2, unit_forget_bias=False, recurrent_constraint="max_norm", stateful=True, dropout=2.0),
        k.SimpleRNNCell(2, seed=1),
        k.GRUCell(2, dtype="float64"),
        k.LSTMCell(2, trainable=False),
        k.RNN(k.LSTMCell(3), True, True, zero_output_for_mask=True),
        k.RNN([k.GRUCell(3), k.SimpleRNNCell(2)]),
        k.StackedRNNCells([k.GRUCell(3), k.SimpleRNNCell(2)]),
        k.Bidirectional(k.LSTM(2, return_sequences=True), "sum"),
        k.Bidirectional(k.RNN(k.GRUCell(2)), backward_layer=k.GRU(2, go_backwards=True)),
        k.TimeDistributed(k.Dense(2)),
    ]
    built = [k.RNN([k.GRUCell(2), k.LSTMCell(3)]), k.Bidirectional(k.LSTM(2)), k.TimeDistributed(k.Dense(2))]
    for each in built:
        each(SERIES)
    told = [each.get_config() for each in (*layers, *built)]
    again = [type(each).from_config(each.get_config()) for each in layers]
    return [told, [each.get_config() for each in again], [each.name for each in again]]


def sequential_is_made_of_its_config(tf):
    k = tf.keras.layers
    model = tf.keras.Sequential(
        [tf.keras.Input((None, 3)), k.Bidirectional(k.GRU(2, return_sequences=True)), k.TimeDistributed(k.Dense(2))]
    )
    model.add(k.RNN([k.LSTMCell(2), k.GRUCell(2)]))
    again = tf.keras.Sequential.from_config(model.get_config())
    filled(again)
    return [again(SERIES), [tuple(each.shape) for each in again.weights], len(again.layers)]


def cells_of_ones_own_are_remade(tf):
    kind = _cell(tf)

    class Told(kind):
        def get_config(self):
            return {**super().get_config(), "units": self.units}

    layer = tf.keras.layers.RNN(Told(3), return_sequences=True)
    again = tf.keras.layers.RNN.from_config(layer.get_config(), {"Told": Told})
    both = tf.keras.layers.Bidirectional
    unknown = errors(lambda: both(tf.keras.layers.RNN([Told(2)])))  # it copies by config, and is told of no class
    return [again.cell.units, again.return_sequences, again(SERIES).shape[-1], unknown]


def what_layers_say_of_their_cells(tf):
    layer = tf.keras.layers.LSTM(2, dropout=0.1, recurrent_dropout=3.0, use_cudnn=False, kernel_constraint="non_neg")
    gru = tf.keras.layers.GRU(3)
    return [
        layer.units, layer.dropout, layer.recurrent_dropout, layer.use_bias, layer.unit_forget_bias, layer.use_cudnn,
        layer.state_size, layer.cell.state_size, layer.cell.output_size, gru.state_size, gru.cell.state_size,
        gru.reset_after, type(layer.kernel_constraint).__name__, type(layer.recurrent_initializer).__name__,
        layer.stateful, layer.states, hasattr(layer, "reset_after"), layer.cell.name, layer.return_state,
    ]  # fmt: skip


def orthogonal_and_identity(tf):
    kinds = tf.keras.initializers
    columns = np.asarray(kinds.Orthogonal(2.0)((5, 3)))
    rows = np.asarray(kinds.get("orthogonal")((2, 2, 5)))
    return [
        columns.T @ columns,
        rows.reshape(4, 5) @ rows.reshape(4, 5).T,
        kinds.Identity(3.0)((2, 3)),
        [each.get_config() for each in (kinds.Orthogonal(2.0, 3), kinds.Identity())],
        _found(lambda: kinds.Orthogonal()((3,)), lambda: kinds.Identity()((3,))),
    ]


def bias_of_the_forget_gate(tf):
    layer = tf.keras.layers.LSTM(2, bias_initializer=tf.keras.initializers.Constant(0.3))
    layer(SERIES)
    return layer.cell.bias


# ----- states -----


def states_come_out(tf):
    k = tf.keras.layers
    layers = [
        *[getattr(k, name)(2, return_state=True) for name in NAMED],
        k.GRU(2, return_sequences=True, return_state=True),
        k.RNN([k.LSTMCell(2), k.GRUCell(3)], return_state=True),
        k.Bidirectional(k.LSTM(2, return_state=True, return_sequences=True)),
        k.Bidirectional(k.GRU(2, return_state=True), merge_mode=None),
        k.Bidirectional(k.GRU(2), merge_mode=None),
    ]
    found = []
    for layer in layers:
        outputs = layer(SERIES)
        filled(layer)
        found.append([layer(SERIES), type(outputs).__name__, layer.compute_output_shape((None, 6, 3))])
    return found


def states_go_in(tf):
    found = []
    for name, count in zip(NAMED, (1, 1, 2), strict=True):
        layer = getattr(tf.keras.layers, name)(2, return_sequences=True)
        layer(SERIES)
        filled(layer)
        states = [tf.Variable(tf.ones((4, 2)) * (place + 0.5)) for place in range(count)]
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(SERIES, initial_state=states) ** 2)
        found += [loss, tape.gradient(loss, states), layer(SERIES, states)]
    layer = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(2))
    layer(SERIES)
    filled(layer)
    return [*found, layer(SERIES, initial_state=[np.ones((4, 2), np.float32) * place for place in range(4)])]


def stacked_states_go_in(tf):
    layer = tf.keras.layers.RNN([tf.keras.layers.LSTMCell(2), tf.keras.layers.GRUCell(3)], return_state=True)
    layer(SERIES)
    filled(layer)
    return layer(SERIES, initial_state=[[tf.ones((4, 2)), tf.zeros((4, 2))], tf.ones((4, 3))])


def states_too_few_or_too_many(tf):
    k, found = tf.keras.layers, []

    def call(layer, count):
        return lambda: layer(SERIES, initial_state=[tf.ones((4, 2))] * count)

    for count in range(5):
        layers = [getattr(k, name)(2, unroll=unroll) for name in NAMED for unroll in (False, True)]
        layers += [k.RNN(k.LSTMCell(2)), k.RNN(k.GRUCell(2)), k.RNN([k.GRUCell(2), k.GRUCell(2)])]
        found.append(errors(*[call(layer, count) for layer in layers]))
    layer = k.GRU(2)
    layer(SERIES)
    filled(layer)
    return [*found, layer(SERIES, initial_state=[tf.ones((4, 2)), tf.zeros((4, 2))])]


def which_layers_know_cudnn(tf):
    k = tf.keras.layers
    return _found(
        *[lambda name=name: type(getattr(k, name)(2, use_cudnn=False)).__name__ for name in NAMED],
        *[lambda name=name: getattr(k, name)(2, use_cudnn="no") for name in NAMED],
        *[lambda name=name: getattr(k, name)(2, use_cudnn=True)(SERIES) for name in NAMED],
    )


def states_are_kept(tf):
    found = []
    for name in NAMED:
        layer = getattr(tf.keras.layers, name)(2, stateful=True, return_sequences=name == "GRU")
        layer(SERIES)
        filled(layer)
        layer.reset_states()
        found += [layer(SERIES), layer(SERIES), [each.path for each in layer.states], len(layer.weights)]
        found += [each.numpy() for each in layer.states]
        layer.reset_state()
        found += [layer(SERIES), [each.trainable for each in layer.states]]
    both = tf.keras.layers.Bidirectional(tf.keras.layers.GRU(2, stateful=True))
    before = both.states
    both(SERIES)
    filled(both)
    both.reset_states()
    return [*found, before, both(SERIES), both(SERIES), len(both.states), [each.path for each in both.states]]


def gradients_of_a_kept_state(tf):
    layer = tf.keras.layers.GRU(2, stateful=True)
    layer(SERIES)
    filled(layer)
    layer.reset_state()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(SERIES)) + tf.reduce_sum(layer(2.0 * SERIES) ** 2)
    return [loss, tape.gradient(loss, [*layer.trainable_variables, *layer.states])]


# ----- cells -----


def cells_by_themselves(tf):
    k, found = tf.keras.layers, []
    for cell in (k.SimpleRNNCell(2), k.GRUCell(2), k.LSTMCell(2), k.StackedRNNCells([k.GRUCell(2), k.LSTMCell(2)])):
        states = cell.get_initial_state(batch_size=4)
        cell(SERIES[:, 0], states)
        filled(cell)
        _, states = cell(SERIES[:, 0], states)
        found += [cell(SERIES[:, 1], states), [each.path for each in cell.weights], cell.state_size, cell.output_size]
    for cell in (k.SimpleRNNCell(2), k.GRUCell(2)):
        cell(SERIES[:, 0], tf.zeros((4, 2)))
        filled(cell)
        found.append(cell(SERIES[:, 0], tf.ones((4, 2))))
    return found


def a_cell_of_ones_own(tf):
    layer = tf.keras.layers.RNN(_cell(tf)(2), return_sequences=True, return_state=True)
    layer(SERIES)
    filled(layer)
    x = tf.constant(SERIES)
    with tf.GradientTape() as tape:
        tape.watch(x)
        outputs = layer(x)
        loss = tf.reduce_sum(outputs[0] * outputs[1][:, None])
    return [outputs, tape.gradient(loss, [x, *layer.weights]), [each.path for each in layer.weights]]


def a_cell_with_training_and_another_output(tf):
    class Cell(tf.keras.layers.Layer):
        state_size = (2, 3)
        output_size = 5

        def call(self, inputs, states, training=False):
            total = states[0] + inputs[:, :2]
            other = states[1] * 0.5 + inputs
            return tf.concat([total, other], -1) * (2.0 if training else 1.0), [total, other]

    layer = tf.keras.layers.RNN(Cell(), return_state=True, return_sequences=True)
    place = tf.keras.Input((None, 3))
    model = tf.keras.Model(place, layer(place))
    shapes = [each.shape for each in model.outputs]
    return [layer(SERIES), layer(SERIES, training=True), model(SERIES, training=True), shapes]


def a_cell_that_is_no_layer(tf):
    class Cell:
        state_size = 3

        def call(self, inputs, states):
            return inputs + states[0], [inputs + states[0]]

        __call__ = call

    refused = errors(lambda: tf.keras.layers.RNN(Cell())(SERIES))
    Cell.compute_dtype = "float32"
    return [refused, tf.keras.layers.RNN(Cell(), return_sequences=True)(SERIES)]


# ----- models -----


def placeholders_of_any_length(tf):
    place = tf.keras.Input((None, 3), name="series")
    sequence, state, carry = tf.keras.layers.LSTM(2, return_sequences=True, return_state=True, name="first")(place)
    both = tf.keras.layers.Bidirectional(tf.keras.layers.GRU(2, return_sequences=True), name="both")(sequence)
    last = tf.keras.layers.LSTM(2, name="last")(both, initial_state=[state, carry])
    steps = tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(2), name="steps")(both)
    model = filled(tf.keras.Model(place, [last, steps, carry]))
    shapes = [each.shape for each in (sequence, state, carry, both, last, steps)]
    return [
        shapes,
        model(SERIES),
        model(SERIES[:2, :3]),
        text(lambda show: model.summary(print_fn=show)),
        [each.path for each in model.weights],
    ]


def encoder_and_decoder(tf):
    k = tf.keras.layers
    source, target = tf.keras.Input((None, 3)), tf.keras.Input((None, 2))
    _, *states = k.LSTM(4, return_state=True)(source)
    decoded, _, _ = k.LSTM(4, return_sequences=True, return_state=True)(target, initial_state=states)
    model = filled(tf.keras.Model([source, target], k.Dense(2, activation="softmax")(decoded)))
    model.compile("sgd", "categorical_crossentropy")
    labels = np.eye(2, dtype=np.float32)[np.arange(12).reshape(4, 3) % 2]
    history = model.fit([SERIES, labels], labels, epochs=2, batch_size=2, shuffle=False, verbose=0).history
    return [history, *model.get_weights(), model.predict([SERIES, labels], verbose=0)]


def series_are_learned_from(tf):
    k, found = tf.keras.layers, []
    for layer in (k.SimpleRNN(3), k.GRU(3), k.LSTM(3), k.Bidirectional(k.LSTM(2)), k.RNN([k.GRUCell(2)] * 1)):
        model = filled(tf.keras.Sequential([tf.keras.Input((6, 3)), layer, k.Dense(1)]), 2)
        model.compile(tf.keras.optimizers.Adam(0.05), "mse", metrics=["mae"])
        history = model.fit(SERIES, Y, epochs=2, batch_size=2, shuffle=False, verbose=0).history
        found += [history, model.get_weights(), model.evaluate(SERIES, Y, verbose=0)]
    return found


def words_are_learned_from(tf):
    k = tf.keras.layers
    model = _words(tf, k.LSTM(4, return_sequences=True), k.GRU(3), k.Dense(1, "sigmoid"))
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return [model.fit(WORDS, np.abs(Y), epochs=2, batch_size=4, verbose=0).history, model.get_weights()]


def a_model_of_ones_own(tf):
    class Tagger(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.embedding = tf.keras.layers.Embedding(5, 3)
            self.gru = tf.keras.layers.GRU(4, return_sequences=True, return_state=True)
            self.out = tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(2))

        def call(self, words, states=None, training=False):
            x, states = self.gru(self.embedding(words), initial_state=states, training=training)
            return self.out(x), states

    model = Tagger()
    model(WORDS)
    filled(model)
    first, states = model(WORDS)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(model(WORDS, states=states, training=True)[0]))
    gradients = tape.gradient(loss, model.trainable_variables)
    return [first, states, loss, [tf.convert_to_tensor(each) for each in gradients], [w.path for w in model.weights]]


def second_derivatives(tf):
    found = []
    for name in NAMED:
        layer = getattr(tf.keras.layers, name)(2)
        layer(SERIES)
        filled(layer)
        x = tf.constant(SERIES[:, :3])
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                loss = tf.reduce_sum(layer(x) ** 2)
            slope = inner.gradient(loss, x)
            total = tf.reduce_sum(slope**2)
        found += [slope, outer.gradient(total, [x, *layer.weights])]
    return found


def penalties(tf):
    layer = tf.keras.layers.GRU(
        2, kernel_regularizer="l2", recurrent_regularizer="l1", bias_regularizer="l2", activity_regularizer="l1"
    )
    layer(SERIES)
    filled(layer)
    layer(SERIES)
    return layer.losses


def layers_that_are_not_trained(tf):
    layer = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(2, trainable=False))
    layer(SERIES)
    other = tf.keras.layers.GRU(2)
    other(SERIES)
    other.trainable = False
    counts = [len(each.trainable_weights) for each in (layer, other)]
    return [counts, [len(each.weights) for each in (layer, other)], other.count_params(), layer.count_params()]


def each_step_by_itself(tf):
    k = tf.keras.layers
    images = np.random.RandomState(2).normal(size=(2, 3, 5, 5, 1)).astype(np.float32)
    layer = k.TimeDistributed(k.Conv2D(2, 3))
    layer(images)
    filled(layer)
    dropped = k.TimeDistributed(k.Dropout(0.5))
    inner = tf.keras.Sequential([k.Flatten(), k.Dense(2, kernel_initializer="ones")])
    return [layer(images), dropped(SERIES), layer.compute_output_shape((2, None, 5, 5, 1)), layer.name, inner(SERIES)]


# ----- dropout -----


def dropout_while_not_training(tf):
    found = []
    for name in NAMED:
        layer = getattr(tf.keras.layers, name)(2, dropout=0.5, recurrent_dropout=0.5)
        layer(SERIES)
        filled(layer)
        found += [layer(SERIES), layer(SERIES, training=False)]
    return found


def dropout_keeps_to_a_choice(tf):
    found = []
    for name in NAMED:
        cell = getattr(tf.keras.layers, f"{name}Cell")(2, dropout=0.5, recurrent_dropout=0.25)
        plain = getattr(tf.keras.layers, f"{name}Cell")(2, dropout=0.5)
        first, other = cell.get_dropout_mask(tf.ones((50, 40))), cell.get_recurrent_dropout_mask(tf.ones((50, 40)))
        same = cell.get_dropout_mask(tf.ones((50, 40))) is first
        cell.reset_dropout_mask()
        cell.reset_recurrent_dropout_mask()
        another = cell.get_dropout_mask(tf.ones((50, 40)))
        masks = [each if isinstance(each, list) else [each] for each in (first, other, another)]
        levels = [sorted(set(np.round(np.asarray(mask), 3).flatten().tolist())) for group in masks for mask in group]
        found += [same, another is first, levels, isinstance(first, list), plain.get_recurrent_dropout_mask(first)]
        found.append(isinstance(plain.get_dropout_mask(tf.ones((2, 3))), list))
    return found


def everything_is_dropped(tf):
    layer = tf.keras.layers.SimpleRNN(2, dropout=1.0, recurrent_dropout=1.0, bias_initializer="ones")
    layer(SERIES)
    outputs = [layer(SERIES, training=True)]
    for name in ("GRU", "LSTM"):
        layer = getattr(tf.keras.layers, name)(2, dropout=1.0, recurrent_dropout=1.0)
        layer(SERIES)
        filled(layer)
        outputs.append(layer(SERIES, training=True))
    return outputs


def dropout_of_integers_and_in_other_dtypes(tf):
    k, found = tf.keras.layers, []
    layers = [
        k.LSTM(2, dropout=1.0, recurrent_dropout=1.0, dtype="float64"),
        k.RNN([k.GRUCell(2, dropout=1.0), k.LSTMCell(3, dropout=1.0, recurrent_dropout=1.0), k.SimpleRNNCell(2)]),
        k.GRU(2, dropout=1.0, dtype="float16"),
        k.SimpleRNN(2, dropout=1.0),
    ]
    for layer in layers:
        layer(SERIES)
        filled(layer)
        found += [layer(SERIES, training=True), layer(np.int32(SERIES * 9), training=True)]
    return found


def half_and_double_precision(tf):
    found = []
    for dtype in ("float64", "float16"):
        for name in NAMED:
            layer = getattr(tf.keras.layers, name)(2, dtype=dtype)
            layer(SERIES)
            filled(layer)
            x = tf.constant(SERIES)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = layer(x)
                loss = tf.reduce_sum(y**2)
            gradients = tape.gradient(loss, [x, *layer.trainable_variables])
            found += [y, gradients] if dtype == "float64" else [y.dtype.name, [each.dtype.name for each in gradients]]
    return found


def models_inside_models_take_any_length(tf):
    k, found = tf.keras.layers, []

    class Own(k.Layer):
        def __init__(self):
            super().__init__()
            self.rnn = k.LSTM(2, return_sequences=True)

        def call(self, x):
            return self.rnn(x), x[:, ::2, 0], x[:, -1]

    place = tf.keras.Input((None, 3))
    inner = [
        tf.keras.Sequential([tf.keras.Input((None, 3)), k.LSTM(2, return_sequences=True)]),
        tf.keras.Model(place, k.GRU(2, return_sequences=True)(place)),
    ]
    for each in inner:
        start = tf.keras.Input((None, 3))
        y = each(start)
        last = k.GRU(3)(y)
        found += [y.shape, last.shape, filled(tf.keras.Model(start, last))(SERIES)]
    return [*found, [each.shape for each in Own()(tf.keras.Input((None, 3)))]]


def clones_and_configs_of_graphs(tf):
    k = tf.keras.layers
    place = tf.keras.Input((None, 3))
    series, state, carry = k.LSTM(2, return_state=True, return_sequences=True, name="first")(place)
    model = filled(tf.keras.Model(place, k.LSTM(2, name="last")(series, initial_state=[state, carry])))
    both = tf.keras.Sequential([tf.keras.Input((None, 3)), k.Bidirectional(k.RNN([k.LSTMCell(2), k.GRUCell(2)]))])
    filled(both)
    found = []
    for each in (model, both):
        for again in (tf.keras.models.clone_model(each), type(each).from_config(each.get_config())):
            again.set_weights(each.get_weights())
            found.append(again(SERIES))
    return found


def a_cell_in_ones_own_loop(tf):
    cell = tf.keras.layers.LSTMCell(2)
    states = cell.get_initial_state(batch_size=4)
    cell(SERIES[:, 0], states)
    filled(cell)
    with tf.GradientTape() as tape:
        for step in range(3):
            output, states = cell(SERIES[:, step], states)
        loss = tf.reduce_sum(output)
    return [loss, tape.gradient(loss, cell.trainable_variables), [each.path for each in cell.weights]]


def states_in_fit(tf):
    k = tf.keras.layers
    model = filled(tf.keras.Sequential([tf.keras.Input(batch_shape=(2, 6, 3)), k.LSTM(2, stateful=True), k.Dense(1)]))
    model.compile("sgd", "mse")
    history = model.fit(SERIES, Y, epochs=2, batch_size=2, shuffle=False, verbose=0).history
    states = [each.numpy() for each in model.layers[0].states]
    return [history, model.get_weights(), states, model.predict(SERIES, batch_size=2, verbose=0)]


# ----- masks -----


def _masked(tf):
    x = tf.keras.layers.Embedding(5, 3, mask_zero=True)
    x(WORDS)
    return filled(x)(WORDS)


def _mask(tensor):
    found = getattr(tensor, "_keras_mask", None)
    return found if found is None else found.numpy()


def _with_warnings(call):
    """What a call gives, and the texts of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return [result, [str(each.message) for each in caught if each.category is UserWarning]]


def masks_are_made(tf):
    k = tf.keras.layers
    embedding, plain = k.Embedding(5, 3, mask_zero=True), k.Embedding(5, 3)
    series = SERIES * np.float32([[1], [0], [1], [1], [0], [0]])
    masking, fives = k.Masking(), k.Masking(5.0, name="fives")
    again = k.Masking.from_config(fives.get_config())
    return [
        _mask(embedding(WORDS)), _mask(plain(WORDS)), embedding.compute_mask(WORDS), plain.compute_mask(WORDS),
        embedding.supports_masking, plain.supports_masking, _mask(masking(series)), masking(series),
        masking.compute_mask(series), fives.get_config(), masking.built, _mask(again(5.0 * np.sign(np.abs(SERIES)))),
        masking.compute_output_shape((None, 6, 3)), embedding.get_config()["mask_zero"],
    ]  # fmt: skip


def masks_are_handed_on(tf):
    k = tf.keras.layers
    layers = [
        k.Dense(2), k.Activation("relu"), k.ReLU(), k.LeakyReLU(), k.Dropout(0.5), k.LayerNormalization(),
        k.BatchNormalization(), k.TimeDistributed(k.Dense(2)), k.GlobalAveragePooling1D(), k.Flatten(),
        k.GlobalMaxPooling1D(), k.Reshape((3, 5)), k.Lambda(lambda x: x + 1.0), k.Embedding(5, 3),
        k.Lambda(lambda x, mask: x + tf.cast(mask, x.dtype)[..., None], mask=lambda x, mask: mask),
        k.GRU(2), k.GRU(2, return_sequences=True), k.Bidirectional(k.LSTM(2, return_sequences=True)),
        k.Bidirectional(k.LSTM(2)), k.RNN(k.GRUCell(2), return_sequences=True),
        k.PReLU(), k.ELU(), k.GaussianNoise(0.5), k.GaussianDropout(0.5), k.SpatialDropout1D(0.5),
        k.ActivityRegularization(), k.Permute((2, 1)), k.UpSampling1D(2), k.Conv1D(2, 2), k.MaxPooling1D(),
    ]  # fmt: skip
    found = []
    for layer in layers:
        found.append(_with_warnings(lambda layer=layer: _mask(layer(_masked(tf)))))
        found.append(layer.supports_masking)
    many = [
        k.LSTM(2, return_sequences=True, return_state=True),
        k.GRU(2, return_state=True),
        k.Bidirectional(k.GRU(2, return_sequences=True), merge_mode=None),
        k.Bidirectional(k.GRU(2), merge_mode=None),
    ]
    return [*found, *[[_mask(each) for each in layer(_masked(tf))] for layer in many]]


def masks_meet(tf):
    k, found = tf.keras.layers, []
    x = _masked(tf)
    for name in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate"):
        layer, other = getattr(k, name)(), tf.ones((4, 5, 3)) * 0.1
        shifted = k.Masking()(tf.constant(np.roll(x.numpy(), 1, axis=0) * np.float32(_mask(x))[:, ::-1, None]))
        for inputs in ([x, x], [x, other], [other, x], [x, shifted], [other, other], [shifted, x, x]):
            if name != "Subtract" or len(inputs) == 2:
                result = layer(inputs)
                found.append([result, _mask(result)])
    joined, products = k.Concatenate(axis=1)([x, x]), k.Dot(2)([x, x])
    return [
        *found,
        _mask(joined),
        _mask(products),
        errors(lambda: k.Add().compute_mask([x], x), lambda: k.Add().compute_mask([x], [])),
    ]


def masked_steps_are_left_out(tf):
    k, found = tf.keras.layers, []
    layers = [
        *[getattr(k, name)(2) for name in NAMED],
        *[getattr(k, name)(2, return_sequences=True, go_backwards=True, return_state=True) for name in NAMED],
        k.LSTM(2, return_sequences=True, unroll=True),
        k.RNN(k.GRUCell(2), return_sequences=True, zero_output_for_mask=True),
        k.RNN(k.LSTMCell(2), zero_output_for_mask=True),
        k.RNN([k.GRUCell(2), k.LSTMCell(3)], return_sequences=True),
        k.Bidirectional(k.GRU(2, return_sequences=True)),
        k.Bidirectional(k.LSTM(2), merge_mode="sum"),
        k.LSTM(2, stateful=True),
    ]
    for layer in layers:
        layer(_masked(tf))
        filled(layer)
        if hasattr(layer, "states") and layer.states:
            layer.reset_state()
        x = _masked(tf)
        with tf.GradientTape() as tape:
            tape.watch(x)
            outputs = layer(x)
            loss = sum(tf.reduce_sum(each**2) for each in tf.nest.flatten(outputs))
        found += [outputs, tape.gradient(loss, [x, *layer.trainable_variables])]
    return found


def masks_that_are_told(tf):
    k, x = tf.keras.layers, tf.constant(SERIES[:2, :3])
    mask = tf.constant([[True, True, False], [False, True, True]])
    lstm, both = k.LSTM(2, return_sequences=True), k.Bidirectional(k.GRU(2, return_sequences=True))
    steps, norm, mean = k.TimeDistributed(k.Softmax()), k.BatchNormalization(momentum=0.5), k.GlobalAveragePooling1D()
    for layer in (lstm, both, norm):
        layer(x)
        filled(layer)
    states = [tf.ones((2, 2)), tf.zeros((2, 2))]
    outputs = [lstm(x, mask=mask), lstm(x, mask=tf.cast(mask, "int32")), lstm(x, mask=mask[..., None])]
    outputs += [both(x, mask=mask), norm(x, mask=mask, training=True), mean(x, mask=mask), norm.moving_mean]
    outputs += [lstm(x, mask=mask, initial_state=states), steps(x, mask=tf.ones((2, 3, 3)) * 0.7)]
    model = filled(tf.keras.Sequential([tf.keras.Input((3, 3)), k.GRU(2, return_sequences=True)]))
    told = _with_warnings(lambda: [model(x + 0.0, mask=mask), _mask(model(x + 0.0, mask=mask))])
    return [*outputs, _mask(outputs[0]), *told, norm.moving_variance]


def a_mask_beside_states(tf):
    layer = tf.keras.layers.GRU(2)
    layer(_masked(tf))
    filled(layer)
    return [layer(_masked(tf), initial_state=tf.zeros((4, 2))), layer(_masked(tf))]


def layers_of_ones_own_and_masks(tf):
    class Deaf(tf.keras.layers.Layer):
        def call(self, x):
            return x * 2.0

    class Hearing(tf.keras.layers.Layer):
        def call(self, x, mask=None):
            return x if mask is None else x * tf.cast(mask, x.dtype)[..., None]

    class Shifting(tf.keras.layers.Layer):
        def compute_mask(self, x, mask=None):
            return None if mask is None else mask[:, 1:]

        def call(self, x):
            return x[:, 1:]

    class Passing(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.supports_masking = True

        def call(self, x, training=False):
            return x + 1.0

    class Several(tf.keras.layers.Layer):
        def call(self, query, value, query_mask=None, value_mask=None, mask=None):
            self.seen = [_mask(query) is not None, query_mask is None, value_mask is None, mask is None]
            return query

    class Listening(tf.keras.layers.Layer):
        supports_masking = True

        def call(self, inputs, mask=None):
            self.seen = [each is None for each in mask] if isinstance(mask, list) else mask
            return inputs[0] + 1.0

        def compute_mask(self, inputs, mask):
            return mask[0] if isinstance(mask, list) else None

    found = []
    for layer in (Deaf(), Hearing(), Shifting(), Passing()):
        found.append(_with_warnings(lambda layer=layer: [layer(_masked(tf)), _mask(layer(_masked(tf)))]))
        found.append(layer.supports_masking)
    several, listening = Several(), Listening()
    several(_masked(tf), tf.ones((2, 3)))
    result = listening([_masked(tf), tf.ones((4, 5, 3))])
    found += [several.seen, listening.seen, _mask(result), Passing().compute_mask(1, 2)]
    listening([tf.ones((4, 5, 3))])
    return [*found, listening.seen]


def masks_go_through_models(tf):
    k = tf.keras.layers
    chain = _words(tf, k.LSTM(2, return_sequences=True), k.Dense(2), mask_zero=True)
    place = tf.keras.Input((None,))
    x = k.Embedding(5, 3, mask_zero=True)(place)
    graph = filled(tf.keras.Model(place, k.Dense(1)(k.Bidirectional(k.GRU(2, return_sequences=True))(x))))
    series = tf.keras.Sequential([k.Masking(), k.LSTM(2, return_sequences=True), k.TimeDistributed(k.Dense(1))])
    steps = SERIES * np.float32([[1], [1], [1], [0], [0], [0]])
    series(steps)
    filled(series)
    return [[model(each), _mask(model(each))] for model, each in ((chain, WORDS), (graph, WORDS), (series, steps))]


def losses_and_metrics_heed_masks(tf):
    k, losses = tf.keras.layers, tf.keras.losses
    model = _words(tf, k.GRU(3, return_sequences=True), k.Dense(3, "softmax"), mask_zero=True)
    predicted = model(WORDS)
    labels = np.int32(WORDS % 3)
    found = []
    for reduction in ("sum_over_batch_size", "sum", None):
        told = {"reduction": reduction}
        found.append(losses.SparseCategoricalCrossentropy(**told)(labels, predicted))
        found.append(losses.SparseCategoricalCrossentropy(ignore_class=1, **told)(labels, predicted))
        found.append(
            losses.MeanSquaredError(**told)(tf.one_hot(labels, 3), predicted, np.float32([1, 2, 0, 3])[:, None])
        )
        found.append(losses.MeanSquaredError(**told)(tf.one_hot(labels, 3), predicted, np.float32(WORDS)))
    for metric in (tf.keras.metrics.SparseCategoricalAccuracy(), tf.keras.metrics.MeanSquaredError()):
        wanted = labels if "sparse" in metric.name else tf.one_hot(labels, 3)
        metric.update_state(wanted, model(WORDS))
        found.append(metric.result())
        metric.update_state(wanted, model(WORDS), np.float32(WORDS))
        found.append(metric.result())
    return found


def masked_words_are_learned_from(tf):
    k, found = tf.keras.layers, []
    for end in (k.LSTM(3), k.GlobalAveragePooling1D()):
        model = _words(tf, end, k.Dense(1, "sigmoid"), mask_zero=True)
        model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
        history = model.fit(WORDS[:3], np.abs(Y[:3]), epochs=2, batch_size=3, verbose=0).history
        found += [history, model.get_weights()]
    model = _words(tf, k.Bidirectional(k.GRU(3, return_sequences=True)), k.Dense(5, "softmax"), mask_zero=True)
    model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"], weighted_metrics=["accuracy"])
    history = model.fit(WORDS, WORDS, epochs=2, batch_size=2, shuffle=False, verbose=0).history
    return [*found, history, model.get_weights(), model.evaluate(WORDS, WORDS, verbose=0)]


def masks_that_are_inputs(tf):
    k = tf.keras.layers
    words, embedding = tf.keras.Input((None,), dtype="int32"), k.Embedding(5, 3, mask_zero=True)
    told = tf.keras.Model(words, k.LSTM(2)(embedding(words), mask=embedding.compute_mask(words)))
    series, mask = tf.keras.Input((None, 3)), tf.keras.Input((None,), dtype="bool")
    model = tf.keras.Model([series, mask], k.GRU(2, return_sequences=True)(series, mask=mask))
    result = filled(model)([SERIES, np.abs(SERIES[..., 0]) > 0.5])
    return [filled(told)(WORDS), result, _mask(result)]


def bad_masks(tf):
    k, x = tf.keras.layers, tf.ones((2, 3, 4))
    mask = tf.constant([[True, False]] * 2)
    return [
        _found(
            lambda: k.Softmax()(_masked(tf)),
            lambda: k.BatchNormalization()(x, mask=tf.constant([True])),
            lambda: k.TimeDistributed(k.Dense(2))(x, mask=mask),
            lambda: k.TimeDistributed(k.Dense(2))(x, mask=tf.constant([True])),
        ),
        errors(lambda: k.LSTM(2)(x, mask=mask), lambda: k.LSTM(2)(x, mask=tf.constant([True, False]))),
    ]


# ----- what is refused -----


def bad_arguments(tf):
    k = tf.keras.layers
    return _found(
        lambda: k.LSTM(0),
        lambda: k.GRUCell(-1),
        lambda: k.RNN(3),
        lambda: k.StackedRNNCells([3]),
        lambda: k.LSTM(2, foo=1),
        lambda: k.SimpleRNNCell(2, implementation=1),
        lambda: k.GRU(2, use_cudnn="x"),
        lambda: k.LSTM(2, use_cudnn=True)(SERIES),
        lambda: k.Bidirectional(3),
        lambda: k.Bidirectional(k.LSTM(2), merge_mode="x"),
        lambda: k.Bidirectional(k.LSTM(2), backward_layer=3),
        lambda: k.Bidirectional(k.LSTM(2), backward_layer=k.LSTM(2)),
        lambda: k.Bidirectional(k.LSTM(2), backward_layer=k.LSTM(2, go_backwards=True, return_sequences=True)),
        lambda: k.Bidirectional(k.LSTM(2)).reset_states(),
        lambda: k.TimeDistributed(3),
        lambda: k.TimeDistributed(k.Dense(2))(SERIES[0]),
        lambda: k.Wrapper(3),
        lambda: k.LSTM(2, stateful=True)(tf.keras.Input((6, 3))),
        lambda: k.LSTM(2).reset_state(),
    )


def bad_inputs(tf):
    k = tf.keras.layers
    stateful, narrow = k.GRU(2, stateful=True), k.GRU(2)
    stateful(SERIES)
    narrow(SERIES)
    return errors(
        lambda: k.LSTM(2)(SERIES[0]),
        lambda: k.RNN(k.LSTMCell(2))(SERIES[0]),
        lambda: k.RNN(k.LSTMCell(2))(SERIES[None]),
        lambda: k.LSTM(2)(SERIES[:, :0]),
        lambda: k.LSTM(2)(SERIES, initial_state=[tf.zeros((4, 2))]),
        lambda: k.LSTM(2)(SERIES, initial_state=[tf.zeros((4, 3))] * 2),
        lambda: k.GRU(2)(SERIES, initial_state=tf.zeros((4, 3))),
        lambda: k.GRU(2)(SERIES, initial_state=tf.zeros((3, 2))),
        lambda: k.SimpleRNN(2)(SERIES, initial_state=tf.zeros((4, 2))),
        lambda: k.SimpleRNN(2)(SERIES, initial_state=np.zeros((4, 2))),
        lambda: stateful(SERIES[:2]),
        lambda: narrow(SERIES[..., :2]),
        lambda: k.LSTM(2)(np.ones((2, 4, 3), int)),
        lambda: k.GRUCell(2)(SERIES[:, 0]),
        lambda: k.RNN(k.Dense(2)),
        lambda: k.StackedRNNCells([k.Dense(2)]),
        lambda: k.LSTM("a"),
        lambda: k.LSTM(2)(3.0),
        lambda: k.Bidirectional(k.Dense(2)),
        lambda: k.LSTM(),
        lambda: k.RNN.from_config({"cell": {"class_name": "Unknown", "config": {}}}),
    )
