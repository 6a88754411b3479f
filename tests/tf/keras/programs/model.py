"""Small Keras programs on models: sequences, functions of placeholders, their inputs. Run in both frameworks."""

from __future__ import annotations

import numpy as np

from tests.framework_programs import fails
from tests.tf.keras.material import INPUT_A, INPUT_B, X, Y, answer, errors, filled, network, outcomes


def sequential(tf):
    dense = tf.keras.layers.Dense
    model = network(tf, dense(4, activation="relu"), tf.keras.layers.Dropout(0.5), dense(2), tf.keras.layers.Softmax())
    with tf.GradientTape() as tape:
        y = model(tf.constant(X))
        loss = tf.reduce_sum(y[:, 0])
    gradients = tape.gradient(loss, model.trainable_variables)
    paths = [each.path for each in model.weights]
    return [y, gradients, paths, [each.name for each in model.layers], model.input_shape, model.output_shape]


def sequential_built_by_its_first_call(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(4), tf.keras.layers.ReLU(), tf.keras.layers.Dense(2)])
    before = [list(model.weights), model.built]
    model(tf.constant(X))
    return [before, [each.path for each in model.weights], model.built, filled(model)(tf.constant(X))]


def sequential_from_an_input_shape(tf):
    model = tf.keras.models.Sequential([tf.keras.layers.Dense(2, input_shape=(3,)), tf.keras.layers.Dense(1)])
    return [[each.path for each in model.weights], model.output_shape]


def sequential_grown_and_shrunk(tf):
    model = tf.keras.Sequential(name="grown")
    model.add(tf.keras.Input((3,)))
    model.add(tf.keras.layers.Dense(4))
    model.add(tf.keras.layers.Dense(2))
    shapes = [model.output_shape]
    model.pop()
    return [*shapes, model.output_shape, len(model.layers), filled(model)(tf.constant(X))]


@fails
def sequential_of_a_function(tf):
    return tf.keras.Sequential([tf.nn.relu])


@fails
def sequential_of_one_name(tf):
    return tf.keras.Sequential([tf.keras.layers.Dense(1, name="a"), tf.keras.layers.Dense(1, name="a")])


@fails
def sequential_on_another_width(tf):
    return network(tf, tf.keras.layers.Dense(1))(tf.ones((1, 5)))


def sequential_takes_the_first_of_several_inputs(tf):
    model = network(tf, tf.keras.layers.Dense(1))
    model.compile("sgd", "mse")
    history = model.fit([X, Y], Y, verbose=0, batch_size=4).history
    return [history, model([tf.constant(X), tf.constant(Y)]), model.predict([X, X], verbose=0)]


@fails
def functional_takes_no_more_inputs_than_it_has(tf):
    place = tf.keras.Input((3,))
    return tf.keras.Model(place, tf.keras.layers.Dense(1)(place))([tf.constant(X), tf.constant(X)])


@fails
def sequential_without_output_shape(tf):
    return tf.keras.Sequential([tf.keras.layers.Dense(1)]).output_shape


def sequential_in_sequential(tf):
    inner = tf.keras.Sequential([tf.keras.layers.Dense(2, name="a")], name="inner")
    model = tf.keras.Sequential([tf.keras.Input((3,)), inner, tf.keras.layers.Dense(1, name="b")], name="outer")
    return [filled(model)(tf.constant(X)), [each.path for each in model.weights]]


def functional(tf):
    inputs = tf.keras.Input((3,), name="x")
    hidden = tf.keras.layers.Dense(3, activation="relu", name="h")(inputs)
    outputs = tf.keras.layers.Dense(1, name="o")(hidden + inputs)
    model = filled(tf.keras.Model(inputs, outputs, name="f"))
    with tf.GradientTape() as tape:
        y = model(tf.constant(X))
    gradients = tape.gradient(y, model.trainable_variables)
    paths, names = [each.path for each in model.weights], [each.name for each in model.layers]
    return [y, gradients, paths, names, model.input_shape, model.output_shape]


def functional_shares_a_layer(tf):
    inputs, dense = tf.keras.Input((3,)), tf.keras.layers.Dense(3, name="shared")
    model = filled(tf.keras.Model(inputs=inputs, outputs=dense(dense(inputs)) * 2.0 - inputs))
    return [model(tf.constant(X)), len(model.weights)]


def functional_of_several(tf):
    a, b = tf.keras.Input((3,)), tf.keras.Input((3,))
    one, two = tf.keras.layers.Dense(1)(a), tf.keras.layers.Dense(2)(b)
    model = filled(tf.keras.Model([a, b], [one, two]))
    return [model([tf.constant(X), tf.constant(2 * X)]), len(model.inputs), len(model.outputs)]


def functional_part_of_a_model(tf):
    model = network(tf, tf.keras.layers.Dense(4, name="first"), tf.keras.layers.Dense(1))
    return tf.keras.Model(model.inputs, model.layers[0].output)(tf.constant(X))


@fails
def functional_on_another_width(tf):
    inputs = tf.keras.Input((3,))
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1)(inputs))(tf.ones((2, 4)))


@fails
def placeholder_in_a_function(tf):
    return tf.square(tf.keras.Input((3,)))


@fails
def placeholder_as_a_bool(tf):
    return bool(tf.keras.Input((3,)))


def get_layer(tf):
    model = network(tf, tf.keras.layers.Dense(1, name="a"))
    return [model.get_layer("a").name, model.get_layer(index=0).name]


@fails
def get_layer_of_no_such_name(tf):
    return network(tf, tf.keras.layers.Dense(1)).get_layer("nonsense")


def gradient_penalty(tf):
    layer, x = network(tf, tf.keras.layers.Dense(1, activation="sigmoid")), tf.constant(X)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = layer(x)
        penalty = tf.reduce_sum(inner.gradient(y, x) ** 2)
    return outer.gradient(penalty, layer.trainable_variables)


def gradients_of_an_unused_layer(tf):
    used, unused = network(tf, tf.keras.layers.Dense(1)), network(tf, tf.keras.layers.Dense(1), name="other")
    with tf.GradientTape() as tape:
        y = used(tf.constant(X))
    return [tape.gradient(y, unused.trainable_variables), len(tape.watched_variables())]


def built_by_hand(tf):
    dense, model = tf.keras.layers.Dense(2), tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)])
    dense.build((None, 3))
    model.build((None, 3))
    return [[each.path for each in (*dense.weights, *model.weights)], dense.built, model.built, model.output_shape]


def several_predictions(tf):
    inputs = tf.keras.Input((3,))
    return tf.keras.Model(inputs, [inputs * 2.0, inputs + 1.0]).predict(X, verbose=0, batch_size=3)


def named_input(tf):
    place = tf.keras.Input(shape=(3,), batch_size=2, name="in")
    return [tuple(place.shape), place.name]


def shapes_of_inputs(tf):
    def told(make):
        try:
            return [None if each is None else int(each) for each in make()]
        except ValueError as error:
            return type(error).__name__

    layer, place = tf.keras.layers.InputLayer, tf.keras.Input
    return [
        told(lambda: layer(input_shape=(3, 2)).batch_shape),
        told(lambda: layer(batch_input_shape=(2, None)).batch_shape),
        told(lambda: layer((3,), anything=1).batch_shape),
        told(lambda: place(tf.TensorShape([2, None])).shape),
        told(lambda: place([2, np.int64(3)], batch_size=4).shape),
        told(lambda: place(range(2)).shape),
        *(told(lambda wrong=wrong: place(wrong)) for wrong in (None, 3, (-1, 3), (2.0, 3), ("2",), "ab", ([2],))),
        told(lambda: place((2,), batch_shape=(2, 3))),
        told(lambda: place(batch_size=2, batch_shape=(2, 3))),
    ]


def placeholders_that_are_refused(tf):
    place = tf.keras.Input((2,))
    return errors(
        lambda: tf.keras.Input(),
        lambda: tf.keras.Input(shape=5),
        lambda: float(place),
        lambda: int(place),
        lambda: tf.keras.Model(place, tf.ones([1])),
        lambda: tf.keras.Model(tf.ones([1]), place),
        lambda: tf.keras.layers.Flatten("unknown"),
    )


def placeholders_are_described(tf):
    place = tf.keras.Input((None, 3), dtype="int32", name="place")
    made = tf.keras.layers.Dense(2)(tf.keras.Input((3,)))
    return [place.dtype, repr(place), made.dtype, tf.keras.Model(place, place * 2).outputs[0].dtype]


def inputs_by_their_batch_shape(tf):
    place = tf.keras.Input(batch_shape=(2, 3))
    model = tf.keras.Sequential([tf.keras.layers.InputLayer(batch_shape=(None, 3)), tf.keras.layers.Dense(1)])
    open_shapes = [tf.keras.Input((3,), 2, "int32", None, None, None, "p"), tf.keras.Input(shape=(None, 3))]
    return [place.shape, model.input_shape, [(each.shape, each.dtype, each.name) for each in open_shapes]]


def inputs_of_two_shapes(tf):
    return errors(lambda: tf.keras.Input((3,), batch_shape=(2, 3)), lambda: tf.keras.Input())


def sequences_without_rebuilding(tf):
    model = tf.keras.Sequential()
    model.add(tf.keras.layers.Dense(2), rebuild=False)
    model.add(tf.keras.layers.Dense(1))
    model.pop(rebuild=True)
    model.build((None, 3))
    waiting = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    waiting.build()
    shapes = [tuple(each.shape) for each in [*model.weights, model.call(tf.constant(X), False, None)]]
    return [model.built, waiting.built, shapes]


def placeholders_under_operators(tf):
    x, y = tf.keras.Input((3,), name="x"), tf.keras.Input((3, 4), name="y")
    flags = tf.keras.Input((3,), dtype="int32", name="flags")
    outputs = [abs(x), x // 2.0, x % 0.75, 7.0 // x, 1.0 % x, -x, y @ tf.ones((4, 2)), y.reshape((-1, 12)), y[:, 1:]]
    model = tf.keras.Model([x, y, flags], outputs)
    compared = [x > 0.5, x >= 0.5, x < x, x <= 0.5, flags != 1]
    given = [tf.constant(X), tf.reshape(tf.range(48.0), (4, 3, 4)), tf.ones((4, 3), tf.int32)]
    shapes = [(each.shape, each.dtype) for each in [*outputs, *compared]]
    return [shapes, model(given), tf.keras.Model([x, flags], compared)([given[0], given[2]])]


def layers_of_a_graph_are_in_order(tf):
    k = tf.keras.layers
    a, b, c = (tf.keras.Input((3,), name=name) for name in "abc")
    shared, middle, side = k.Dense(3, name="shared"), k.Dense(3, name="middle"), k.Dense(3, name="side")
    deep, flat = middle(shared(shared(b))), side(a)
    model = tf.keras.Model([a, b, c], [k.Dense(2, name="late")(flat), k.Add(name="sum")([flat, deep]) * 2.0])
    return [[each.name for each in model.layers], [each.path for each in model.weights], model.output_names]


def placeholders_of_models(tf):
    k = tf.keras.layers
    line = tf.keras.Sequential([tf.keras.Input((3,)), k.Dense(2)])
    place = tf.keras.Input((4,))
    graph = tf.keras.Model(place, k.Dense(1)(place))
    own = k.Dense(5)
    models = [line, graph, own]

    def all_of_them():
        return [answer(lambda each=each, name=name: getattr(each, name).shape) for each in models for name in NAMES]

    before = all_of_them()
    for model, width in ((line, 3), (graph, 4), (own, 3)):
        model(np.ones((1, width), np.float32))
    called = all_of_them()
    line(tf.keras.Input((3,)))
    own(tf.keras.Input((3,)))
    return [before, called, all_of_them(), line.inputs[0].shape, line.output_shape]


NAMES = ("input", "output")


@fails
def inputs_of_two_kinds(tf):
    first, second = tf.keras.Input((3,)), tf.keras.Input((3,))
    model = tf.keras.Model([first, second], tf.keras.layers.Add()([first, second]))
    return model([X, tf.constant(X)])


def inputs_of_one_kind(tf):
    first, second = tf.keras.Input((3,)), tf.keras.Input((3,))
    model = tf.keras.Model([first, second], tf.keras.layers.Add()([first, second]))
    return [model([X, X]), model([tf.constant(X), tf.constant(X)]), tf.keras.layers.Add()([X, tf.constant(X)])]


def _subtracting(tf, structure):
    """A model of the inputs b and a, in this order, in some structure: b - a."""
    b, a = (tf.keras.Input((1,), name=name) for name in "ba")
    return tf.keras.Model(structure(b, a), tf.keras.layers.Subtract()([b, a]))


_INPUTS = (
    [INPUT_B, INPUT_A],
    (INPUT_B, INPUT_A),
    {"b": INPUT_B, "a": INPUT_A},
    {"a": INPUT_A, "b": INPUT_B},
    {"a": INPUT_A, "b": INPUT_B, "more": INPUT_A},
    {"a": INPUT_A},
    {"x": INPUT_A, "y": INPUT_B},
    [INPUT_B],
    INPUT_B,
)


def _each_input(tf, structure):
    calls = (lambda given=given: _subtracting(tf, structure)(given) for given in _INPUTS)
    predictions = (lambda given=given: _subtracting(tf, structure).predict(given, verbose=0) for given in _INPUTS)
    return outcomes(*calls, *predictions)


def inputs_by_name_for_a_list(tf):
    return _each_input(tf, lambda b, a: [b, a])


def inputs_by_name_for_a_tuple(tf):
    return _each_input(tf, lambda b, a: (b, a))


def inputs_by_name_for_a_dict(tf):
    return _each_input(tf, lambda b, a: {"b": b, "a": a})


def inputs_by_name_for_a_sorted_dict(tf):
    return _each_input(tf, lambda b, a: {"a": a, "b": b})


def inputs_by_keys_that_are_no_names(tf):
    return _each_input(tf, lambda b, a: {"x": b, "y": a})


def one_input_by_name(tf):
    given = (INPUT_B, [INPUT_B], {"i": INPUT_B}, {"x": INPUT_B}, {"i": INPUT_B, "x": INPUT_A}, {})

    def sequence(place):
        return tf.keras.Sequential([place, tf.keras.layers.Rescaling(2.0)])

    def drawn(place):
        return tf.keras.Model(place, tf.keras.layers.Rescaling(2.0)(place))

    makes = (sequence, drawn, lambda place: tf.keras.Model([place], tf.keras.layers.Rescaling(2.0)(place)))
    models = [make(tf.keras.Input((1,), name="i")) for make in makes]
    return [outcomes(*(lambda model=model, each=each: model(each) for each in given)) for model in models]


def a_model_inside_takes_names(tf):
    places = [tf.keras.Input((1,)), tf.keras.Input((1,))]
    outer = tf.keras.Model(places, _subtracting(tf, lambda b, a: [b, a])({"a": places[1], "b": places[0]}))
    return outer([INPUT_B, INPUT_A])


def a_dataset_of_more_than_the_inputs(tf):
    model = _subtracting(tf, lambda b, a: [b, a])
    model.compile("sgd", "mse")
    data = tf.data.Dataset.from_tensor_slices(
        ({"a": INPUT_A, "b": INPUT_B, "id": INPUT_A}, np.zeros((2, 1), "f"))
    ).batch(2)
    return float(model.evaluate(data, verbose=0))


def _state(model):
    return [model.built, [each.path for each in model.weights], model.output_shape if model.built else None]


def sequential_keeps_the_shape_it_was_built_for(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, name="a"), tf.keras.layers.Dense(4, name="b")], name="s")
    model.build((None, 3))
    seen = [_state(model)]
    for change in (model.pop, lambda: model.add(tf.keras.layers.Dense(5, name="c"))):
        change()
        seen.append(_state(model))
    shapes = ((None, 3), (2, 3), (None, 4))
    return [seen, outcomes(*(lambda shape=shape: model.build(shape) for shape in shapes))]


def sequential_that_begins_with_a_model(tf):
    place = tf.keras.Input((3,))
    first = tf.keras.Model(place, tf.keras.layers.Dense(2, name="x")(place), name="first")
    more = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, name="y")], name="more")
    return [_state(tf.keras.Sequential([each, tf.keras.layers.Dense(4, name="z")], name="s")) for each in (first, more)]


def sequential_of_one_layer_thrice(tf):
    layer = tf.keras.layers.Dense(3, name="d", kernel_initializer="ones")
    model = tf.keras.Sequential([tf.keras.Input((3,)), layer, layer, layer], name="s")
    clone = tf.keras.models.clone_model(model)
    return [_state(model), _state(clone), len(clone.layers), clone.count_params(), model(np.ones((2, 3), "f"))]


def sequential_of_two_inputs(tf):
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
    return outcomes(
        lambda: tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.Input((3,))]),
        lambda: model.add(tf.keras.Input((3,))),
        lambda: model.add(tf.keras.layers.InputLayer((3,))),
    )


def sequential_that_begins_with_a_join(tf):
    model = tf.keras.Sequential([tf.keras.layers.Concatenate(), tf.keras.layers.Rescaling(2.0)])
    return [model([INPUT_A, INPUT_B]), model.predict([INPUT_A, INPUT_B], verbose=0)]


def inputs_that_are_none(tf):
    model = _subtracting(tf, lambda b, a: [b, a])
    line = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    given = ({"a": None, "b": INPUT_B}, [None, None], None)
    return outcomes(*(lambda each=each: model(each) for each in given), lambda: line([None]), lambda: line(None))


def sequential_of_its_first_dtype(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, dtype="float64", kernel_initializer="ones")])
    outputs = model(np.full((1, 2), 0.1))
    return [outputs, float(outputs[0, 0]) == 0.2, [each.dtype for each in model.inputs]]


def output_that_is_alone_in_a_list(tf):
    x = tf.keras.Input((2,))
    y = tf.keras.layers.Dense(1, kernel_initializer="ones")(x)
    z = np.ones((1, 2), np.float32)
    models = [tf.keras.Model([x], outputs) for outputs in ([y], (y,), [[y]], {"a": y}, [y, y])]
    shown = [[each([z]), each.predict(z, verbose=0), type(each.output).__name__] for each in models]
    placed = tf.keras.Model(x, [y])(x)
    outer = tf.keras.Model(x, tf.keras.layers.Dense(2, kernel_initializer="ones")(placed[0]))
    return [shown, type(placed).__name__, outer(z), tf.keras.models.clone_model(models[0])([z]).shape[1]]


def a_model_that_is_refused_takes_a_name(tf):
    first, second = tf.keras.Input((2,)), tf.keras.Input((2,))
    end = tf.keras.layers.Dense(1)(first)
    refused = [(second, end), ([], end), (first, tf.ones([2])), (tf.ones([2]), end)]
    return [
        [errors(lambda ends=ends: tf.keras.Model(*ends)), tf.keras.Model(first, end).name, tf.keras.Model().name]
        for ends in refused
    ]


def inputs_of_batches_of_no_such_size(tf):
    return errors(*[lambda size=size: tf.keras.Input((2,), batch_size=size) for size in (-1, "a", 2.5, 0, np.int64(3))])


def a_layer_called_twice_shows_its_first_call(tf):
    layers = tf.keras.layers
    relu, ones = layers.ReLU(name="relu"), {"kernel_initializer": "ones"}
    x = tf.keras.Input((3,))
    chain = tf.keras.Model(x, relu(layers.Dense(2, **ones)(relu(layers.Dense(4, **ones)(x)))))
    inner = tf.keras.Model(chain.input, chain.get_layer("relu").output)
    embedding = layers.Embedding(5, 2, embeddings_initializer="ones", name="shared")
    one, other = tf.keras.Input((3,)), tf.keras.Input((3,))
    pair = tf.keras.Model([one, other], layers.Add()([embedding(one), embedding(other)]))
    alone = tf.keras.Model(pair.input[0], pair.get_layer("shared").output)
    return [
        inner(tf.ones((1, 3))),
        alone(tf.ones((1, 3))),
        embedding.input is one,
        errors(lambda: tf.keras.Model(pair.input[1], pair.get_layer("shared").output)),
    ]


def a_compiled_model_is_cloned_compiled(tf):
    keras, layers = tf.keras, tf.keras.layers
    ones, x, y = {"kernel_initializer": "ones"}, np.float32(X), np.ones((len(X), 1), np.float32)
    line = keras.Sequential([keras.Input((3,)), layers.Dense(1, **ones)])
    line.compile(keras.optimizers.Adam(0.1), keras.losses.Huber(), metrics=["mae", keras.metrics.MeanSquaredError()])
    entry = keras.Input((3,))
    graph = keras.Model(entry, {"a": layers.Dense(1, name="a", **ones)(entry), "b": layers.ReLU(name="b")(entry)})
    told = {"loss": {"a": "mse", "b": keras.losses.MeanAbsoluteError()}, "loss_weights": {"a": 1.0, "b": 0.5}}
    graph.compile("sgd", **told, metrics={"a": ["mae"]})
    clones = [keras.models.clone_model(each) for each in (line, graph)]
    bare = keras.models.clone_model(keras.Sequential([keras.Input((3,)), layers.Dense(1)]))
    return [
        [each.get_compile_config() for each in (line, graph, bare)],
        [clones[0].optimizer is line.optimizer, clones[0].compiled, bare.compiled],
        clones[0].fit(x, y, epochs=2, verbose=0).history,
        clones[1].fit(x, {"a": y, "b": x}, verbose=0).history,
    ]


def a_subclassed_model_is_cloned_compiled(tf):
    class Own(tf.keras.Model):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")

        def call(self, x):
            return self.dense(x)

    model = Own()
    model.compile("sgd", "mse")
    clone = tf.keras.models.clone_model(model)
    return [clone.compiled, clone.fit(np.float32(X), np.ones((len(X), 1), np.float32), verbose=0).history]


@fails
def a_loss_of_the_users_own_cannot_be_cloned(tf):
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", loss=errors)
    return tf.keras.models.clone_model(model)
