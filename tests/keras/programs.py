"""Small Keras programs, each run under TensorFlow and under tapeviz: `program(tf)` -> its results, or its error."""

from __future__ import annotations

import contextlib
import copy
import io
import pickle
import tempfile
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np

X = np.float32([[0.5, -1.0, 2.0], [1.5, 0.2, -0.3], [0.0, 0.1, 0.9], [-2.0, 1.0, 0.4]])
Y = np.float32([[1.0], [0.0], [0.5], [-1.0]])
CLASSES = np.int32([0, 1, 1, 0])


def _filled(layer, seed=0):
    numbers = np.random.RandomState(seed)
    layer.set_weights([numbers.normal(size=each.shape).astype(np.float32) for each in layer.get_weights()])
    return layer


def _network(tf, *layers, name="net"):
    model = tf.keras.Sequential([tf.keras.Input((3,)), *layers], name=name)
    return _filled(model)


def _text(print_summary):
    lines = []
    print_summary(lambda text, *args, **kwargs: lines.append(text))
    return [line.rstrip() for line in "\n".join(lines).splitlines()]


# ----- variables -----


def kernel_is_described(tf):
    layer = tf.keras.layers.Dense(2, kernel_initializer="ones", name="d")
    layer(tf.constant(X))
    kernel = layer.kernel
    kind = isinstance(kernel, tf.Variable)
    return [repr(kernel), kernel.name, kernel.path, kernel.shape == (3, 2), repr(kernel.shape), kernel.ndim, kind]


def kernel_is_no_variable_of_tensorflow(tf):
    layer = tf.keras.layers.Dense(2, kernel_initializer="ones")
    layer(tf.constant(X))
    methods = ("scatter_update", "scatter_nd_add", "batch_scatter_update", "gather_nd", "sparse_read", "initial_value")
    layer.kernel[0].assign([5.0, 6.0])
    told = [layer.kernel.aggregation, layer.kernel.synchronization]
    return [hasattr(layer.kernel, each) for each in (*methods, "eval", "assign", "assign_sub")], told, layer.kernel


def module_does_not_find_the_variables_of_keras(tf):
    module = tf.Module()
    module.kernel, module.own = tf.keras.Variable([1.0]), tf.Variable(2.0)
    return [variable.numpy() for variable in module.variables]


def kernel_holds_a_variable(tf):
    layer = tf.keras.layers.Dense(1, kernel_initializer="ones", name="d")
    with tf.GradientTape() as tape:
        y = layer(tf.constant(X)) ** 2
    held, watched = layer.kernel.value, tape.watched_variables()
    shown = [repr(held), repr(held.dtype), repr(watched), isinstance(held, tf.Variable)]
    tf.keras.optimizers.SGD(0.5).apply_gradients(zip(tape.gradient(y, watched), watched, strict=True))
    held.assign_add(tf.ones([3, 1]))
    held[0].assign([7.0])
    return [shown, held + layer.bias.value, layer.kernel]


def copy_of_what_a_kernel_holds_is_a_variable(tf):
    held = tf.keras.Variable([1.0, 2.0], name="k").value
    twin = copy.deepcopy(held)
    twin.assign([0.0, 0.0])
    return [twin.name, repr(twin), repr(held)]


def frozen_weights_stay_watched(tf):
    layer = tf.keras.layers.Dense(1)
    layer(tf.constant(X))
    layer.trainable = False
    with tf.GradientTape() as tape:
        layer(tf.constant(X))
    return [[each.trainable for each in tape.watched_variables()], layer.kernel.trainable]


def kernel_is_assigned(tf):
    layer = tf.keras.layers.Dense(1)
    layer(tf.constant(X))
    kernel = layer.kernel
    returned = [
        kernel.assign(np.ones((3, 1))),
        kernel.assign_add([[1.0], [2.0], [3.0]]),
        kernel.assign_sub(tf.ones((3, 1))),
    ]
    return [*returned, kernel]


def kernel_of_another_shape(tf):
    layer = tf.keras.layers.Dense(1)
    layer(tf.constant(X))
    return layer.kernel.assign(np.ones((2, 1)))


def kernel_in_arithmetic(tf):
    layer = _filled(_network(tf, tf.keras.layers.Dense(2)))
    kernel = layer.weights[0]
    return [
        kernel + 1.0,
        2.0 * kernel,
        kernel @ tf.ones((2, 1)),
        tf.reduce_sum(kernel),
        kernel[0],
        -kernel,
        tf.transpose(kernel),
    ]


def rows_of_a_kernel(tf):
    rows = iter(_network(tf, tf.keras.layers.Dense(2)).weights[0])
    return [next(rows), next(rows), next(rows)]


def kernel_is_not_iterated_to_its_end(tf):
    return list(_network(tf, tf.keras.layers.Dense(2)).weights[0])


def second_names_of_keras(tf):
    same = [
        getattr(tf, name).get(each).__class__.__name__
        for name, each in (
            ("optimizers", "adam"),
            ("losses", tf.losses.Huber()),
            ("metrics", tf.metrics.Mean()),
            ("initializers", "ones"),
        )
    ]
    made = [
        tf.random_normal_initializer(0.0, 0.02)((2, 3)).shape,
        tf.random_uniform_initializer(-0.1, 0.1)((2,)).dtype.name,
        tf.zeros_initializer()(shape=(2,), dtype="float32"),
        tf.ones_initializer()((2,)),
        tf.constant_initializer(3.0)((2,)),
    ]
    layer = tf.keras.layers.Dense(
        2, kernel_initializer=tf.constant_initializer(0.5), bias_initializer=tf.initializers.ones
    )
    return [same, [list(each) if hasattr(each, "as_list") else each for each in made], layer(tf.constant(X))]


def weight_penalty(tf):
    layer = _filled(_network(tf, tf.keras.layers.Dense(2)))
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.square(each)) for each in layer.trainable_variables)
    return tape.gradient(loss, layer.trainable_variables)


def initializer_is_called(tf):
    return [
        tf.keras.initializers.Constant(2.5)((2, 3)),
        tf.keras.initializers.Constant([1.0, 2.0])((3, 2), dtype="float64"),
    ]


# ----- layers -----


def layer_without_input(tf):
    layer = tf.keras.layers.Dense(2)
    return [layer.weights, layer.trainable_variables, layer.built]


def layer_on_a_vector(tf):
    return tf.keras.layers.Dense(2)(tf.ones(3))


def layer_on_another_width(tf):
    layer = tf.keras.layers.Dense(2)
    layer(tf.ones((1, 3)))
    return layer(tf.ones((1, 4)))


def layer_on_a_list(tf):
    return tf.keras.layers.Dense(2)([[1.0, 2.0]])


def layer_on_integers(tf):
    return tf.keras.layers.Dense(2, kernel_initializer="ones")(tf.constant([[1, 2]]))


def layer_on_an_array(tf):
    return tf.keras.layers.Dense(2, kernel_initializer="ones")(np.float64([[1, 2]]))


def layer_without_units(tf):
    return tf.keras.layers.Dense(0)


def layer_with_an_unknown_activation(tf):
    return tf.keras.layers.Dense(1, activation="nonsense")


def layer_with_an_unknown_initializer(tf):
    return tf.keras.layers.Dense(1, kernel_initializer="nonsense")


def layer_with_an_unknown_argument(tf):
    return tf.keras.layers.Dense(1, colour="red")


def dropout_rate_too_large(tf):
    return tf.keras.layers.Dropout(1.5)


def negative_slope(tf):
    return tf.keras.layers.ReLU(negative_slope=-1.0)


def no_filters(tf):
    return tf.keras.layers.Conv2D(0, 3)


def set_weights_of_another_number(tf):
    layer = tf.keras.layers.Dense(2)
    layer(tf.ones((1, 3)))
    layer.set_weights([np.ones((3, 2))])


def set_weights_of_another_shape(tf):
    layer = tf.keras.layers.Dense(2)
    layer(tf.ones((1, 3)))
    layer.set_weights([np.ones((2, 2)), np.ones(2)])


def names_are_counted(tf):
    layers = tf.keras.layers
    made = [
        layers.Dense(1),
        layers.Dense(1),
        layers.Conv2D(1, 1),
        layers.ReLU(),
        layers.Flatten(),
        layers.Dense(1, name="out"),
    ]
    return [[each.name for each in made], repr(made[0])]


def own_layer(tf):
    class Scale(tf.keras.layers.Layer):
        def __init__(self, power, **kwargs):
            super().__init__(**kwargs)
            self.power = power

        def build(self, input_shape):
            self.factor = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="factor")
            self.count = self.add_weight(shape=(), initializer="zeros", trainable=False, name="count")

        def call(self, inputs):
            self.count.assign_add(1.0)
            return inputs**self.power * self.factor

    layer = Scale(2.0)
    with tf.GradientTape() as tape:
        y = layer(tf.constant(X))
    groups = (layer.weights, layer.trainable_weights, layer.non_trainable_weights)
    return [y, tape.gradient(y, layer.factor), [[each.path for each in group] for group in groups], layer.count]


def own_layer_of_layers(tf):
    class Block(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.layers = [tf.keras.layers.Dense(2)]
            self.layers.append(tf.keras.layers.Dense(1))
            self.scale = self.add_weight(shape=(), initializer="ones", name="scale")

        def call(self, inputs):
            for layer in self.layers:
                inputs = layer(inputs)
            return inputs * self.scale

    block = Block()
    block(tf.constant(X))
    _filled(block)
    return [[each.path for each in block.weights], block(tf.constant(X)), block.count_params()]


def own_layer_without_super(tf):
    class Broken(tf.keras.layers.Layer):
        def __init__(self):
            self.dense = tf.keras.layers.Dense(1)

        def call(self, inputs):
            return self.dense(inputs)

    return Broken()(tf.constant(X))


def own_layer_that_fails(tf):
    class Broken(tf.keras.layers.Layer):
        def call(self, inputs):
            return tf.matmul(inputs, inputs)

    return Broken()(tf.constant(X))


def training_reaches_inner_layers(tf):
    seen = []

    class Spy(tf.keras.layers.Layer):
        def call(self, inputs, training=False):
            seen.append(training)
            return inputs

    class Outer(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.spy = Spy()

        def call(self, inputs):
            return self.spy(inputs)

    outer, x = Outer(), tf.constant(X)
    outer(x)
    outer(x, training=True)
    outer.spy(x)
    return seen[-2:]


def frozen_layer(tf):
    layer = _network(tf, tf.keras.layers.Dense(2), tf.keras.layers.Dense(1))
    layer.layers[0].trainable = False
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(tf.constant(X)))
    gradients = tape.gradient(loss, layer.weights)
    paths = [[each.path for each in group] for group in (layer.trainable_variables, layer.non_trainable_variables)]
    return [gradients, paths, layer.layers[0].trainable_weights]


def dropout_while_training(tf):
    y = tf.keras.layers.Dropout(0.25)(tf.ones((200, 50)), training=True)
    return [sorted(set(np.round(y.numpy().ravel(), 4).tolist())), 0.7 < float(np.mean(y.numpy() > 0)) < 0.8]


# ----- models -----


def sequential(tf):
    dense = tf.keras.layers.Dense
    model = _network(tf, dense(4, activation="relu"), tf.keras.layers.Dropout(0.5), dense(2), tf.keras.layers.Softmax())
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
    return [before, [each.path for each in model.weights], model.built, _filled(model)(tf.constant(X))]


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
    return [*shapes, model.output_shape, len(model.layers), _filled(model)(tf.constant(X))]


def sequential_of_a_function(tf):
    return tf.keras.Sequential([tf.nn.relu])


def sequential_of_one_name(tf):
    return tf.keras.Sequential([tf.keras.layers.Dense(1, name="a"), tf.keras.layers.Dense(1, name="a")])


def texts_for_a_layer_with_weights(tf):
    return tf.keras.layers.Dense(1)(tf.constant([["a", "b"]]))


def truth_values_for_a_convolution(tf):
    return tf.keras.layers.Conv2D(1, 2)(tf.ones((1, 4, 4, 1), tf.bool))


def texts_for_a_convolution(tf):
    return tf.keras.layers.Conv2D(1, 2)(tf.fill((1, 4, 4, 1), "a"))


def complex_numbers_for_a_convolution(tf):
    return tf.keras.layers.Conv2D(1, 2)(tf.ones((1, 4, 4, 1), tf.complex64))


def sequential_on_another_width(tf):
    return _network(tf, tf.keras.layers.Dense(1))(tf.ones((1, 5)))


def sequential_takes_the_first_of_several_inputs(tf):
    model = _network(tf, tf.keras.layers.Dense(1))
    model.compile("sgd", "mse")
    history = model.fit([X, Y], Y, verbose=0, batch_size=4).history
    return [history, model([tf.constant(X), tf.constant(Y)]), model.predict([X, X], verbose=0)]


def functional_takes_no_more_inputs_than_it_has(tf):
    place = tf.keras.Input((3,))
    return tf.keras.Model(place, tf.keras.layers.Dense(1)(place))([tf.constant(X), tf.constant(X)])


def fit_on_labels_alone(tf):
    model = _network(tf, tf.keras.layers.Dense(1))
    model.compile("sgd", "mse")
    return model.fit(None, Y, verbose=0)


def sequential_without_output_shape(tf):
    return tf.keras.Sequential([tf.keras.layers.Dense(1)]).output_shape


def sequential_in_sequential(tf):
    inner = tf.keras.Sequential([tf.keras.layers.Dense(2, name="a")], name="inner")
    model = tf.keras.Sequential([tf.keras.Input((3,)), inner, tf.keras.layers.Dense(1, name="b")], name="outer")
    return [_filled(model)(tf.constant(X)), [each.path for each in model.weights]]


def summary_in_other_widths_and_of_some_layers(tf):
    model = _network(tf, tf.keras.layers.Dense(4, name="first"), tf.keras.layers.Flatten(name="last"))
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
            texts.append(_text(lambda show, options=options: model.summary(print_fn=show, **options)))
        except ValueError as error:
            texts.append(str(error))
    return texts


def summary(tf):
    return _text(lambda show: _network(tf, tf.keras.layers.Dense(4), tf.keras.layers.Flatten()).summary(print_fn=show))


def summary_before_the_first_call(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)], name="waiting")
    return _text(lambda show: model.summary(print_fn=show))


def summary_of_frozen_layers(tf):
    model = _network(tf, tf.keras.layers.Dense(400), tf.keras.layers.Dense(1))
    model.layers[0].trainable = False
    return _text(lambda show: model.summary(print_fn=show))


def summary_of_long_names(tf):
    k = tf.keras.layers
    place = tf.keras.Input((12, 12, 64))
    wide = k.Conv2D(1024, 3, padding="same", name="a_name_that_is_much_too_long_for_one_line")(place)
    end = k.GlobalAveragePooling2D()(k.BatchNormalization()(wide) * 2.0)
    return _text(lambda write: tf.keras.Model(place, end).summary(print_fn=write))


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
    return [_text(lambda write, each=each: each.summary(print_fn=write)) for each in models]


def summary_of_a_layer_with_two_outputs(tf):
    class Two(tf.keras.layers.Layer):
        def call(self, inputs):
            return inputs, inputs * 2.0

    place = tf.keras.Input((3,))
    one, other = outputs = Two()(place)
    models = [tf.keras.Model(place, outputs), tf.keras.Model(place, tf.keras.layers.Add()([other, one]))]
    return [_text(lambda write, each=each: each.summary(print_fn=write)) for each in models]


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
    before = _text(lambda write: net.summary(print_fn=write))
    net(np.zeros((4, 12), np.float32))
    return [before, _text(lambda write: net.summary(print_fn=write))]


def subclass(tf):
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.hidden = tf.keras.layers.Dense(4, activation="tanh")
            self.out = tf.keras.layers.Dense(1)

        def call(self, x):
            return self.out(self.hidden(x))

    model = Net()
    before = list(model.trainable_variables)
    model(tf.constant(X))
    _filled(model)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(tf.constant(X)) - Y))
    gradients = tape.gradient(loss, model.trainable_variables)
    text = _text(lambda show: model.summary(print_fn=show))
    return [before, loss, gradients, [each.path for each in model.weights], [each.name for each in model.layers], text]


def subclass_without_call(tf):
    return tf.keras.Model()(tf.constant(X))


def functional(tf):
    inputs = tf.keras.Input((3,), name="x")
    hidden = tf.keras.layers.Dense(3, activation="relu", name="h")(inputs)
    outputs = tf.keras.layers.Dense(1, name="o")(hidden + inputs)
    model = _filled(tf.keras.Model(inputs, outputs, name="f"))
    with tf.GradientTape() as tape:
        y = model(tf.constant(X))
    gradients = tape.gradient(y, model.trainable_variables)
    paths, names = [each.path for each in model.weights], [each.name for each in model.layers]
    return [y, gradients, paths, names, model.input_shape, model.output_shape]


def functional_chain_summary(tf):
    inputs = tf.keras.Input((3,), name="x")
    outputs = tf.keras.layers.Dense(1, name="o")(tf.keras.layers.Dense(3, name="h")(inputs))
    return _text(lambda show: tf.keras.Model(inputs, outputs, name="f").summary(print_fn=show))


def functional_shares_a_layer(tf):
    inputs, dense = tf.keras.Input((3,)), tf.keras.layers.Dense(3, name="shared")
    model = _filled(tf.keras.Model(inputs=inputs, outputs=dense(dense(inputs)) * 2.0 - inputs))
    return [model(tf.constant(X)), len(model.weights)]


def functional_of_several(tf):
    a, b = tf.keras.Input((3,)), tf.keras.Input((3,))
    one, two = tf.keras.layers.Dense(1)(a), tf.keras.layers.Dense(2)(b)
    model = _filled(tf.keras.Model([a, b], [one, two]))
    return [model([tf.constant(X), tf.constant(2 * X)]), len(model.inputs), len(model.outputs)]


def functional_part_of_a_model(tf):
    model = _network(tf, tf.keras.layers.Dense(4, name="first"), tf.keras.layers.Dense(1))
    return tf.keras.Model(model.inputs, model.layers[0].output)(tf.constant(X))


def functional_on_another_width(tf):
    inputs = tf.keras.Input((3,))
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1)(inputs))(tf.ones((2, 4)))


def placeholder_in_a_function(tf):
    return tf.square(tf.keras.Input((3,)))


def placeholder_as_a_bool(tf):
    return bool(tf.keras.Input((3,)))


def get_layer(tf):
    model = _network(tf, tf.keras.layers.Dense(1, name="a"))
    return [model.get_layer("a").name, model.get_layer(index=0).name]


def get_layer_of_no_such_name(tf):
    return _network(tf, tf.keras.layers.Dense(1)).get_layer("nonsense")


# ----- losses and metrics -----


def loss_of_lists(tf):
    return tf.keras.losses.MeanSquaredError()([[0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 0.0]])


def loss_of_a_list_and_a_tensor(tf):
    return tf.keras.losses.MeanSquaredError()([0.0, 1.0], tf.constant([1.0, 1.0]))


def loss_of_lists_of_different_lengths(tf):
    return tf.keras.losses.MeanSquaredError()([[0.0, 1.0, 2.0]], [[1.0, 1.0]])


def loss_of_integers(tf):
    return [
        tf.keras.losses.mse([[1, 2]], [[3, 5]]),
        tf.keras.losses.MeanSquaredError()(np.int32([1, 2]), np.int32([3, 5])),
    ]


def loss_of_an_unknown_reduction(tf):
    return tf.keras.losses.MeanSquaredError(reduction="nonsense")


def loss_of_shapes_that_differ(tf):
    return tf.keras.losses.CategoricalCrossentropy()(tf.ones((2, 3)), tf.ones((2, 2)))


def loss_of_a_class_out_of_range(tf):
    return tf.keras.losses.SparseCategoricalCrossentropy()(tf.constant([5]), tf.constant([[0.5, 0.5]]))


def loss_of_classes_along_another_axis(tf):
    classes, predictions = tf.constant([[0, 1]]), tf.constant([[[0.2, 0.8], [0.7, 0.3]]])
    return tf.keras.losses.sparse_categorical_crossentropy(classes, predictions, axis=1)


def own_loss(tf):
    class Quartic(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return tf.reduce_mean((y_true - y_pred) ** 4, axis=-1)

    return [Quartic()(tf.constant(Y), tf.zeros((4, 1))), Quartic(reduction="sum")(tf.constant(Y), tf.zeros((4, 1)))]


def own_loss_of_a_list_and_a_tensor(tf):
    class Cubic(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return tf.reduce_mean(tf.abs(y_true - y_pred) ** 3, axis=-1)

    labels, loss = [[0.0], [1.0]], Cubic()
    with tf.GradientTape() as tape:
        v = tf.Variable([[0.5], [3.0]])
        y = loss(labels, v)
    return [y, tape.gradient(y, v), loss(tf.constant(labels), [[0.5], [3.0]]), loss(labels, np.float32([[0.5], [3.0]]))]


def own_loss_of_lists_is_of_lists(tf):
    class Distance(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return y_true - y_pred

    return Distance()([0.0], [1.0])


def metrics_by_their_names(tf):
    names = "Precision, precision, AUC, auc, mse, MSE, mape, MSLE, bce, f1_score, sum, log_cosh_error, TruePositives"
    found = [tf.keras.metrics.get(name) for name in names.split(", ")]
    return [(type(each).__name__, each.name) for each in found] + [tf.keras.metrics.get(None)]


def metric_of_no_name(tf):
    return tf.keras.metrics.get("kld")


def metric_by_a_name_that_says_too_little(tf):
    return tf.keras.metrics.get("MeanIoU")


def metrics_as_plain_values(tf):
    m = tf.keras.metrics
    wrapped = m.MeanMetricWrapper(m.huber, "wide", delta=2.0)
    again = m.MeanMetricWrapper.from_config(wrapped.get_config())
    told = m.serialize(m.Precision([0.2, 0.7], name="p"))
    return [told, m.deserialize(told).thresholds, m.serialize(m.mse), wrapped.get_config(), again(Y, 3 * Y)]


def _refused(make):
    try:
        return repr(make())
    except Exception as error:
        return [type(error).__name__, str(error).split(" Expected one of: ")[0].split(" Received input")[0]]


def metrics_that_are_refused(tf):
    m = tf.keras.metrics
    makes = (
        lambda: m.Precision(2.0), lambda: m.TruePositives([0.5, -1]), lambda: m.AUC(curve="x"),
        lambda: m.AUC(summation_method="x"), lambda: m.AUC(1), lambda: m.AUC(num_labels=2),
        lambda: m.AUC(multi_label=True)(CLASSES, CLASSES), lambda: m.F1Score("x"), lambda: m.F1Score(threshold=1),
        lambda: m.F1Score(threshold=2.0), lambda: m.FBetaScore(beta=1), lambda: m.FBetaScore(beta=-1.0),
        lambda: m.F1Score()(CLASSES, CLASSES), lambda: m.R2Score("x"), lambda: m.R2Score(num_regressors=-1),
        lambda: m.R2Score()(CLASSES, CLASSES), lambda: m.IoU(2, [2]), lambda: m.BinaryIoU([0, 2]),
        lambda: m.Metric(foo=1), lambda: m.MeanIoU(),
    )  # fmt: skip
    return [_refused(make) for make in makes]


def metrics_of_shapes_that_do_not_fit(tf):
    return tf.keras.metrics.Precision()(np.float32([0, 1, 1]), np.float32([0.1, 0.2]))


def counts_of_other_labels_than_told(tf):
    return tf.keras.metrics.AUC(multi_label=True, num_labels=3)(X > 0, np.abs(X[:, :2]) / 2)


def sums_that_leave_another_shape(tf):
    variable = tf.keras.Variable(np.zeros(3, np.float32))
    changes = (np.ones((2, 3)), np.ones(2), np.ones((1, 3)), np.ones(1), 2.0)
    return [_refused_class(lambda each=each: variable.assign_add(each)) for each in changes] + [variable]


def _refused_class(make):
    try:
        return make()
    except Exception as error:
        return type(error).__name__


def metric_of_metrics(tf):
    class Both(tf.keras.metrics.Metric):
        def __init__(self, **options):
            super().__init__(**options)
            self.inner = tf.keras.metrics.Mean()
            self.seen = self.add_variable((), "zeros", name="seen")
            self.found = tf.keras.Variable(2.0, name="found")
            self.others = [tf.keras.metrics.Sum(dtype="float64")]

        def update_state(self, values, more=None, sample_weight=None):
            self.inner.update_state(values)
            self.seen.assign_add(np.inf)

        def result(self):
            return {"mean": self.inner.result(), "seen": self.seen}

    metric = Both(name="both")
    results = [
        metric([1.0, 3.0]),
        [each.path for each in metric.variables],
        [str(each.dtype) for each in metric.variables],
    ]
    metric.reset_state()
    model = _compiled(tf, metrics=[Both()])
    return [*results, metric.variables, metric.get_config(), model.evaluate(X, Y, verbose=0)]


def metric_that_takes_no_weights(tf):
    class Seen(tf.keras.metrics.Metric):
        def update_state(self, y_true, y_pred):
            pass

        def result(self):
            return 0.0

    return _compiled(tf, metrics=[Seen()]).fit(X, Y, verbose=0).history


def weight_of_a_metric_without_initializer(tf):
    return tf.keras.metrics.Mean().add_weight(name="w")


def fit_with_metrics_by_name(tf):
    model = _filled(tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1, "sigmoid")]))
    named = ["Precision", "recall", "AUC", "acc", "MSE", "mse", "r2_score", "root_mean_squared_error", "kl_divergence"]
    functions = [tf.keras.losses.mae, tf.keras.losses.Huber(), lambda y, p: tf.reduce_mean(p), tf.keras.metrics.Recall]
    model.compile("sgd", "mse", metrics=[*named, *functions])
    history = model.fit(X, np.float32(Y > 0), epochs=2, verbose=0, shuffle=False).history
    kinds = [type(each).__name__ for each in model.metrics[1].metrics]
    return [history, kinds, [each.name for each in model.metrics[1].metrics]]


def fit_with_a_score_for_each_class(tf):
    model = _filled(tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(3, "softmax")]))
    metrics = [tf.keras.metrics.F1Score(), "top_k_categorical_accuracy", "accuracy"]
    model.compile("sgd", "categorical_crossentropy", metrics=metrics)
    with contextlib.redirect_stdout(io.StringIO()):
        return model.fit(X, np.eye(3, dtype=np.float32)[CLASSES], epochs=2, verbose=2, shuffle=False).history


def compiled_with_metrics_that_are_none(tf):
    return _compiled(tf, metrics=[None]).fit(X, Y, verbose=0)


def compiled_with_a_metric_of_no_name(tf):
    return _compiled(tf, metrics=["huber"]).fit(X, Y, verbose=0)


def top_k_of_rows_alone(tf):
    return tf.keras.metrics.top_k_categorical_accuracy(X[0], X[0], k=1)


def top_k_of_more_axes(tf):
    m, steps = tf.keras.metrics, np.stack([X, -X])
    found = m.sparse_top_k_categorical_accuracy(np.int32([[0, 1, 2, 9], [2, 1, 0, 1]]), steps, k=2)
    return [found, m.sparse_top_k_categorical_accuracy(CLASSES, X * np.float32([1.0, np.nan, np.inf]), k=2)]


def own_metric(tf):
    class Largest(tf.keras.metrics.Metric):
        def __init__(self):
            super().__init__(name="largest")
            self.top = self.add_weight(name="top", initializer="zeros")

        def update_state(self, values):
            self.top.assign(tf.maximum(self.top, tf.reduce_max(values)))

        def result(self):
            return self.top

    metric = Largest()
    return [metric([1.0, 3.0]), metric([2.0]), [each.path for each in metric.variables], repr(metric)]


# ----- optimizers -----


def none_gradients_are_skipped(tf):
    a, b = tf.Variable(1.0), tf.Variable(1.0)
    tf.keras.optimizers.SGD(0.5).apply_gradients([(tf.constant(1.0), a), (None, b)])
    return [a, b]


def no_gradients_at_all(tf):
    return tf.keras.optimizers.Adam(0.1).apply_gradients([(None, tf.Variable(1.0))])


def no_pairs(tf):
    return tf.keras.optimizers.Adam(0.1).apply_gradients([])


def unknown_variable(tf):
    optimizer = tf.keras.optimizers.Adam(0.1)
    optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])
    return optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])


def integer_learning_rate(tf):
    return tf.keras.optimizers.SGD(1)


def unknown_optimizer_argument(tf):
    return tf.keras.optimizers.SGD(lr=0.1)


def momentum_above_one(tf):
    return tf.keras.optimizers.SGD(0.1, momentum=2.0)


def two_ways_of_clipping(tf):
    return tf.keras.optimizers.SGD(0.1, clipnorm=1.0, clipvalue=1.0)


def learning_rate_is_set(tf):
    optimizer, w = tf.keras.optimizers.SGD(0.1), tf.Variable(1.0)
    optimizer.apply_gradients([(tf.constant(1.0), w)])
    optimizer.learning_rate = 0.5
    optimizer.learning_rate.assign(0.25)
    optimizer.apply_gradients([(tf.constant(1.0), w)])
    return [w, float(optimizer.learning_rate), int(optimizer.iterations)]


def learning_rate_of_a_schedule_is_set(tf):
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)
    optimizer = tf.keras.optimizers.SGD(schedule)
    optimizer.learning_rate = 0.1


def noise(tf):
    k, found = tf.keras.layers, []
    series, images = tf.ones([2, 50, 30]), tf.ones([3, 5, 4, 40])
    for layer, x in [
        (k.SpatialDropout1D(0.5), series),
        (k.SpatialDropout2D(0.25, seed=3), images),
        (k.SpatialDropout2D(0.5, data_format="channels_first"), images),
    ]:
        y = layer(x, training=True).numpy()
        axes = (2, 3) if getattr(layer, "data_format", None) == "channels_first" else tuple(range(1, y.ndim - 1))
        found.append([y.shape, sorted(set(y.ravel().tolist())), bool((y.min(axes) == y.max(axes)).all())])
        found.append([layer(x), layer(x, training=False), layer.get_config(), layer.built])
    for layer in (k.GaussianNoise(0.5), k.GaussianDropout(0.2, seed=1), k.GaussianNoise(0.0), k.GaussianDropout(0)):
        x = 2.0 * tf.ones([100, 100])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = layer(x, training=True)
        slope = tape.gradient(y, x)
        found.append([round(float(np.std(y.numpy())), 1), round(float(np.mean(y.numpy())), 1)])
        found.append([round(float(np.std(slope)), 1), round(float(np.mean(slope)), 1), layer(x), layer.get_config()])
    return found


def penalties_of_what_passes(tf):
    layer = tf.keras.layers.ActivityRegularization(0.5, l2=0.25)
    x = tf.constant([[1.0, -2.0], [3.0, 0.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.add_n([*(layer(x), layer.losses)[1]])
    model = tf.keras.Sequential([tf.keras.Input((2,)), layer, tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    losses = model.fit(x, x[:, :1], epochs=2, verbose=0).history["loss"]
    return [loss, tape.gradient(loss, x), losses, layer.get_config()]


def series_are_learned(tf):
    k = tf.keras.layers
    x = np.sin(np.arange(96.0, dtype=np.float32)).reshape(4, 8, 3)
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 3)),
            k.Conv1D(4, 3, padding="causal", activation="relu", kernel_initializer="ones"),
            k.MaxPooling1D(2),
            k.SeparableConv1D(3, 2, depthwise_initializer="ones", pointwise_initializer="ones"),
            k.PReLU(alpha_initializer="ones"),
            k.UpSampling1D(2),
            k.Conv1DTranspose(1, 2, strides=2, kernel_initializer="ones"),
            k.ZeroPadding1D(1),
            k.Cropping1D((0, 3)),
            k.Permute((2, 1)),
            k.Flatten(),
            k.RepeatVector(2),
            k.GlobalAveragePooling1D(),
            k.Dense(1, kernel_initializer="ones"),
        ]
    )
    model.compile("sgd", "mse")
    losses = model.fit(x, x[:, 0, :1], epochs=3, batch_size=2, shuffle=False, verbose=0).history["loss"]
    again = tf.keras.Sequential.from_config(model.get_config())
    again.set_weights(model.get_weights())
    shapes = [tuple(each.output.shape) for each in model.layers]
    return [losses, model.get_weights(), shapes, again.predict(x, verbose=0), [each.name for each in model.layers]]


def windows_of_a_series_are_learned(tf):
    k = tf.keras.layers
    series = np.sin(np.arange(20.0)).astype(np.float32)
    windows = tf.data.Dataset.from_tensor_slices(series).window(5, shift=1, drop_remainder=True)
    rows = windows.flat_map(lambda window: window.batch(5, drop_remainder=True))
    data = rows.map(lambda row: (row[:-1, None], row[-1:])).cache().batch(4).prefetch(1)
    model = tf.keras.Sequential([k.Conv1D(2, 2, kernel_initializer="ones"), k.Flatten(), k.Dense(1, "relu")])
    model(np.ones([1, 4, 1], np.float32))
    model.set_weights([np.full_like(each, 0.1) for each in model.get_weights()])
    model.compile("sgd", "mse")
    losses = model.fit(data, epochs=2, verbose=0).history["loss"]
    return [losses, model.evaluate(data, verbose=0), model.predict(data, verbose=0), repr(data)]


def generated_data_are_learned(tf):
    def rows():
        for number in range(5):
            yield np.ones(3, np.float32) * number, np.float32([number])

    found, shapes = [], (tf.TensorSpec([3]), tf.TensorSpec([1]))
    data = tf.data.Dataset.from_generator(rows, output_signature=shapes).batch(2)
    for each, steps in [(data, None), (data.repeat(), 4), (data.take(2).cache(), None)]:
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile("sgd", "mse")
        found.append(model.fit(each, epochs=2, steps_per_epoch=steps, verbose=0).history["loss"])
        found += [model.evaluate(each, steps=steps, verbose=0), model.predict(each, steps=steps, verbose=0)]
    return found


def epochs_of_so_many_steps(tf):
    rows = np.arange(10.0, dtype=np.float32)[:, None] / 10
    pairs = tf.data.Dataset.from_tensor_slices((rows, rows)).batch(2)
    unknown = tf.data.Dataset.from_generator(lambda: pairs, output_signature=pairs.element_spec)
    found = []
    for data in (pairs, pairs.repeat(), pairs.repeat(2), unknown, rows):
        for steps in (2, 3, 5, 7):
            model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", bias_initializer="ones")])
            model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
            given = {"y": rows, "batch_size": 2, "shuffle": False} if data is rows else {"validation_data": data}
            held = {} if data is rows else {"validation_steps": 2}
            found.append(model.fit(data, epochs=3, steps_per_epoch=steps, verbose=0, **given, **held).history)
            if data is not rows:
                found += [model.evaluate(data, steps=2, verbose=0), model.predict(data, steps=3, verbose=0)]
    return found


def merged_at_once(tf):
    k, x = tf.keras.layers, tf.constant([[1.0, -2.0], [3.0, 0.5]])
    found = [k.subtract([x, x**2]), k.multiply([x, x, x]), k.average([x, x**2]), k.maximum([x, -x]), k.minimum([x, -x])]
    return [*found, k.add([x, x]), k.dot([x, x], axes=1), k.dot([x, x], 1, normalize=True)]


def a_layer_called_without_its_arguments(tf):
    k, texts = tf.keras.layers, []
    for make in (
        lambda: k.Conv1D(), lambda: k.Conv2D(3), lambda: k.Conv1DTranspose(3), lambda: k.DepthwiseConv2D(),
        lambda: k.SeparableConv1D(2), lambda: k.AveragePooling1D(), lambda: k.Dot(), lambda: k.SpatialDropout1D(),
        lambda: k.Conv1D(1, 2, nonsense=3), lambda: k.MaxPooling1D(2, nonsense=3), lambda: k.LSTM(2, kind=3),
    ):  # fmt: skip
        try:
            make()
        except (TypeError, ValueError) as error:
            texts.append(str(error))
    return texts


def schedule(tf):
    decay = tf.keras.optimizers.schedules.ExponentialDecay
    smooth, stairs = decay(0.1, 10, 0.5), decay(0.1, 10, 0.5, staircase=True)
    return [[each(step) for step in (0, 5, 10, 25)] for each in (smooth, stairs)]


def schedules(tf):
    kinds = tf.keras.optimizers.schedules
    made = [
        kinds.InverseTimeDecay(0.1, 4, 0.5),
        kinds.InverseTimeDecay(0.1, 4, 0.5, staircase=True),
        kinds.PolynomialDecay(0.1, 4),
        kinds.PolynomialDecay(0.1, 4, 0.02, power=0.5),
        kinds.PolynomialDecay(0.1, 4, end_learning_rate=0.0, power=2, cycle=True),
        kinds.CosineDecay(0.1, 4),
        kinds.CosineDecay(0.1, 4, alpha=0.3),
        kinds.CosineDecay(0.0, 4, 0.1, warmup_target=0.2, warmup_steps=3),
        kinds.CosineDecayRestarts(0.1, 2),
        kinds.CosineDecayRestarts(0.1, 3, t_mul=1.0, m_mul=0.5),
        kinds.CosineDecayRestarts(0.1, 1, 1.5, 0.9, 0.2, name="waves"),
        kinds.PiecewiseConstantDecay([2, 5], [1.0, 0.5, 0.1]),
        kinds.PiecewiseConstantDecay([2.5], [1.0, 0.5], name="two"),
    ]
    steps = (0, 2, 4, 5, tf.constant(9), tf.Variable(3, dtype=tf.int64), tf.constant(2.5))
    found = []
    for each in made:
        v = tf.Variable([1.0, 2.0])
        optimizer = tf.keras.optimizers.SGD(each)
        for _ in range(4):
            optimizer.apply_gradients([(tf.constant([1.0, -1.0]), v)])
        found.append([[each(step) for step in steps], v, optimizer.learning_rate, each.get_config()])
        found.append(type(each).from_config(each.get_config())(3))
        again = tf.keras.optimizers.SGD.from_config(optimizer.get_config())
        found.append(type(again._learning_rate if hasattr(again, "_learning_rate") else again._rate).__name__)
    return found


def schedule_of_two_dtypes(tf):
    return tf.keras.optimizers.schedules.PiecewiseConstantDecay([2], [1, 0.5])(0)


def schedules_that_are_none(tf):
    kinds, errors = tf.keras.optimizers.schedules, []
    for make in (
        lambda: kinds.InverseTimeDecay(0.1, 0, 0.5),
        lambda: kinds.PolynomialDecay(0.1, -1),
        lambda: kinds.CosineDecay(0.1, 0),
        lambda: kinds.CosineDecayRestarts(0.1, 0),
        lambda: kinds.PiecewiseConstantDecay([1, 2], [0.1, 0.2]),
    ):
        try:
            make()
        except ValueError as error:
            errors.append(str(error))
    return errors


def schedule_of_no_steps(tf):
    return tf.keras.optimizers.schedules.ExponentialDecay(0.1, 0, 0.5)


def sparse_gradient(tf):
    table, optimizer = tf.Variable(tf.ones((4, 2))), tf.keras.optimizers.Adam(0.1)
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, [1, 1, 3]) ** 2)
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])
    return table


def custom_loop(tf):
    model = _network(tf, tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2))
    optimizer, loss_of = tf.keras.optimizers.Adam(0.05), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    losses, accuracy = [], tf.keras.metrics.SparseCategoricalAccuracy()
    for _ in range(10):
        with tf.GradientTape() as tape:
            logits = model(tf.constant(X), training=True)
            loss = loss_of(CLASSES, logits)
        gradients = tape.gradient(loss, model.trainable_weights)
        optimizer.apply_gradients(zip(gradients, model.trainable_weights, strict=True))
        accuracy.update_state(CLASSES, logits)
        losses.append(float(loss))
    return [losses, accuracy.result(), model.get_weights()]


def custom_loop_in_a_function(tf):
    model = _network(tf, tf.keras.layers.Dense(1))
    optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.5)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.keras.losses.mse(y, model(x)))
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
        return loss

    return [[step(X, Y) for _ in range(5)], model.get_weights()]


# ----- compile, fit -----


def _compiled(tf, loss="mse", optimizer="sgd", metrics=None, units=1):
    model = _network(tf, tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(units))
    model.compile(optimizer=optimizer, loss=loss, metrics=metrics)
    return model


def fit(tf):
    model = _compiled(tf, metrics=["mae"])
    seen = model.fit(X, Y, epochs=3, batch_size=3, shuffle=False, verbose=0, validation_data=(X[:2], Y[:2]))
    return [seen.history, seen.epoch, model.get_weights()]


def fit_a_dataset(tf):
    model = _compiled(tf, optimizer=tf.keras.optimizers.Adam(0.1))
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(2)
    seen = model.fit(data, epochs=3, verbose=0, validation_data=data)
    return [seen.history, model.get_weights()]


def fit_with_a_held_out_share(tf):
    return _compiled(tf).fit(X, Y, epochs=2, verbose=0, shuffle=False, validation_split=0.5).history


def fit_classes(tf):
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model = _compiled(tf, loss, "adam", ["accuracy"], units=2)
    return [model.fit(X, CLASSES, epochs=3, verbose=0, shuffle=False).history, model.evaluate(X, CLASSES, verbose=0)]


def fit_yes_or_no(tf):
    loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    model = _compiled(tf, loss, "rmsprop", ["accuracy"])
    return model.fit(X, np.float32([0, 1, 1, 0]), epochs=2, verbose=0, shuffle=False).history


def fit_with_weights(tf):
    model = _compiled(tf)
    return model.fit(X, Y, sample_weight=np.float32([1, 0, 2, 1]), epochs=2, verbose=0, shuffle=False).history


def fit_with_an_own_loss(tf):
    model = _compiled(tf, loss=lambda y, p: tf.reduce_sum(tf.abs(y - p), axis=-1))
    return model.fit(X, Y, epochs=2, verbose=0, shuffle=False).history


def fit_with_an_own_step(tf):
    class Own(tf.keras.Sequential):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                y_pred = self(x, training=True)
                loss = self.compute_loss(y=y, y_pred=y_pred)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply(gradients, self.trainable_variables)
            return {"cost": loss}

    model = _filled(Own([tf.keras.Input((3,)), tf.keras.layers.Dense(1)]))
    model.compile(optimizer="sgd", loss="mse")
    return model.fit(X, Y, epochs=2, verbose=0, shuffle=False).history


def evaluate_and_predict(tf):
    model = _compiled(tf, metrics=["mae", "mse"])
    scores = [model.evaluate(X, Y, verbose=0), model.evaluate(X, Y, verbose=0, return_dict=True, batch_size=3)]
    return [*scores, model.predict(X, verbose=0), model.predict(X, batch_size=3, verbose=0).shape]


def one_batch(tf):
    model = _compiled(tf)
    scores = [model.train_on_batch(X, Y), model.test_on_batch(X, Y), model.train_on_batch(X, Y, return_dict=True)]
    return [*scores, model.predict_on_batch(X)]


def prediction_has_no_gradient(tf):
    model = _network(tf, tf.keras.layers.Dense(1))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model.predict(tf.constant(X), verbose=0) * 1.0)
    return tape.gradient(loss, model.trainable_variables)


def fit_without_compile(tf):
    return _network(tf, tf.keras.layers.Dense(1)).fit(X, Y, verbose=0)


def fit_of_different_lengths(tf):
    return _compiled(tf).fit(X, Y[:3], verbose=0)


def unknown_optimizer(tf):
    return _compiled(tf, optimizer="nonsense")


def decay_of_integers_and_in_other_dtypes(tf):
    kinds = tf.keras.optimizers.schedules
    found = []
    for start, steps, rate in ((1, 2, 0.9), (1, 2, 2), (2, 3, 3), (np.float64(0.1), 10, 0.5)):
        for kind in (kinds.ExponentialDecay, kinds.InverseTimeDecay):
            found += [kind(start, steps, rate, staircase)(step) for staircase in (False, True) for step in (0, 3, 2.5)]
    return found, kinds.ExponentialDecay(tf.constant(1.0, tf.float64), 3, 0.3)(4)


def softmax_over_all_axes(tf):
    x, layer = tf.reshape(tf.range(6.0), [2, 3]), tf.keras.layers.Softmax(axis=None)
    return layer(x), layer(x, mask=x > 1.0), tf.keras.activations.softmax(x, axis=None)


def what_is_trained_is_settled_at_the_first_step(tf):
    found = []
    for eagerly in (False, True):
        model = _network(tf, tf.keras.layers.Dense(2), tf.keras.layers.Dense(1))
        model.compile("sgd", "mse", run_eagerly=eagerly)
        model.fit(X, Y, verbose=0, shuffle=False)
        model.layers[0].trainable = False
        before = model.get_weights()
        model.fit(X, Y, verbose=0, shuffle=False)
        model.compile("sgd", "mse", run_eagerly=eagerly)
        between = model.get_weights()
        model.fit(X, Y, verbose=0, shuffle=False)
        found.append([before, between, model.get_weights()])
    return found


def unknown_loss_is_refused_when_it_is_first_used(tf):
    model = _compiled(tf, loss="nonsense")
    return [model.compiled, model.loss, model.predict(X, verbose=0)]


def unknown_loss(tf):
    return _compiled(tf, loss="nonsense").fit(X, Y, verbose=0)


# ----- more of what people write -----


def kernel_is_rebound(tf):
    layer = _filled(_network(tf, tf.keras.layers.Dense(1)))
    kernel = layer.weights[0]
    kernel += 1.0
    return [kernel, layer.weights[0]]


def kernel_as_a_bool(tf):
    return bool(_network(tf, tf.keras.layers.Dense(1)).weights[0])


def jacobian_of_a_layer(tf):
    layer = _network(tf, tf.keras.layers.Dense(2, activation="tanh"))
    with tf.GradientTape(persistent=True) as tape:
        y = layer(tf.constant(X))
    return [tape.jacobian(y, layer.weights[0]), tape.gradient(y, layer.weights)]


def gradient_penalty(tf):
    layer, x = _network(tf, tf.keras.layers.Dense(1, activation="sigmoid")), tf.constant(X)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = layer(x)
        penalty = tf.reduce_sum(inner.gradient(y, x) ** 2)
    return outer.gradient(penalty, layer.trainable_variables)


def gradients_of_an_unused_layer(tf):
    used, unused = _network(tf, tf.keras.layers.Dense(1)), _network(tf, tf.keras.layers.Dense(1), name="other")
    with tf.GradientTape() as tape:
        y = used(tf.constant(X))
    return [tape.gradient(y, unused.trainable_variables), len(tape.watched_variables())]


def optimizer_of_float64(tf):
    w = tf.Variable(1.0, dtype=tf.float64)
    tf.keras.optimizers.Adam(0.1).apply_gradients([(tf.constant(1.0, tf.float64), w)])
    return w


def optimizer_of_arrays(tf):
    w = tf.Variable([1.0, 2.0])
    tf.keras.optimizers.SGD(0.1).apply_gradients([(np.float32([1.0, 1.0]), w)])
    return w


def one_number_as_the_gradient_of_several(tf):
    k, found = tf.keras.optimizers, []
    for optimizer in (k.SGD(0.1, momentum=0.5), k.RMSprop(0.1), k.Adam(0.1), k.Adam(0.1, amsgrad=True), k.Nadam(0.1)):
        for gradient in (3.0, [3.0]):
            v = tf.Variable([1.0, 2.0])
            optimizer.build([v])
            optimizer.apply_gradients([(tf.constant(gradient), v)])
            found.append(v)
    return found


def one_number_as_the_gradient_of_several_where_it_is_added(tf):
    return tf.keras.optimizers.Adagrad(0.1).apply_gradients([(tf.constant([3.0]), tf.Variable([1.0, 2.0]))])


def gradient_of_another_shape(tf):
    return tf.keras.optimizers.SGD(0.1).apply_gradients([(tf.constant(1.0), tf.Variable([1.0, 2.0]))])


def loss_of_scalars(tf):
    return tf.keras.losses.MeanSquaredError()(tf.constant(1.0), tf.constant(3.0))


def classes_as_floats(tf):
    return tf.keras.losses.SparseCategoricalCrossentropy()(
        tf.constant([0.0, 1.0]), tf.constant([[0.2, 0.8], [0.3, 0.7]])
    )


def classes_of_another_shape(tf):
    return tf.keras.losses.SparseCategoricalCrossentropy()(tf.constant([[0, 1]]), tf.constant([[0.2, 0.8]]))


def convolutions(tf):
    constant, layers = tf.keras.initializers.Constant(0.1), tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8, 1)),
            layers.Conv2D(2, 3, activation="relu", kernel_initializer=constant),
            layers.Flatten(),
            layers.Dense(2, kernel_initializer=constant),
        ]
    )
    images = tf.reshape(tf.range(128.0) / 64, (2, 8, 8, 1))
    with tf.GradientTape() as tape:
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)(tf.constant([0, 1]), model(images))
    shapes = [layer.output.shape for layer in model.layers]
    return [loss, tape.gradient(loss, model.trainable_variables), model.output_shape, shapes]


def added_losses(tf):
    class Active(tf.keras.layers.Layer):
        def call(self, x):
            self.add_loss(0.1 * tf.reduce_sum(x))
            return x

    layer = Active()
    layer(tf.ones(3))
    layer(tf.ones(3))
    model = _network(tf, Active(), tf.keras.layers.Dense(1))
    model.compile("sgd", "mse")
    return [layer.losses, model.fit(X, Y, epochs=2, verbose=0, shuffle=False).history]


def built_by_hand(tf):
    dense, model = tf.keras.layers.Dense(2), tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)])
    dense.build((None, 3))
    model.build((None, 3))
    return [[each.path for each in (*dense.weights, *model.weights)], dense.built, model.built, model.output_shape]


def several_predictions(tf):
    inputs = tf.keras.Input((3,))
    return tf.keras.Model(inputs, [inputs * 2.0, inputs + 1.0]).predict(X, verbose=0, batch_size=3)


def sequential_of_its_config(tf):
    layers, chain = tf.keras.layers, tf.keras.Sequential
    called, nested = (
        chain([layers.Dense(2), layers.Flatten()], name="called"),
        chain([layers.Dense(2), chain([layers.ReLU()])]),
    )
    called(tf.ones((4, 3)))
    nested.build((None, 3))
    images = [
        tf.keras.Input((8, 8, 1)),
        layers.Conv2D(2, 3, activation="relu"),
        layers.BatchNormalization(momentum=0.5),
        layers.MaxPooling2D(),
        layers.Dropout(0.5),
        layers.GlobalAveragePooling2D(),
        layers.Reshape((1, 2)),
        layers.LayerNormalization(epsilon=0.1),
        layers.LeakyReLU(),
        layers.Activation("tanh"),
        layers.Dense(3, "softmax", kernel_regularizer="l2"),
    ]
    words = [tf.keras.Input((4,)), layers.Embedding(3, 2), layers.GlobalAveragePooling1D(), layers.Softmax()]
    found = []
    for model in [
        chain([layers.Dense(2, name="d"), layers.ReLU()], name="open"),
        chain(),
        chain([tf.keras.Input((3,), name="in")]),
        chain([tf.keras.Input((3,), name="in"), layers.Dense(2, dtype="float64")]),
        chain(images),
        chain(words, trainable=False),
        called,
        nested,
    ]:
        config = model.get_config()
        again = chain.from_config(config)
        names = [each.name for each in again.layers]
        shapes = [tuple(each.shape) for each in again.weights]
        found.append([config, again.get_config() == config, again.built, again.trainable, names, shapes])
    return found


def sequential_of_layers_of_ones_own(tf):
    class Twice(tf.keras.layers.Layer):
        def call(self, x):
            return 2 * x

    inner = tf.keras.Sequential([Twice(name="twice")])
    found = []
    for model in (inner, tf.keras.Sequential([tf.keras.Input((2,)), inner])):
        again = tf.keras.Sequential.from_config(model.get_config(), custom_objects={"Twice": Twice})
        found.append(again(tf.ones((1, 2))))
    return found


def gradients_without_a_length(tf):
    found = []
    for limit in ({"clipvalue": 1.0}, {"clipnorm": 1.0}, {"global_clipnorm": 1.0}):
        for gradient in ([0.0, 0.0], [3.0, float("inf")], [float("nan"), 1.0]):
            v = tf.Variable([1.0, 2.0])
            tf.keras.optimizers.SGD(0.1, **limit).apply_gradients([(tf.constant(gradient), v)])
            found.append(v)
    return found


def too_few_gradients(tf):
    optimizer = tf.keras.optimizers.SGD(0.1)
    optimizer.build([tf.Variable(1.0), tf.Variable(2.0)])
    optimizer.apply([tf.constant(1.0)])


def exempt_from_weight_decay_too_late(tf):
    v = tf.Variable(1.0)
    optimizer = tf.keras.optimizers.SGD(0.1, weight_decay=0.1)
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    optimizer.exclude_from_weight_decay([v])


def all_exempt_from_weight_decay(tf):
    v = tf.Variable(1.0)
    optimizer = tf.keras.optimizers.SGD(0.1, weight_decay=0.1)
    optimizer.exclude_from_weight_decay(var_names=[""])
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    return v


def sequential_of_unknown_layers(tf):
    class Twice(tf.keras.layers.Layer):
        pass

    return tf.keras.Sequential.from_config(tf.keras.Sequential([Twice()]).get_config())


def named_input(tf):
    place = tf.keras.Input(shape=(3,), batch_size=2, name="in")
    return [tuple(place.shape), place.name]


def shapes_of_inputs(tf):
    def told(make):
        try:
            return [None if each is None else int(each) for each in make()]
        except ValueError as error:
            return str(error)[:30]

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


def text_of_a_learning_rate(tf):
    optimizer = tf.keras.optimizers.SGD(0.1)
    return [float(optimizer.learning_rate), optimizer.learning_rate.numpy(), repr(optimizer.learning_rate)]


def text_of_a_result(tf):
    mean = tf.keras.metrics.Mean()
    mean(2.5)
    return f"{mean.result():.2f}"


def _errors(*calls):
    """The class of the error of each call, None where there is none."""
    found = []
    for call in calls:
        try:
            call()
        except Exception as error:
            found.append(type(error).__name__)
        else:
            found.append(None)
    return found


def convolutions_that_are_refused(tf):
    conv = tf.keras.layers.Conv2D
    return _errors(
        lambda: conv(1, 3, strides=0),
        lambda: conv(1, 3, strides=-1),
        lambda: conv(1, 3, dilation_rate=0),
        lambda: conv(1, 0),
        lambda: conv(1, 2, strides=2, dilation_rate=2),
        lambda: conv(1, 2, strides=(1, 2), dilation_rate=(2, 1)),
        lambda: conv(1, 5)(tf.zeros([1, 4, 4, 1])),
        lambda: conv(1, 5)(tf.keras.Input((4, 4, 1))),
        lambda: conv(1, 5, padding="same")(tf.zeros([1, 4, 4, 1])),
        lambda: conv(1, 5)(tf.keras.Input((None, None, 1))),
    )


def placeholders_that_are_refused(tf):
    place = tf.keras.Input((2,))
    return _errors(
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


def flattened_from_channels_first(tf):
    x = tf.reshape(tf.range(24), [2, 3, 2, 2])
    return [tf.keras.layers.Flatten(data_format=each)(x) for each in ("channels_first", "channels_last", None)]


def softmax_of_what_a_mask_keeps(tf):
    x = tf.Variable([[1.0, -2.0, 0.5], [3.0, 4.0, 0.0]])
    mask = tf.constant([[True, False, True], [False, False, False]])
    layer = tf.keras.layers.Softmax()
    with tf.GradientTape() as tape:
        shares = layer(x, mask=mask)
        loss = tf.reduce_sum(shares * [1.0, 2.0, 3.0])
    return [shares, tape.gradient(loss, x), layer(x, mask=tf.cast(mask, tf.float32))]


def layer_says_its_dtypes(tf):
    layers = [tf.keras.layers.Dense(1), tf.keras.layers.Dense(1, dtype="float64")]
    return [(layer.dtype, layer.compute_dtype) for layer in layers]


# ----- penalties and constraints -----


def regularizers_of_arrays(tf):
    regularizers = tf.keras.regularizers
    matrix = tf.constant([[1.0, -2.0], [0.5, 3.0], [0.0, 0.25]])
    named = [regularizers.get(name) for name in ("l1", "l2", "L1L2", "l1_l2", "orthogonal_regularizer")]
    made = [
        regularizers.L1(0.1),
        regularizers.l1(),
        regularizers.L2(l2=0.3),
        regularizers.l2(0.5),
        regularizers.L1L2(0.1, 0.2),
        regularizers.l1_l2(l2=0.2),
        regularizers.L1L2(None, 0.2),
        regularizers.OrthogonalRegularizer(0.1),
        regularizers.OrthogonalRegularizer(0.1, mode="columns"),
    ]
    kinds = [(type(each).__name__, each.get_config()) for each in [*named, *made]]
    return [*kinds, *[each(matrix) for each in [*named, *made]], regularizers.Regularizer()(matrix)]


def regularizers_have_gradients(tf):
    found = []
    for name in ("L1", "L2", "L1L2", "OrthogonalRegularizer"):
        w = tf.Variable([[1.0, -2.0], [0.5, 3.0]], dtype="float64")
        with tf.GradientTape() as tape:
            penalty = getattr(tf.keras.regularizers, name)()(tf.cast(w, "float32"))
        found += [penalty, tape.gradient(penalty, w)]
    return found


def regularizers_that_are_refused(tf):
    regularizers = tf.keras.regularizers
    return _errors(
        lambda: regularizers.L2(-1.0),
        lambda: regularizers.L1("1"),
        lambda: regularizers.L1L2(float("nan")),
        lambda: regularizers.L1L2(l2=float("inf")),
        lambda: regularizers.OrthogonalRegularizer(mode="both"),
        lambda: regularizers.OrthogonalRegularizer()(tf.zeros([3])),
        lambda: regularizers.get("l3"),
        lambda: regularizers.get(3),
        lambda: tf.keras.layers.Dense(2, kernel_regularizer="l3"),
        lambda: tf.keras.layers.Dense(2, bias_constraint="l3"),
        lambda: tf.keras.constraints.get("norm"),
    )


def penalties_are_losses(tf):
    layers = tf.keras.layers
    model = _network(
        tf,
        layers.Dense(4, "tanh", kernel_regularizer="l2", bias_regularizer=tf.keras.regularizers.L1(0.1)),
        layers.Dense(2, activity_regularizer=tf.keras.regularizers.l2(0.5), kernel_regularizer=tf.reduce_mean),
    )
    with tf.GradientTape() as tape:
        model(tf.constant(X))
        loss = tf.add_n(model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    inner = [loss for layer in model.layers for loss in layer.losses]
    model.layers[0].trainable = False
    return [loss, gradients, len(inner), inner, model.losses]


def penalties_are_learned_from(tf):
    layers = tf.keras.layers
    inputs = tf.keras.Input((3,))
    hidden = layers.LayerNormalization(gamma_regularizer="l2")(inputs)
    hidden = layers.Dense(4, "relu", True, "ones", "zeros", "l2", "l1", "l1_l2", "non_neg", "max_norm")(hidden)
    hidden = layers.BatchNormalization(beta_regularizer="l1", gamma_constraint="unit_norm")(hidden)
    model = tf.keras.Model(inputs, layers.Dense(1, kernel_constraint=tf.keras.constraints.MaxNorm(0.5))(hidden))
    _filled(model)
    model.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss="mse")
    history = model.fit(X, Y, epochs=3, batch_size=2, shuffle=False, verbose=0).history
    return [history, model.evaluate(X, Y, verbose=0), *model.get_weights()]


def words_are_penalised(tf):
    layer = tf.keras.layers.Embedding(4, 2, "ones", "l2", "unit_norm")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(tf.constant([1, 3]))) + layer.losses[0]
    gradients = tape.gradient(loss, layer.trainable_variables)
    tf.keras.optimizers.SGD(0.1).apply_gradients(zip(gradients, layer.trainable_variables, strict=True))
    return [loss, [tf.convert_to_tensor(each) for each in gradients], layer.embeddings]


def images_are_penalised(tf):
    layer = tf.keras.layers.Conv2D(2, 2, kernel_initializer="ones", kernel_regularizer="l2", activity_regularizer="l1")
    outputs = layer(tf.reshape(tf.range(32.0), [2, 4, 4, 1]))
    return [outputs, layer.losses]


def penalties_of_ones_own_weights(tf):
    class Scale(tf.keras.layers.Layer):
        def build(self, shape):
            self.w = self.add_weight(shape=(3,), initializer="ones", regularizer="l2", constraint="non_neg", name="w")
            self.b = self.add_weight(shape=(3,), initializer="ones", regularizer=lambda b: 2.0 * tf.reduce_sum(b))

        def call(self, inputs):
            self.add_loss(tf.reduce_sum(inputs))
            return inputs * self.w + self.b

    model = tf.keras.Sequential([Scale(), Scale(activity_regularizer="l1")])
    model(tf.constant(X))
    return [model.losses, [len(layer.losses) for layer in model.layers]]


def penalties_are_in_the_configuration(tf):
    layer = tf.keras.layers.Dense(
        2, kernel_regularizer=tf.keras.regularizers.L2(0.5), bias_constraint="max_norm", activity_regularizer="l1"
    )
    config = layer.get_config()
    again = tf.keras.layers.Dense.from_config(config)
    return [
        config["kernel_regularizer"],
        config["bias_constraint"],
        again.kernel_regularizer.l2,
        again.bias_regularizer,
    ]


def constraints_of_arrays(tf):
    constraints = tf.keras.constraints
    matrix = tf.constant([[1.0, -2.0], [0.5, 3.0], [0.0, 0.25]])
    made = [
        constraints.get("non_neg"),
        constraints.get("MaxNorm"),
        constraints.NonNeg(),
        constraints.MaxNorm(0.5),
        constraints.max_norm(3, axis=1),
        constraints.UnitNorm(),
        constraints.unit_norm([0, 1]),
        constraints.MinMaxNorm(0.5, 1.5),
        constraints.min_max_norm(2.0, 3.0, rate=0.5, axis=1),
        constraints.Constraint(),
    ]
    return [(type(each).__name__, each.get_config(), each(matrix)) for each in made]


def variables_are_constrained(tf):
    v = tf.Variable([1.0, -1.0], constraint=lambda value: tf.clip_by_value(value, -0.5, 0.5))
    untouched = tf.Variable([1.0, -1.0], constraint=tf.nn.relu)
    before = v.numpy()
    optimizer = tf.keras.optimizers.SGD(0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    gradients = tape.gradient(loss, [v, untouched])
    optimizer.apply_gradients(zip(gradients, [v, untouched], strict=True))
    return [before, v, untouched, tf.Variable(1.0).constraint, v.constraint is not None]


# ----- arguments by their places and names -----


def inputs_by_their_batch_shape(tf):
    place = tf.keras.Input(batch_shape=(2, 3))
    model = tf.keras.Sequential([tf.keras.layers.InputLayer(batch_shape=(None, 3)), tf.keras.layers.Dense(1)])
    open_shapes = [tf.keras.Input((3,), 2, "int32", None, None, None, "p"), tf.keras.Input(shape=(None, 3))]
    return [place.shape, model.input_shape, [(each.shape, each.dtype, each.name) for each in open_shapes]]


def inputs_of_two_shapes(tf):
    return _errors(lambda: tf.keras.Input((3,), batch_shape=(2, 3)), lambda: tf.keras.Input())


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


def activations_with_options(tf):
    activations, x = tf.keras.activations, tf.constant([[-1.0, 0.0, 2.0], [0.5, -3.0, 1.0]])
    v = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = activations.elu(v, 0.5)
    found = [activations.elu(x), y, tape.gradient(y, v), activations.elu(x, alpha=2.0)]
    return [*found, activations.log_softmax(x, axis=0), activations.log_softmax(x, 1)]


def pooling_with_a_name(tf):
    layers = tf.keras.layers
    made = [layers.MaxPool2D(2, 2, "same", None, "largest"), layers.AveragePooling2D((2, 2), 1, "valid", None, "mean")]
    return [(layer.name, layer(tf.reshape(tf.range(18.0), [1, 3, 3, 2]))) for layer in made]


def placeholders_under_operators(tf):
    x, y = tf.keras.Input((3,), name="x"), tf.keras.Input((3, 4), name="y")
    flags = tf.keras.Input((3,), dtype="int32", name="flags")
    outputs = [abs(x), x // 2.0, x % 0.75, 7.0 // x, 1.0 % x, -x, y @ tf.ones((4, 2)), y.reshape((-1, 12)), y[:, 1:]]
    model = tf.keras.Model([x, y, flags], outputs)
    compared = [x > 0.5, x >= 0.5, x < x, x <= 0.5, flags != 1]
    given = [tf.constant(X), tf.reshape(tf.range(48.0), (4, 3, 4)), tf.ones((4, 3), tf.int32)]
    shapes = [(each.shape, each.dtype) for each in [*outputs, *compared]]
    return [shapes, model(given), tf.keras.Model([x, flags], compared)([given[0], given[2]])]


def first_calls(tf):
    """How often `call` runs, what it leaves in variables, and which weights there are then."""

    def counting(base, *layers):
        class Counting(base):
            def __init__(self):
                super().__init__()
                self.inner = [tf.keras.layers.Dense(2) for _ in layers]
                self.calls, self.steps = [], tf.Variable(0)
                self.total = self.add_weight(shape=(), initializer="zeros", trainable=False, name="total")

            def call(self, x, y):
                self.calls.append(1)
                self.steps.assign_add(1)
                self.total.assign(self.total + 1.0)
                return sum((layer(x) for layer in self.inner), y)

        return Counting()

    def state(layer):
        return [len(layer.calls), layer.steps, layer.total, len(layer.weights), layer.built]

    x, y = tf.constant(X), tf.constant(X[:, :2])
    seen = []
    for base in (tf.keras.Model, tf.keras.layers.Layer):
        for layers in ((), (1,), (1, 2)):
            layer = counting(base, *layers)
            shape = tuple(layer(x, y).shape)
            seen += [shape, state(layer), tuple(layer(x, y=y).shape), state(layer)]
            layer = counting(base, *layers)
            layer(x=x, y=y)
            seen += state(layer)
            layer = counting(base, *layers)
            layer(tf.keras.Input((X.shape[1],)), tf.keras.Input((2,)))
            seen += state(layer)
            layer = counting(base, *layers)
            layer.build(x.shape)
            seen += state(layer)
    return seen


def built_without_a_build(tf):
    import warnings

    class Line(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.inner = tf.keras.layers.Dense(1)

        def call(self, x):
            return self.inner(x)

    model = Line()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.build((None, 3))
    found = [model.built, len(model.weights), [str(each.message) for each in told]]
    try:
        model.other = tf.keras.layers.Dense(1)
    except ValueError as error:
        found.append(str(error))
    model(tf.constant(X))
    return [*found, len(model.weights)]


def first_call_of_what_no_trial_can_run(tf):
    class Concrete(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.inner, self.calls = tf.keras.layers.Dense(1, kernel_initializer="ones"), 0

        def call(self, x):
            self.calls += 1
            y = self.inner(x)
            return y + 1.0 / round(float(y[0, 0]) * 0 + self.calls - 1)

    layer = Concrete()
    return [layer(tf.constant(X)), layer.calls, layer.built, len(layer.weights)]


def weights_are_scaled_by_other_axes(tf):
    made = [
        tf.keras.initializers.VarianceScaling(2.0, "fan_in", "uniform", 0, [0, 1], [2]),
        tf.keras.initializers.he_uniform(seed=1, input_axes=[0], output_axes=[1, 2]),
        tf.keras.initializers.GlorotUniform(1, input_axes=[0]),
    ]
    largest = [float(tf.reduce_max(tf.abs(each([40, 50, 60])))) for each in made]
    return [[round(each, 2) for each in largest], [each.get_config() for each in made]]


# ----- several outputs, metrics with and without weights, train_step as people write it -----


def _two_outputs(tf):
    place = tf.keras.Input((3,))
    inner = tf.keras.layers.Dense(3, activation="tanh", name="inner")(place)
    up = tf.keras.layers.Dense(1, name="up")(inner)
    down = tf.keras.layers.Dense(2, name="down")(inner)
    return _filled(tf.keras.Model(place, [up, down]))


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
SHARES = np.float32([0.5, 2.0, 0.0, 1.0])


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
    return _learned(_filled(model), SIDES, loss=[far, "mse"])


def outputs_in_a_dict(tf):
    place = tf.keras.Input((3,))
    ends = {"b": tf.keras.layers.Dense(1, name="up")(place), "a": tf.keras.layers.Dense(2, name="down")(place)}
    labels = {"a": SIDES[1], "b": SIDES[0]}
    return _learned(_filled(tf.keras.Model(place, ends)), labels, loss={"a": "mse", "b": "mae"}, metrics={"a": ["mae"]})


def _outputs_by_name(tf):
    place = tf.keras.Input((3,))
    ends = {"b": tf.keras.layers.Dense(1, name="up")(place), "a": tf.keras.layers.Dense(2, name="down")(place)}
    return _filled(tf.keras.Model(place, ends)), {"a": SIDES[1], "b": SIDES[0]}


def losses_are_told_in_the_order_of_their_dict(tf):
    found = []
    for loss in ({"a": "mse", "b": "mae"}, {"b": "mae", "a": "mse"}, "mse", ["mse", "mae"], {"b": "mae"}):
        model, labels = _outputs_by_name(tf)
        model.compile("sgd", loss)
        found += [model.evaluate(X, labels, verbose=0), model.metrics_names, model.train_on_batch(X, labels)]
    return found


def loss_of_an_output_that_is_not_there(tf):
    model, labels = _outputs_by_name(tf)
    return _learned(model, labels, loss={"a": "mse", "c": "mae"})


def losses_by_name_of_outputs_without_names(tf):
    class Two(tf.keras.Model):
        def call(self, inputs):
            return inputs, 2.0 * inputs

    return _learned(Two(), [X, X], loss={"a": "mse", "b": "mae"})


def losses_for_another_number_of_outputs(tf):
    return _learned(_two_outputs(tf), SIDES, loss=["mse", "mae", "mse"])


def weights_for_another_number_of_losses(tf):
    return _learned(_two_outputs(tf), SIDES, loss=["mse", "mae"], loss_weights=[1.0])


def metrics_for_another_number_of_outputs(tf):
    return _learned(_two_outputs(tf), SIDES, loss="mse", metrics=["mse", "mae", "mse"])


def losses_of_other_names(tf):
    return _learned(_two_outputs(tf), SIDES, loss={"up": "mse", "sideways": "mae"})


def metrics_that_are_no_list(tf):
    return _two_outputs(tf).compile("sgd", "mse", metrics="mae")


def metrics_with_weights(tf):
    model = _network(tf, tf.keras.layers.Dense(1))
    return _learned(model, Y, SHARES, loss="mse", metrics=["mae"], weighted_metrics=["mae", "mse"])


def metrics_of_two_outputs_with_weights(tf):
    return _learned(_two_outputs(tf), SIDES, SHARES, loss="mse", weighted_metrics=[["mae"], ["mse"]])


def what_compile_leaves(tf):
    model = _network(tf, tf.keras.layers.Dense(1))
    before = [each.name for each in model.metrics]
    model.compile("sgd", "mse", metrics=["mae"])
    told = [model.loss, [each.name for each in model.metrics], type(model.optimizer).__name__]
    model.fit(X, Y, verbose=0)
    return [before, told, [each.name for each in model.metrics], model.metrics[1].result()]


def train_step_as_it_was_once_written(tf):
    class Model(tf.keras.Model):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                y_pred = self(x, training=True)
                loss = self.compiled_loss(y, y_pred, regularization_losses=self.losses)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply(gradients, self.trainable_variables)
            self.compiled_metrics.update_state(y, y_pred)
            return {metric.name: metric.result() for metric in self.metrics}

    place = tf.keras.Input((3,))
    model = _filled(Model(place, tf.keras.layers.Dense(1, kernel_regularizer="l2")(place)))
    model.compile("sgd", "mse", metrics=["mae"])
    history = model.fit(X, Y, epochs=2, batch_size=2, shuffle=False, verbose=0)
    return [history.history, list(history.history), model.train_step((tf.constant(X), tf.constant(Y)))]


def steps_that_tell_of_what_the_model_measures(tf):
    """Only metrics of other names than the model's own are reported as the steps tell them."""

    def _model(told):
        class Told(tf.keras.Sequential):
            def train_step(self, data):
                loss = tf.reduce_mean((self(data[0]) - data[1]) ** 2)
                return dict.fromkeys(told, loss)

            test_step = train_step

        model = Told([tf.keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile("sgd")
        return model

    models = [_model(told) for told in (["loss"], ["mine"], ["loss", "mine"])]
    trained = [model.fit(X, Y, epochs=2, verbose=0).history for model in models]
    return [trained, [model.evaluate(X, Y, verbose=0, return_dict=True) for model in models]]


def python_in_a_step(tf):
    """Keras makes a graph of a step, in which AutoGraph rewrites nothing; what runs eagerly has values."""

    def _trained(look, **options):
        class Looking(tf.keras.Sequential):
            def train_step(self, data):
                loss = tf.reduce_mean((self(data[0]) - data[1]) ** 2)
                return {"mine": look(loss)}

        model = Looking([tf.keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile("sgd", **options)
        try:
            return model.fit(X, Y, verbose=0).history
        except Exception as error:
            return type(error).__name__

    scale = tf.Variable(2.0)
    looks = (
        lambda loss: loss.numpy(),
        float,
        lambda loss: loss * float(scale),
        lambda loss: loss if scale > 0 else -loss,
        np.mean,
        lambda loss: loss if loss > 0 else -loss,
        lambda loss: tf.cond(loss > 0, lambda: loss, lambda: -loss),
        lambda loss: (f"{loss:.3f}", loss)[1],
    )
    return [[_trained(look, **options) for look in looks] for options in ({}, {"run_eagerly": True})]


def what_python_asks_a_graph_in_a_layer(tf):
    """A layer of the user's and a `Lambda`: on placeholders and in `predict`, which make graphs, and called at once."""

    def chosen(x):
        return x if x[0, 0] > 0 else -x

    asks = (
        chosen,
        lambda x: x * float(x[0, 0]),
        lambda x: x * len(x),
        lambda x: tf.stack(list(x)),
        lambda x: tf.constant(x.numpy()),
        np.square,
        lambda x: tf.matmul(x, tf.ones((3, 1))),
        lambda x: x * x.shape[1],
        lambda x: tf.cond(x[0, 0] > 0, lambda: x, lambda: -x),
    )

    class Asking(tf.keras.layers.Layer):
        def __init__(self, ask):
            super().__init__()
            self.ask = ask

        def call(self, x):
            return self.ask(x)

    class Model(tf.keras.Model):
        def __init__(self, ask):
            super().__init__()
            self.layer = Asking(ask)

        def call(self, x):
            return self.layer(x)

    def _outcome(call):
        try:
            return call()
        except Exception as error:
            return type(error).__name__

    place = tf.keras.Input((2,))
    uses = (
        lambda ask: list(Asking(ask)(place).shape),
        lambda ask: list(tf.keras.layers.Lambda(ask)(place).shape),
        lambda ask: Asking(ask)(X[:, :2]),
        lambda ask: tf.keras.Sequential([Asking(ask)])(X[:, :2]),
        lambda ask: tf.keras.Sequential([tf.keras.layers.Lambda(ask)])(X[:, :2]),
        lambda ask: Model(ask).predict(X[:, :2], verbose=0),
        lambda ask: tf.function(Asking(ask))(tf.constant(X[:, :2])),
    )
    return [[_outcome(lambda ask=ask, use=use: use(ask)) for ask in asks] for use in uses]


def a_step_of_prediction(tf):
    class Model(tf.keras.Sequential):
        def predict_step(self, data):
            return {"mine": 2.0 * self(data), "one": data[:, 0]}

    return Model([tf.keras.layers.Dense(1, kernel_initializer="ones")]).predict(X, batch_size=2, verbose=0)


def what_an_optimizer_cannot_change(tf):
    """Tensors, arrays and numbers, at its first step and later; a variable that it does not know."""
    g, v = tf.constant([1.0, 1.0]), tf.Variable([1.0, 2.0])
    others = (tf.constant([1.0, 1.0]), np.ones(2), 1.0, None, v[:2], tf.Variable([1.0, 2.0]))
    outcomes = []
    for known in (False, True):
        for other in others[: None if known else -1]:
            optimizer = tf.keras.optimizers.SGD(0.1)
            if known:
                optimizer.apply_gradients([(g, v)])
            try:
                outcomes.append(optimizer.apply_gradients([(g, other)]))
            except Exception as error:
                outcomes.append(type(error).__name__)
    return outcomes


def _generated(batches):
    for place in range(batches):
        yield X[:2, :2] * place, X[:2, 2:]


def generators_of_batches(tf):
    def _model():
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile("sgd", "mse")
        return model

    ways = ({}, {"epochs": 3}, {"steps_per_epoch": 2}, {"steps_per_epoch": 3, "epochs": 3}, {"batch_size": 3})
    fits = [_model().fit(_generated(5), verbose=0, **way).history for way in ways]
    fits.append(_model().fit(_generated(5), validation_data=_generated(3), verbose=0).history)
    return [fits, _model().evaluate(_generated(4), verbose=0), _model().predict(_generated(2), verbose=0)]


def what_fit_does_not_take(tf):
    dataset = tf.data.Dataset.from_tensor_slices((X, X[:, :1])).batch(2)
    calls = (
        lambda model: model.fit(_generated(0), verbose=0),
        lambda model: model.fit((x for x, _ in _generated(2)), verbose=0),
        lambda model: model.fit(_generated(2), X[:, :1], verbose=0),
        lambda model: model.fit(_generated(2), sample_weight=np.ones(2), verbose=0),
        lambda model: model.fit(_generated(2), class_weight={1: 2.0}, verbose=0),
        lambda model: model.fit(dataset, X[:, :1], verbose=0),
        lambda model: model.evaluate(dataset, X[:, :1], verbose=0),
        lambda model: model.fit(dataset, sample_weight=np.ones(4), verbose=0),
        lambda model: model.fit(iter([(X, X[:, :1])]), verbose=0),
        lambda model: model.fit(X, np.array(["a", "b", "a", "b"]), verbose=0),
        lambda model: model.predict(np.array([["a"], ["b"]]), verbose=0),
    )
    outcomes = []
    for call in calls:
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        try:
            outcomes.append(call(model))
        except Exception as error:
            outcomes.append(type(error).__name__)
    return outcomes


def what_steps_are_given_of_one_batch(tf):
    class Model(tf.keras.Sequential):
        def train_step(self, data):
            return {"lengths": tf.constant(float(len(data))), "missing": tf.constant(float(data[-1] is None))}

        test_step = train_step

    model = Model([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return [step(X, X, return_dict=True) for step in (model.train_on_batch, model.test_on_batch)]


def what_train_step_is_given(tf):
    seen = []

    class Model(tf.keras.Model):
        def train_step(self, data):
            seen.append(tf.nest.map_structure(lambda each: tuple(each.shape), data))
            return {"loss": tf.constant(0.0)}

    model = Model()
    model.compile("sgd", run_eagerly=True)
    dataset = tf.data.Dataset.from_tensor_slices(X).batch(2)
    for args in ((X,), ([X],), ([X, Y],), (X, Y), (X, [Y]), ({"a": X},), (dataset,), (X, Y, 4, 1)):
        model.fit(*args, verbose=0)
    model.fit(X, Y, sample_weight=SHARES, verbose=0)
    model.fit(X, verbose=0, validation_split=0.0, batch_size=3)
    return [(type(each).__name__, each) for each in seen]


def validation_now_and_then(tf):
    model = _network(tf, tf.keras.layers.Dense(1))
    model.compile("sgd", "mse")
    return model.fit(X, Y, epochs=3, validation_data=(X, Y), validation_freq=2, shuffle=False, verbose=0).history


def layers_of_a_graph_are_in_order(tf):
    k = tf.keras.layers
    a, b, c = (tf.keras.Input((3,), name=name) for name in "abc")
    shared, middle, side = k.Dense(3, name="shared"), k.Dense(3, name="middle"), k.Dense(3, name="side")
    deep, flat = middle(shared(shared(b))), side(a)
    model = tf.keras.Model([a, b, c], [k.Dense(2, name="late")(flat), k.Add(name="sum")([flat, deep]) * 2.0])
    return [[each.name for each in model.layers], [each.path for each in model.weights], model.output_names]


def add_weight_by_place(tf):
    layer = tf.keras.layers.Layer(name="own")
    layer.add_weight((2,), "ones")
    layer.add_variable((1, 2), "zeros", name="old")
    return [(each.path, each) for each in layer.weights]


def add_weight_with_its_name_first(tf):
    return tf.keras.layers.Layer().add_weight("kernel", shape=(2,))


def add_weight_with_two_shapes(tf):
    return tf.keras.layers.Layer().add_weight((2,), shape=(2,))


def floats_of_another_dtype(tf):
    keras, layers = tf.keras, tf.keras.layers
    seen = [keras.backend.floatx()]
    try:
        keras.backend.set_floatx("float64")
        line = keras.Sequential([layers.Dense(2, "tanh"), layers.BatchNormalization(), layers.Dense(1)])
        line(X)
        for weight in line.weights:
            weight.assign(tf.ones(weight.shape, "float64") / 3)
        optimizer, loss, mean = keras.optimizers.Adam(0.1), keras.losses.MeanSquaredError(), keras.metrics.Mean()
        for _ in range(2):
            with tf.GradientTape() as tape:
                value = loss(X[:, :1], line(tf.constant(X), training=True))
            gradients = tape.gradient(value, line.trainable_variables)
            optimizer.apply_gradients(zip(gradients, line.trainable_variables, strict=True))
            seen += [value, gradients, mean(value)]
        seen += [keras.backend.floatx(), line.dtype, line.weights, optimizer.learning_rate, keras.Input((2,)).dtype]
        seen += [keras.initializers.Ones()([2]), keras.utils.to_categorical(tf.constant([0, 1]), 2)]
        seen += [keras.metrics.SparseCategoricalAccuracy()([1], [[0.2, 0.8]]), keras.losses.mse([1], [3])]
        seen += [layers.Dense(1, dtype="float32")(X[:2]).dtype.name, layers.Embedding(3, 2)(np.array([1])).dtype.name]
        seen += [keras.activations.elu(tf.constant([1.0])).dtype.name, keras.losses.BinaryCrossentropy()([1.0], [0.3])]
        keras.backend.set_floatx("float16")
        seen += [layers.Dense(1, kernel_initializer="ones")(X), layers.Dropout(0.5)(X), keras.metrics.Mean()([1.0])]
        keras.backend.clear_session()
        seen += [layers.Dense(1, kernel_initializer="ones")(X), layers.Dropout(0.5)(X)]
        keras.backend.set_floatx("float8")
    except ValueError as error:
        seen.append(str(error)[:30])
    finally:
        keras.backend.set_floatx("float32")
        keras.backend.clear_session()
    return seen


def _told(ask):
    try:
        return ask()
    except AttributeError as error:
        return [type(error).__name__, str(error)]


def kernels_are_not_replaced(tf):
    k = tf.keras.layers
    weights = [(k.Dense(2), "kernel"), (k.Conv2D(2, 1), "kernel"), (k.Embedding(3, 2), "embeddings")]
    before = [_told(lambda each=each: getattr(*each)) for each in weights]
    weights[0][0](X)
    refused = [_told(lambda each=each: setattr(*each, X)) for each in weights]
    weights[0][0].bias = tf.zeros((2,))
    return [before, refused]


def placeholders_of_models(tf):
    k = tf.keras.layers
    line = tf.keras.Sequential([tf.keras.Input((3,)), k.Dense(2)])
    place = tf.keras.Input((4,))
    graph = tf.keras.Model(place, k.Dense(1)(place))
    own = k.Dense(5)
    models = [line, graph, own]

    def all_of_them():
        return [_told(lambda each=each, name=name: getattr(each, name).shape) for each in models for name in NAMES]

    before = all_of_them()
    for model, width in ((line, 3), (graph, 4), (own, 3)):
        model(np.ones((1, width), np.float32))
    called = all_of_them()
    line(tf.keras.Input((3,)))
    own(tf.keras.Input((3,)))
    return [before, called, all_of_them(), line.inputs[0].shape, line.output_shape]


NAMES = ("input", "output")


def inputs_of_two_kinds(tf):
    first, second = tf.keras.Input((3,)), tf.keras.Input((3,))
    model = tf.keras.Model([first, second], tf.keras.layers.Add()([first, second]))
    return model([X, tf.constant(X)])


def inputs_of_one_kind(tf):
    first, second = tf.keras.Input((3,)), tf.keras.Input((3,))
    model = tf.keras.Model([first, second], tf.keras.layers.Add()([first, second]))
    return [model([X, X]), model([tf.constant(X), tf.constant(X)]), tf.keras.layers.Add()([X, tf.constant(X)])]


# ----- models are told and made again -----


def _branching(tf):
    layers = tf.keras.layers
    a, b = tf.keras.Input((3,), name="a"), tf.keras.Input((3,), name="b", dtype="int32")
    shared = layers.Dense(2, name="shared")
    first = shared(a)
    both = layers.Concatenate(name="cat")([first, shared(b * 2.0)])
    both = layers.Dropout(0.5, name="drop")(both, training=False)
    parts = (both[:, None, 1:3] + np.float32([1.0, 2.0])).reshape((-1, 2)) / tf.constant([2.0, 4.0])
    return tf.keras.Model({"a": a, "b": b}, [layers.Dense(1, name="out")(parts), first], name="m")


def _example(tf):
    return {"a": tf.constant(X), "b": tf.constant([[1, 2, 3]] * 4)}


def functional_model_tells_its_calls(tf):
    return _branching(tf).get_config()


def functional_model_of_its_config(tf):
    model = _filled(_branching(tf))
    again = _filled(tf.keras.Model.from_config(model.get_config()))
    return [again.name, type(again).__name__, [each.path for each in again.weights], again(_example(tf))]


def functional_model_that_starts_inside(tf):
    hidden = tf.keras.layers.Dense(2, name="d")(tf.keras.Input((3,)))
    model = tf.keras.Model(hidden, tf.keras.layers.Dense(1, name="o")(hidden))
    again = tf.keras.Model.from_config(model.get_config())
    return [again.input.shape, [layer.name for layer in again.layers][1:]]


def functional_model_of_an_unknown_class(tf):
    class Twice(tf.keras.layers.Layer):
        def call(self, x):
            return 2 * x

        def get_config(self):
            return super().get_config()

    place = tf.keras.Input((3,))
    model = tf.keras.Model(place, Twice(name="t")(place))
    refused = _errors(lambda: tf.keras.Model.from_config(model.get_config()))
    again = tf.keras.Model.from_config(model.get_config(), custom_objects={"Twice": Twice})
    return [refused, again(tf.constant(X))]


def build_config_of_a_layer_in_two_models(tf):
    shared = tf.keras.layers.Dense(2, name="shared")
    models = [tf.keras.Sequential([tf.keras.Input(shape), shared]) for shape in ((3,), (4, 3))]
    eager = tf.keras.layers.Dense(2)
    eager(tf.constant(X))
    return [model.get_config()["layers"][1]["build_config"] for model in models]


def models_are_cloned(tf):
    model = _filled(_branching(tf))
    clone = tf.keras.models.clone_model(model)
    same = bool(np.allclose(clone.get_weights()[0], model.get_weights()[0]))
    return [clone.name, [each.path for each in clone.weights], same, _filled(clone)(_example(tf))]


def sequences_are_cloned(tf):
    layers = tf.keras.layers
    built = tf.keras.Sequential([tf.keras.Input((3,), name="in"), layers.Dense(2, name="q")], name="seq")
    waiting = tf.keras.Sequential([layers.Dense(2, name="q")], name="seq")
    clones = [tf.keras.models.clone_model(waiting), tf.keras.models.clone_model(built)]
    waiting(tf.constant(X))
    clones.append(tf.keras.models.clone_model(waiting))
    found = [[each.name, each.built, [w.path for w in each.weights]] for each in clones]
    return [found, clones[1].inputs[0].shape, _filled(clones[1])(tf.constant(X))]


def clones_of_another_making(tf):
    layers, clone = tf.keras.layers, tf.keras.models.clone_model
    place = tf.keras.Input((3,), name="k")
    model = tf.keras.Model(place, layers.Dense(1, name="o")(layers.Dense(2, name="d")(place)))
    met, other = [], tf.keras.Input((3,), name="other")

    def wider(layer):
        met.append(layer.name)
        return layers.Dense(2 * layer.units, name=f"{layer.name}_wide")

    def called(layer, *args, **kwargs):
        met.append((layer.name, [each.shape for each in args], kwargs))
        return layer(*args, **kwargs)

    wide, again = clone(model, clone_function=wider), clone(model, call_function=called)
    moved = clone(model, input_tensors=other)
    return [met, [each.name for each in wide.layers], again.count_params(), moved.input is other, wide.output.shape]


def clones_that_are_refused(tf):
    layers, clone = tf.keras.layers, tf.keras.models.clone_model
    place = tf.keras.Input((3,), name="k")
    model = tf.keras.Model(place, layers.Dense(1)(place))
    chain = tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(1)])
    return _errors(
        lambda: clone(model, input_tensors=[place]),
        lambda: clone(model, clone_function=3),
        lambda: clone(model, unknown=1),
        lambda: clone(chain, call_function=lambda layer, x: layer(x)),
    )


def clones_of_models_inside(tf):
    layers = tf.keras.layers
    place = tf.keras.Input((3,), name="i")
    inner = tf.keras.Sequential([layers.Dense(2, name="d")], name="inner")
    model, met = tf.keras.Model(place, inner(place)), []

    def noticed(layer):
        met.append(layer.name)
        return type(layer).from_config(layer.get_config())

    tf.keras.models.clone_model(model, clone_function=noticed)
    tf.keras.models.clone_model(model, clone_function=noticed, recursive=True)
    return met


# ----- callbacks -----

HOOKS = [
    f"on_{where}_{end}"
    for where in ("train", "epoch", "train_batch", "batch", "test", "test_batch", "predict", "predict_batch")
    for end in ("begin", "end")
]


def _recorder(tf, stop=None, at=2):
    """A callback that notes its hooks with their arguments; at one of them, it stops the model."""
    seen = []

    def hook(name):
        def note(self, *place, logs=None):
            seen.append([name, *place, dict(logs) if logs else logs])
            if name == stop and sum(each[0] == name for each in seen) == at:
                self.model.stop_training = self.model.stop_evaluating = self.model.stop_predicting = True

        return note

    kept = [name for name in HOOKS if not name.startswith("on_batch")]
    return type("Recorder", (tf.keras.callbacks.Callback,), {name: hook(name) for name in kept})(), seen


def callbacks_hear_fit(tf):
    metrics = ["mae", tf.keras.metrics.Precision(0.1, name="zeta")]
    model, (callback, seen) = _compiled(tf, metrics=metrics), _recorder(tf)
    before = [callback.model, callback.params]
    history = model.fit(
        X, Y, epochs=2, batch_size=3, shuffle=False, verbose=0, validation_data=(X, Y), callbacks=[callback]
    )
    same = [callback.model is model, model.history is history, history.model is model, type(history).__name__]
    return [before, seen, callback.params, same, history.params, history.epoch, model.stop_training]


def callbacks_hear_evaluate_and_predict(tf):
    model, (callback, seen) = _compiled(tf), _recorder(tf)
    model.evaluate(X, Y, batch_size=3, verbose=0, callbacks=[callback])
    model.predict(X, batch_size=3, verbose=0, callbacks=callback)
    model.evaluate(X, Y, batch_size=1, verbose=0, steps=2, callbacks=(callback,))
    return [seen, callback.params]


def callbacks_stop(tf):
    results = []
    for stop in ("on_epoch_begin", "on_epoch_end", "on_train_batch_begin", "on_train_batch_end", "on_train_begin"):
        model, (callback, seen) = _compiled(tf), _recorder(tf, stop, at=1 if stop == "on_train_begin" else 2)
        options = {"epochs": 4, "batch_size": 1, "shuffle": False, "verbose": 0, "validation_data": (X, Y)}
        history = model.fit(X, Y, callbacks=[callback], **options)
        results.append([stop, [each[0] for each in seen], history.epoch, model.stop_training])
    model, (callback, seen) = _compiled(tf), _recorder(tf, "on_test_batch_end")
    results.append([model.evaluate(X, Y, batch_size=1, verbose=0, callbacks=[callback]), len(seen)])
    callback, seen = _recorder(tf, "on_predict_batch_end")
    return [*results, model.predict(X, batch_size=1, verbose=0, callbacks=[callback]), len(seen)]


def hooks_of_old_names(tf):
    seen = []

    class Old(tf.keras.callbacks.Callback):
        def on_batch_begin(self, batch, logs=None):
            seen.append(["begin", batch, logs])

        def on_batch_end(self, batch, logs=None):
            seen.append(["end", batch, logs])

    _compiled(tf).fit(X, Y, batch_size=2, shuffle=False, verbose=0, callbacks=[Old()])
    return seen


def lambda_callback(tf):
    seen = []
    callback = tf.keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: seen.append([epoch, logs]),
        on_train_batch_end=lambda batch, logs: seen.append([batch, logs]),
        on_train_begin=lambda logs: seen.append(logs),
        on_test_begin=lambda logs: seen.append("test"),
        own=3,
    )
    _compiled(tf).fit(X, Y, batch_size=2, shuffle=False, verbose=0, callbacks=[callback], validation_data=(X, Y))
    return [seen, callback.own]


def callbacks_that_are_none(tf):
    return _compiled(tf).fit(X, Y, verbose=0, callbacks=["early"])


def list_of_callbacks(tf):
    callback, seen = _recorder(tf)
    history = tf.keras.callbacks.History()
    both = tf.keras.callbacks.CallbackList([callback, [history]], add_history=True, model=_compiled(tf), epochs=3)
    both.on_train_begin()
    both.on_epoch_begin(0)
    both.on_train_batch_end(4, {"loss": 2.0})
    both.on_test_batch_begin(1, logs={"a": 1})
    both.on_epoch_end(0, {"loss": 3.0})
    both.on_predict_end()
    return [seen, len(both.callbacks), callback.params, history.history, history.epoch, callback.model is not None]


def history_of_ones_own(tf):
    model, history = _compiled(tf), tf.keras.callbacks.History()
    for _ in range(2):
        model.fit(X, Y, verbose=0, shuffle=False, callbacks=[history])
    return [history.history, history.epoch, model.history is history]


def _fit_with(tf, *callbacks, epochs=7, rate=0.1, metrics=None, **options):
    """The history, the printed lines and the weights of a fit with callbacks."""
    model = _network(tf, tf.keras.layers.Dense(1))
    model.compile(tf.keras.optimizers.SGD(rate), "mse", metrics=metrics)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        history = model.fit(X, Y, epochs=epochs, verbose=0, shuffle=False, callbacks=list(callbacks), **options)
    return [history.history, history.epoch, printed.getvalue(), model.get_weights()]


def early_stopping(tf):
    stop = tf.keras.callbacks.EarlyStopping
    told = (
        {"min_delta": 50, "patience": 2, "verbose": 1}, {"min_delta": 50, "patience": 2, "restore_best_weights": True},
        {"baseline": 1e-4, "patience": 2}, {"min_delta": -50, "baseline": 1e-4, "patience": 2}, {"mode": "max"},
        {"mode": "max", "patience": 1, "restore_best_weights": True, "verbose": 1}, {"min_delta": 50},
        {"mode": "max", "start_from_epoch": 3, "restore_best_weights": True}, {"baseline": 1e-4, "min_delta": 50},
        {"mode": "max", "patience": 9, "restore_best_weights": True, "verbose": 1},
    )  # fmt: skip
    return [_fit_with(tf, stop("loss", **each)) for each in told]


def early_stopping_knows_its_state(tf):
    stop = tf.keras.callbacks.EarlyStopping("val_mae", patience=1, mode="max", restore_best_weights=True)
    fitted = [_fit_with(tf, stop, metrics=["mae"], validation_data=(X, Y)) for _ in range(2)]
    return [*fitted, stop.wait, stop.stopped_epoch, stop.best, stop.best_epoch, stop.best_weights]


def early_stopping_of_metrics(tf):
    metrics = ["mae", "accuracy", tf.keras.metrics.R2Score(name="r")]
    stop = tf.keras.callbacks.EarlyStopping
    return [_fit_with(tf, stop(name, patience=1), metrics=metrics, rate=0.5) for name in ("mae", "accuracy", "r")]


def early_stopping_of_who_knows_what(tf):
    return _fit_with(tf, tf.keras.callbacks.EarlyStopping("nonsense"))


def early_stopping_of_what_is_not_there(tf):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        fitted = _fit_with(tf, tf.keras.callbacks.EarlyStopping(patience=1), tf.keras.callbacks.ReduceLROnPlateau())
        tf.keras.callbacks.EarlyStopping(mode="up")
    return [fitted, [str(each.message).rstrip(".") for each in seen if issubclass(each.category, UserWarning)]]


def learning_rates_of_epochs(tf):
    rates = tf.keras.callbacks.LearningRateScheduler
    schedules = (lambda epoch, rate: rate * 0.5, lambda epoch: 0.1 / (epoch + 1), lambda epoch: np.float32(0.3))
    end = tf.keras.callbacks.LambdaCallback(on_train_end=lambda logs: print(sorted(logs)))
    return [_fit_with(tf, rates(each, verbose=1), end, epochs=3) for each in schedules]


def learning_rate_that_is_no_float(tf):
    return _fit_with(tf, tf.keras.callbacks.LearningRateScheduler(lambda epoch: 1))


def learning_rate_of_a_schedule_and_a_callback(tf):
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5)
    return _fit_with(tf, tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.1), rate=schedule)


def learning_rate_lowered(tf):
    lower = tf.keras.callbacks.ReduceLROnPlateau
    told = (
        {"min_delta": 50, "patience": 1, "factor": 0.5, "verbose": 1}, {"mode": "max", "patience": 2, "cooldown": 2},
        {"min_delta": 50, "patience": 1, "factor": 0.5, "min_lr": 0.03, "verbose": 1}, {"factor": 0.5},
    )  # fmt: skip
    return [_fit_with(tf, lower("loss", **each), epochs=9) for each in told]


def learning_rate_raised(tf):
    return tf.keras.callbacks.ReduceLROnPlateau(factor=1.5)


def fit_ends_at_numbers_that_are_none(tf):
    history, epochs, printed, _ = _fit_with(tf, tf.keras.callbacks.TerminateOnNaN(), rate=30.0, epochs=99)
    return [len(epochs), printed, len(history["loss"])]


def fit_fails_at_numbers_that_are_none(tf):
    return _fit_with(tf, tf.keras.callbacks.TerminateOnNaN(raise_error=True), rate=30.0, epochs=99)


def losses_by_name_class_and_config(tf):
    losses = tf.keras.losses
    names = [losses.get(name).__name__ for name in ("bce", "BCE", "kld", "mape", "msle", "log_cosh", "squared_hinge")]
    made = [losses.get("CategoricalHinge"), losses.get(losses.MeanSquaredError)]
    told = losses.get({"class_name": "Huber", "config": {"delta": 2.0}})
    model = _network(tf, tf.keras.layers.Dense(1))
    model.compile(optimizer="sgd", loss=losses.MeanSquaredError)
    values = [each(Y, 2 * Y) for each in (*made, told)]
    return [names, values, _errors(lambda: losses.get("logcosh"), lambda: losses.get(3), lambda: losses.get("other"))]


def value_of_a_weight_is_one_variable(tf):
    layer = tf.keras.layers.Dense(1)
    with tf.GradientTape() as tape:
        layer(tf.constant(X))
    kernel = layer.kernel
    watched = [each.ref() for each in tape.watched_variables()]
    return [kernel.value is kernel.value, len({kernel.value.ref(), kernel.value.ref()}), kernel.value.ref() in watched]


# ----- what layers are given -----


def numbers_are_merged(tf):
    layers, numbers = tf.keras.layers, [tf.constant(3.0), tf.constant(2.0)]
    kinds = layers.Add, layers.Subtract, layers.Multiply, layers.Average, layers.Maximum, layers.Minimum
    return [kind()(numbers) for kind in kinds]


def _said_of_another_rank(tf, kind, *images):
    try:
        return kind()(tf.zeros(images))
    except ValueError as error:
        return str(error)


def convolutions_of_one_axis_too_many(tf):
    layers = tf.keras.layers
    kinds = [lambda: layers.Conv2D(2, 2), lambda: layers.SeparableConv2D(2, 2)]
    kinds.append(lambda: layers.Conv2D(2, 2, data_format="channels_first"))
    series = _said_of_another_rank(tf, lambda: layers.Conv1D(2, 2), 1, 4, 4, 3)
    return [series, *(_said_of_another_rank(tf, kind, 1, 3, 4, 4, 3) for kind in kinds)]


def shapes_of_noise(tf):
    layer, x = tf.keras.layers.Dropout(1.0, noise_shape=[None, 1]), tf.constant(X)
    return [layer.noise_shape, layer.get_config()["noise_shape"], layer(x, training=True)]


def shapes_that_lambdas_are_told(tf):
    layers, place = tf.keras.layers, tf.keras.Input((3,))
    shapes = [(7,), (None, 7), (), lambda shape: (shape[0], 2 * shape[1]), lambda shape: [shape, shape]]
    found = [layers.Lambda(lambda x: x, output_shape=shape)(place) for shape in shapes]
    twice = layers.Lambda(lambda x: tf.concat([x, x], 1), output_shape=(6,))
    two = layers.Lambda(lambda pair: pair[0] + pair[1], output_shape=(7,))([place, tf.keras.Input((3,))])
    never = layers.Lambda(lambda x: 1 / 0, output_shape=(2,), dtype="int32")(place)
    model = tf.keras.Model(place, layers.Dense(2, kernel_initializer="ones")(twice(place)))
    places = tf.nest.flatten([found, two, never])
    return [[(each.shape, each.dtype) for each in places], twice.compute_output_shape((5, 3)), model(X), twice(X)]


def slopes_of_channels(tf):
    layer = tf.keras.layers.PReLU(shared_axes=[1])
    layer(tf.ones([2, 3, 4]))
    return [layer(-tf.ones([2, 5, 4])), tuple(layer.alpha.shape)]


def names_of_ones_own_layer(tf):
    class Wide(tf.keras.layers.Layer):
        def __init__(self, width):
            super().__init__()
            self.width = width

        def call(self, inputs):
            return tf.repeat(inputs, self.width, axis=1)

    return Wide(2)(X)


def initializers_by_their_long_names(tf):
    initializers = tf.keras.initializers
    told = ["OrthogonalInitializer", "IdentityInitializer", {"class_name": "IdentityInitializer", "config": {}}]
    kinds = [type(initializers.get(each)).__name__ for each in told]
    return [kinds, initializers.get("IdentityInitializer")([2, 3])]


# ----- how many batches -----


def _four_batches(tf, *metrics):
    model = _network(tf, tf.keras.layers.Dense(1))
    model.compile("sgd", "mse", metrics=list(metrics))
    return model, tf.data.Dataset.from_tensor_slices((X, Y)).batch(1)


def _told(do):
    """The warnings of it, and whether its lines tell of 2 batches or of 4."""
    lines = io.StringIO()
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(lines):
        warnings.simplefilter("always")
        do()
    said = [f"{each.category.__name__}: {each.message}" for each in caught if "ran out" in str(each.message)]
    return said, "2/2" in lines.getvalue(), "4/4" in lines.getvalue()


def lines_tell_of_the_steps_that_were_asked_for(tf):
    model, data = _four_batches(tf)
    return [
        _told(lambda: model.fit(data, steps_per_epoch=2)),
        _told(lambda: model.evaluate(data, steps=2)),
        _told(lambda: model.fit(data)),
        _told(lambda: model.evaluate(data)),
    ]


def no_steps_are_all_steps(tf):
    model, data = _four_batches(tf)
    found = []
    told = _told(lambda: found.append(model.fit(data, steps_per_epoch=0, verbose=0).history))
    scores = model.evaluate(data, steps=0, verbose=0), model.predict(data, steps=0, verbose=0)
    held = model.fit(data, validation_data=data, validation_steps=0, verbose=0).history
    return [found, told, scores, held]


def more_steps_than_there_are(tf):
    model, data = _four_batches(tf)
    found = []
    told = [
        _told(lambda: found.append(model.evaluate(data, steps=9, verbose=0))),
        _told(lambda: found.append(model.predict(data, steps=9, verbose=0))),
        _told(lambda: found.append(model.fit(data, steps_per_epoch=9, verbose=0).history)),
        _told(lambda: found.append(model.fit(data, validation_data=data, validation_steps=9, verbose=0).history)),
        _told(lambda: found.append(model.evaluate(X, Y, batch_size=1, steps=9, verbose=0))),
    ]
    return [told, found]


def scores_of_several_classes_are_shown(tf):
    model = _network(tf, tf.keras.layers.Dense(2, activation="softmax"))
    model.compile("sgd", "mse", metrics=[tf.keras.metrics.F1Score()])
    labels, found = np.eye(2, dtype=np.float32)[CLASSES], []
    told = _told(lambda: found.append([model.fit(X, labels).history, model.evaluate(X, labels)]))
    return told, found


def _outcomes(*makes):
    """What each gives, or the class of its error."""
    found = []
    for make in makes:
        try:
            found.append(make())
        except Exception as error:
            found.append(type(error).__name__)
    return found


IMAGE = np.float32(np.arange(32)).reshape(2, 4, 4, 1)
FRACTIONS = ((2.0, 2), (2, 1.5), (True, 2), True, ("a", "b"))


def enlarged_by_fractions(tf):
    enlarge = tf.keras.layers.UpSampling2D

    def of(size):
        return _outcomes(
            lambda: enlarge(size)(IMAGE),
            lambda: enlarge(size, interpolation="bilinear")(IMAGE),
            lambda: enlarge(size)(tf.keras.Input((4, 4, 1))).shape,
            lambda: enlarge(size).get_config()["size"],
        )

    return list(map(of, FRACTIONS))


def cropped_by_fractions(tf):
    crop, crop_series = tf.keras.layers.Cropping2D, tf.keras.layers.Cropping1D

    def of(size):
        return _outcomes(
            lambda: crop((size, (0, 0)))(IMAGE),
            lambda: crop(size)(IMAGE),
            lambda: crop_series(size)(IMAGE[:, 0]),
            lambda: crop_series(size)(tf.keras.Input((9, 1))).shape,
            lambda: crop_series(size).get_config()["cropping"],
        )

    return list(map(of, ((1, 1.0), (1.5, 0), (True, 1), True)))


def padded_by_fractions(tf):
    layer = tf.keras.layers.Conv2DTranspose

    def of(size):
        return _outcomes(
            lambda: layer(1, 3, strides=3, output_padding=size)(IMAGE).shape[1],
            lambda: layer(1, 3, strides=3, output_padding=size)(tf.keras.Input((4, 4, 1))).shape,
            lambda: layer(1, 3, strides=3, output_padding=size).get_config()["output_padding"],
        )

    return list(map(of, FRACTIONS))


def shapes_of_fractions(tf):
    class Half(tf.keras.layers.Layer):
        def call(self, x):
            return x[:, ::2]

        def compute_output_shape(self, shape):
            return shape[0], shape[1] / 2

    return Half()(tf.keras.Input((4,)))


def softmax_of_what_numbers_show(tf):
    scores, shown = tf.constant(X[:2]), [[1, 0, 1], [2, -1, 0]]
    masks = [tf.constant(shown, kind) for kind in ("int32", "int64", "float32")]
    masks += [tf.constant([[1, 0, 1]], "uint8"), np.int64(shown)]
    both = tf.keras.layers.Softmax(axis=(0, 1))
    return [*(tf.keras.layers.Softmax()(scores, mask=mask) for mask in masks), both(scores, mask=masks[0])]


def classes_from_the_last(tf):
    labels, classes = [0, 1, 2, 2, 1, 0], [0, 1, 1, 2, 1, 2]
    kinds = tf.keras.metrics

    def score(metric, labels=labels, classes=classes):
        metric.update_state(labels, classes)
        return metric.result()

    return _outcomes(
        *(
            lambda ids=ids: score(kinds.IoU(3, ids))
            for ids in ([-1], [0, -1], [-3], [-4], [3], [], [1.0], np.array([1, -2]))
        ),
        lambda: score(kinds.BinaryIoU([-1]), [0, 1, 1, 0], [0.1, 0.9, 0.4, 0.6]),
        lambda: score(kinds.OneHotIoU(3, [-1]), np.eye(3)[labels], np.eye(3)[classes]),
        lambda: kinds.IoU(3, [-1]).get_config()["target_class_ids"],
    )


def weights_of_datasets_are_floats(tf):
    parts = [tf.data.Dataset.range(3), tf.data.Dataset.range(5, 8)]

    def drawn(weights):
        return sorted(int(each) for each in tf.data.Dataset.sample_from_datasets(parts, weights, seed=1))

    float16 = np.float16([1, 0])
    several = ([1, 0], (True, False), np.array([1, 0]), tf.constant([1, 0]), float16, [1, 0.5], [0.0, 0.0], [1], "ab")
    return _outcomes(*(lambda weights=weights: drawn(weights) for weights in several))


LABELS = np.array([0, 1, 2, 2, 1, 0, 1, 1])
WEIGHTS = {0: 1.0, 1: 2.0, 2: 3.0}


def _weighed(tf, class_weight, y=LABELS, loss="sparse_categorical_crossentropy", batched=False, **options):
    """What `fit` gives with weights of classes, and the kernel that it leaves; or the class of its error."""
    x = np.float32(np.arange(16)).reshape(8, 2) / 10
    dense = tf.keras.layers.Dense(3, kernel_initializer="ones", activation="softmax")
    model = tf.keras.Sequential([tf.keras.Input((2,)), dense])
    model.compile("sgd", loss, metrics=["accuracy"], weighted_metrics=["accuracy"])
    arrays = (x, y, *(options.pop(each) for each in ("sample_weight",) if batched and each in options))
    data = (tf.data.Dataset.from_tensor_slices(arrays).batch(4),) if batched else (x, y)
    try:
        history = model.fit(*data, batch_size=4, shuffle=False, verbose=0, class_weight=class_weight, **options)
    except Exception as error:
        return type(error).__name__
    return history.history, model.get_weights()


def examples_count_by_their_class(tf):
    several = (
        WEIGHTS,
        {0: 0.5},
        {},
        {0: 1, 1: 2},
        {-1: 1.0, 0: 3.0},
        {7: 2.0},
        {0.0: 2.0},
        {np.int64(0): np.float32(2)},
    )
    return [_weighed(tf, weights) for weights in several]


def classes_of_labels_of_all_kinds(tf):
    one_hot = {"y": np.eye(3, dtype=np.float32)[LABELS], "loss": "categorical_crossentropy"}
    kinds = ({"y": LABELS[:, None]}, {"y": np.float32(LABELS)}, one_hot, {"validation_split": 0.5, "epochs": 2})
    return [_weighed(tf, WEIGHTS, batched=batched, **kind) for kind in kinds[:3] for batched in (False, True)] + [
        _weighed(tf, WEIGHTS, **kinds[3])
    ]


def weights_of_classes_that_are_none(tf):
    ones = np.ones(8, np.float32)
    return [
        *(_weighed(tf, weights) for weights in ([1.0, 2.0, 3.0], {0: 1, 1: "a"})),
        _weighed(tf, WEIGHTS, sample_weight=ones),
        _weighed(tf, WEIGHTS, sample_weight=ones, batched=True),
        _weighed(tf, {0: 0.5}, batched=True),
        _weighed(tf, {}, batched=True),
        _weighed(tf, WEIGHTS, y=np.zeros((8, 2, 2)), loss="mse"),
    ]


def one_batch_counts_by_its_classes(tf):
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, kernel_initializer="ones")])
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    loss = model.train_on_batch(X, CLASSES, class_weight={0: 3.0})
    refused = _outcomes(lambda: model.train_on_batch(X, CLASSES, sample_weight=np.ones(4), class_weight={0: 3.0}))
    return [float(loss), refused, model.get_weights()]


def _own_layers(tf):
    """Layers of one's own that do not say how they are made."""
    Layer = tf.keras.layers.Layer

    class Plain(Layer):
        def __init__(self, units=3, act=None, **kwargs):
            super().__init__(**kwargs)
            self.units = units

        def call(self, x):
            return x * self.units

    class Heir(Plain):
        pass

    class Nameless(Layer):
        def __init__(self, units, rate=0.5):
            super().__init__()

    class Named(Layer):
        def __init__(self, units, name=None, dtype=None):
            super().__init__(name=name, dtype=dtype)

    class Several(Layer):
        def __init__(self, *sizes, **others):
            super().__init__(**others)

    class ByPlace(Layer):
        def __init__(self, units, /, **kwargs):
            super().__init__(**kwargs)

    class Says(Layer):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.units = units

        def get_config(self):
            return super().get_config() | {"units": self.units}

    class Bare(Layer):
        pass

    kinds = (Plain, Heir, Nameless, Named, Several, ByPlace, Says, Bare)
    return SimpleNamespace(**{kind.__name__: kind for kind in kinds})


def own_layers_tell_what_they_were_made_with(tf):
    own = _own_layers(tf)
    frozen = own.Plain(2)
    frozen.trainable = False
    layers = [
        own.Plain(), own.Plain(4, name="p", dtype="float64", trainable=False), own.Plain([1, (2, {"a": 3})]),
        own.Plain(np.float64(2.0)), own.Plain(1, activity_regularizer="l2"), own.Plain(1, input_shape=(3,)),
        own.Heir(7, act="relu"), own.Nameless(4), own.Named(4), own.Named(4, "q", "float64"), own.Several(),
        own.Says(np.int64(4)), own.Says(4, activity_regularizer="l1"), own.Bare(name="b"), frozen,
        tf.keras.layers.Layer(dtype="float64"), tf.keras.layers.ActivityRegularization(0.5),
        tf.keras.layers.Dense(2, activity_regularizer="l1"), tf.keras.layers.Add(activity_regularizer="l1"),
    ]  # fmt: skip
    return [[list(layer.get_config()), layer.get_config()] for layer in layers]


def own_layers_that_cannot_tell(tf):
    own = _own_layers(tf)
    given = (np.int64(3), np.ones(2), abs, tf.keras.layers.Dense(2), tf.keras.initializers.Zeros(), [1, abs])
    layers = [*map(own.Plain, given), own.Several(1, 2), own.ByPlace(1)]
    return [_outcomes(layer.get_config) for layer in layers]


def own_layers_are_made_again(tf):
    own = _own_layers(tf)
    again = own.Plain.from_config(own.Plain(4, name="p", activity_regularizer="l2").get_config())
    model = tf.keras.Sequential([tf.keras.Input((3,)), own.Heir(5, name="h")])
    twin = tf.keras.models.clone_model(model).layers[0]
    return [
        again.get_config(),
        [again.units, twin.units, twin.name],
        _outcomes(lambda: own.Nameless.from_config(own.Nameless(4).get_config())),
    ]


def own_models_tell_what_they_can(tf):
    class Open(tf.keras.Model):
        def __init__(self, units=3, **kwargs):
            super().__init__(**kwargs)

    class Closed(tf.keras.Model):
        def __init__(self, units):
            super().__init__()

    class Drawn(tf.keras.Model):
        def __init__(self, units=4):
            place = tf.keras.Input((3,))
            super().__init__(place, tf.keras.layers.Dense(units)(place))

    return _outcomes(Open().get_config, Open(name="o").get_config, Closed(3).get_config, Drawn().get_config)


def _subtracting(tf, structure):
    """A model of the inputs b and a, in this order, in some structure: b - a."""
    b, a = (tf.keras.Input((1,), name=name) for name in "ba")
    return tf.keras.Model(structure(b, a), tf.keras.layers.Subtract()([b, a]))


_B, _A = np.float32([[5.0], [7.0]]), np.float32([[1.0], [2.0]])
_INPUTS = (
    [_B, _A],
    (_B, _A),
    {"b": _B, "a": _A},
    {"a": _A, "b": _B},
    {"a": _A, "b": _B, "more": _A},
    {"a": _A},
    {"x": _A, "y": _B},
    [_B],
    _B,
)


def _each_input(tf, structure):
    calls = (lambda given=given: _subtracting(tf, structure)(given) for given in _INPUTS)
    predictions = (lambda given=given: _subtracting(tf, structure).predict(given, verbose=0) for given in _INPUTS)
    return _outcomes(*calls, *predictions)


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
    given = (_B, [_B], {"i": _B}, {"x": _B}, {"i": _B, "x": _A}, {})

    def sequence(place):
        return tf.keras.Sequential([place, tf.keras.layers.Rescaling(2.0)])

    def drawn(place):
        return tf.keras.Model(place, tf.keras.layers.Rescaling(2.0)(place))

    makes = (sequence, drawn, lambda place: tf.keras.Model([place], tf.keras.layers.Rescaling(2.0)(place)))
    models = [make(tf.keras.Input((1,), name="i")) for make in makes]
    return [_outcomes(*(lambda model=model, each=each: model(each) for each in given)) for model in models]


def a_model_inside_takes_names(tf):
    places = [tf.keras.Input((1,)), tf.keras.Input((1,))]
    outer = tf.keras.Model(places, _subtracting(tf, lambda b, a: [b, a])({"a": places[1], "b": places[0]}))
    return outer([_B, _A])


def a_dataset_of_more_than_the_inputs(tf):
    model = _subtracting(tf, lambda b, a: [b, a])
    model.compile("sgd", "mse")
    data = tf.data.Dataset.from_tensor_slices(({"a": _A, "b": _B, "id": _A}, np.zeros((2, 1), "f"))).batch(2)
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
    return [seen, _outcomes(*(lambda shape=shape: model.build(shape) for shape in shapes))]


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
    return _outcomes(
        lambda: tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.Input((3,))]),
        lambda: model.add(tf.keras.Input((3,))),
        lambda: model.add(tf.keras.layers.InputLayer((3,))),
    )


def sequential_that_begins_with_a_join(tf):
    model = tf.keras.Sequential([tf.keras.layers.Concatenate(), tf.keras.layers.Rescaling(2.0)])
    return [model([_A, _B]), model.predict([_A, _B], verbose=0)]


def weights_of_classes_are_read_once(tf):
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    weights = {0: 1.0, 1: 2.0}

    class Changing(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            weights[0] = 100.0

    options = {"class_weight": weights, "epochs": 2, "callbacks": [Changing()], "verbose": 0, "shuffle": False}
    return model.fit(_A, np.float32([0, 1]), **options).history


def _trained(tf, **options):
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.AdamW(0.1, **options), "mse", metrics=["mae"])
    model.optimizer.exclude_from_weight_decay([model.layers[0].bias])
    model.fit(_A, _B, verbose=0)
    return model


def copies_train_on(tf):
    copied = (copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model)))
    seen = []
    for options in ({}, {"clipnorm": 1.0}):
        for each in copied:
            model = _trained(tf, **options)
            twin = each(model)
            twin.fit(_A, _B, verbose=0)
            told = [int(model.optimizer.iterations), int(twin.optimizer.iterations)]
            seen.append([told, model.get_weights()[0], twin.get_weights()[0]])
    return seen


def inputs_that_are_none(tf):
    model = _subtracting(tf, lambda b, a: [b, a])
    line = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    given = ({"a": None, "b": _B}, [None, None], None)
    return _outcomes(*(lambda each=each: model(each) for each in given), lambda: line([None]), lambda: line(None))


def sequential_of_its_first_dtype(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, dtype="float64", kernel_initializer="ones")])
    outputs = model(np.full((1, 2), 0.1))
    return [outputs, float(outputs[0, 0]) == 0.2, [each.dtype for each in model.inputs]]


def _penalised(tf):
    return tf.keras.layers.Dense(3, kernel_initializer="ones", activity_regularizer="l2")


def losses_of_every_call_of_a_layer(tf):
    shared, place = _penalised(tf), tf.keras.Input((3,))
    drawn = tf.keras.Model(place, shared(shared(place)))
    line = tf.keras.Sequential([shared, shared])
    seen = []
    for model in (drawn, drawn, line, line, shared):
        model(_X_OF_THREE)
        seen.append([[float(each) for each in own.losses] for own in (drawn, line, shared)])
    drawn.compile("sgd", "mse")
    return [seen, drawn.fit(_X_OF_THREE, np.ones((2, 3), "f"), epochs=2, verbose=0).history]


def losses_of_what_was_called_last(tf):
    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.either = [_penalised(tf), _penalised(tf)]

        def call(self, x, which=0):
            return self.either[which](x)

    model = Own()
    seen = []
    for which in (0, 1, 0):
        model(_X_OF_THREE, which=which)
        seen.append([len(each.losses) for each in (model, *model.either)])
    return seen


_X_OF_THREE = np.float32([[0.5, -1.0, 2.0], [1.5, 0.2, -0.3]])


def losses_of_trials_do_not_count(tf):
    class Inner(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.dense = _penalised(tf)

        def call(self, x):
            self.add_loss(tf.reduce_sum(x))
            return self.dense(x)

    class Outer(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def build(self, input_shape):
            pass

        def call(self, x):
            return self.inner(self.inner(x))

    layer = Outer()
    seen = []
    for _ in range(2):
        layer(_X_OF_THREE)
        seen.append([float(each) for each in layer.losses])
    return seen


# ----- classes of one's own, and what is drawn -----


def what_a_layer_draws_while_it_is_placed_is_drawn_again(tf):
    class Noise(tf.keras.layers.Layer):
        def call(self, x):
            return x + tf.random.normal(tf.shape(x), seed=42)

    tf.random.set_seed(1)
    inputs = tf.keras.Input((2,))
    model = tf.keras.Model(inputs, Noise()(inputs))
    return [model(tf.zeros([1, 2])), model(tf.zeros([1, 2])), tf.random.normal([2], seed=42)]


def initializer_of_ones_own_draws_for_each_layer(tf):
    def drawn(shape, dtype=None):
        return tf.random.normal(shape, dtype=dtype)

    class Two(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.a = tf.keras.layers.Dense(2, kernel_initializer=drawn)
            self.b = tf.keras.layers.Dense(2, kernel_initializer=drawn)

        def call(self, x):
            return self.b(self.a(x))

    tf.random.set_seed(1)
    model = Two()
    model(tf.zeros([1, 2]))
    return [model.get_weights(), tf.random.normal([2])]


def optimizer_of_ones_own(tf):
    class Momentum(tf.keras.optimizers.Optimizer):
        def build(self, variables):
            if self.built:
                return
            super().build(variables)
            self.speeds = [self.add_variable_from_reference(reference_variable=v, name="speed") for v in variables]
            self.firsts, self.seconds = self.add_optimizer_variables(variables, ["first", "second"])
            self.count = self.add_variable((2,), "ones", name="count")

        def update_step(self, gradient, variable, learning_rate):
            speed = self.speeds[self._get_variable_index(variable)]
            self.assign(speed, 0.9 * speed + gradient)
            self.assign_add(self.count, [1.0, 2.0])
            self.assign_sub(variable, tf.cast(learning_rate, variable.dtype) * speed)

    optimizer = Momentum(0.5, clipvalue=1.5, weight_decay=0.1, name="own")
    w, u = tf.keras.Variable([1.0, 2.0], name="w"), tf.Variable([3.0], name="u")
    for _ in range(2):
        optimizer.apply([tf.constant([1.0, 2.0]), tf.constant([2.0])], [w, u])
    return [w, u, [each.path for each in optimizer.variables], list(optimizer.variables)]


def optimizer_with_another_step(tf):
    class Twice(tf.keras.optimizers.SGD):
        def update_step(self, gradient, variable, learning_rate):
            super().update_step(gradient * 2.0, variable, learning_rate)

    w = tf.Variable([1.0, 2.0])
    optimizer = Twice(0.1, momentum=0.9)
    for _ in range(3):
        optimizer.apply_gradients([(2.0 * w, w)])
    return [w, list(optimizer.variables)]


def step_of_ones_own_is_given_slices(tf):
    kinds = []

    class Plain(tf.keras.optimizers.Optimizer):
        def update_step(self, gradient, variable, learning_rate):
            kinds.append(isinstance(gradient, tf.IndexedSlices))
            variable.assign_sub(learning_rate * tf.convert_to_tensor(gradient))

    table = tf.Variable([[1.0], [2.0]])
    for options in ({}, {"clipnorm": 0.5}):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, [0, 0]))
        Plain(0.1, **options).apply([tape.gradient(y, table)], [table])
    return [kinds, table]


def slices_are_written_as_slices(tf):
    class Slow(tf.keras.optimizers.Optimizer):
        def build(self, variables):
            super().build(variables)
            self.speeds, self.lasts = self.add_optimizer_variables(variables, ["speed", "last"])

        def update_step(self, gradient, variable, learning_rate):
            at = self._get_variable_index(variable)
            self.assign_add(self.speeds[at], gradient)
            self.assign(self.lasts[at], gradient)
            self.assign_sub(variable, gradient)
            self.assign_sub(variable, learning_rate * self.speeds[at])

    table, kept = tf.Variable([[1.0], [2.0], [3.0]]), tf.keras.Variable([[4.0], [5.0], [6.0]])
    optimizer = Slow(0.5)
    rows = tf.IndexedSlices(tf.constant([[2.0], [3.0]]), tf.constant([0, 2]), tf.constant([3, 1]))
    for _ in range(2):
        optimizer.apply([rows, rows], [table, kept])
    return [table, kept, list(optimizer.variables)]


def optimizer_without_a_step(tf):
    class Nothing(tf.keras.optimizers.Optimizer):
        pass

    Nothing(0.1).apply([tf.constant(1.0)], [tf.Variable(1.0)])


def summary_counts_what_the_optimizer_remembers(tf):
    model = _network(tf, tf.keras.layers.Dense(2), tf.keras.layers.BatchNormalization())
    texts = []
    for optimizer in ("sgd", "adam", tf.keras.optimizers.RMSprop(use_ema=True)):
        model.compile(optimizer, "mse")
        texts.append(_text(lambda print_fn: model.summary(print_fn=print_fn)))
        model.fit(X, X[:, :2], verbose=0)
        texts.append(_text(lambda print_fn: model.summary(print_fn=print_fn)))
    return texts


def layer_of_ones_own_tells_its_arguments(tf):
    k = tf.keras

    def bent(x):
        return x * 2.0

    told = [k.activations.serialize(each) for each in (k.activations.relu, k.activations.swish, tf.nn.relu, bent)]
    told += [k.initializers.serialize(k.initializers.HeNormal(seed=1)), k.initializers.serialize(bent)]
    told += [k.regularizers.serialize(k.regularizers.L2(0.5)), k.constraints.serialize(k.constraints.MaxNorm(3))]
    again = [k.regularizers.deserialize(told[-2]), k.constraints.deserialize(told[-1])]
    found = [k.activations.deserialize("relu") is k.activations.relu, k.activations.deserialize(bent) is bent]
    mine = k.activations.deserialize("bent", custom_objects={"bent": bent}) is bent

    class Double(k.regularizers.Regularizer):
        def __call__(self, x):
            return 2.0 * tf.reduce_sum(x)

        def get_config(self):
            return {}

    double = {"class_name": "Double", "config": {}, "module": None, "registered_name": "Double"}
    again.append(k.regularizers.deserialize(double, custom_objects={"Double": Double}))
    return [told, [each.get_config() for each in again], found, mine, k.activations.serialize(k.layers.ReLU())]


def name_is_no_activation_to_serialize(tf):
    tf.keras.activations.serialize("relu")


def alpha_dropout(tf):
    layer = tf.keras.layers.AlphaDropout(0.3)
    x = tf.ones([400, 4])
    drawn = np.unique(np.round(layer(x, training=True).numpy(), 4))
    rows = tf.keras.layers.AlphaDropout(0.5, noise_shape=(400, 1))(x, training=True)
    normal = layer(tf.random.normal([20000], seed=1), training=True).numpy()
    kept = [layer(x)[0], tf.keras.layers.AlphaDropout(0)(x, training=True)[0]]
    return [drawn, np.ptp(rows.numpy(), axis=1).max(), abs(round(float(normal.std()), 1)), kept, layer.get_config()]


def output_that_is_alone_in_a_list(tf):
    x = tf.keras.Input((2,))
    y = tf.keras.layers.Dense(1, kernel_initializer="ones")(x)
    z = np.ones((1, 2), np.float32)
    models = [tf.keras.Model([x], outputs) for outputs in ([y], (y,), [[y]], {"a": y}, [y, y])]
    shown = [[each([z]), each.predict(z, verbose=0), type(each.output).__name__] for each in models]
    placed = tf.keras.Model(x, [y])(x)
    outer = tf.keras.Model(x, tf.keras.layers.Dense(2, kernel_initializer="ones")(placed[0]))
    return [shown, type(placed).__name__, outer(z), tf.keras.models.clone_model(models[0])([z]).shape[1]]


def optimizers_and_losses_from_configs(tf):
    o, losses = tf.keras.optimizers, tf.keras.losses
    made = [o.get({"class_name": "SGD", "config": {"learning_rate": 0.3}}), o.get({"class_name": "adam", "config": {}})]
    made += [o.deserialize(o.serialize(each)) for each in (o.Adam(0.5, name="mine"), o.SGD(momentum=0.9, name="other"))]
    told = [o.serialize(o.RMSprop(name="told")), losses.serialize(losses.Huber(0.5)), losses.serialize(losses.mse)]
    again = losses.deserialize(losses.serialize(losses.BinaryCrossentropy(True, reduction="sum")))
    value = again([[0.0, 1.0]], [[0.5, -1.0]])
    return [type(each).__name__ for each in made], [each.learning_rate for each in made], told, value, o.get(None)


def initializers_of_a_length(tf):
    i = tf.keras.initializers
    normal = i.VarianceScaling(2.0, "fan_out", "untruncated_normal", seed=1)
    return i.Ones()(3), i.Zeros()(()), i.Constant(2)(tf.TensorShape([2])), normal([2, 2])


def numbers_next_to_nothing_are_shown_with_an_exponent(tf):
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.SGD(0.0), "mse", metrics=["accuracy"])
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        model.evaluate(np.ones((2, 2)), np.ones((2, 1)), verbose=2)
    return [each for each in shown.getvalue().split(" - ") if ":" in each]


def variables_of_a_layer_that_drops_hold_what_it_draws_by(tf):
    drop = tf.keras.layers.Dropout(0.5, seed=3)
    model = tf.keras.Sequential([tf.keras.Input((2,)), drop, tf.keras.layers.Dense(1)])
    drop(tf.ones([2]), training=True)
    shown = [[each.path for each in found] for found in (model.variables, model.weights, model.non_trainable_variables)]
    model.trainable = False
    state = drop.seed_generator.state
    counts = [len(model.variables), len(model.non_trainable_variables), len(tf.keras.layers.Dropout(0.0).variables)]
    return [shown, counts, repr(state), len(copy.deepcopy(drop).variables), state.trainable]


def models_that_take_no_training_tell_their_layers_nothing(tf):
    class Doubling(tf.keras.layers.Layer):
        def call(self, x, training=None):
            return x if training is None else x * 2.0 if training else -x

    class Plain(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.double, self.out = Doubling(), tf.keras.layers.Dense(1, kernel_initializer="ones")

        def call(self, x):
            return self.out(self.double(x))

    class Told(Plain):
        def call(self, x, training=None):
            return self.out(self.double(x))

    found = []
    for model in (Plain(), Told(), tf.keras.Sequential([Plain()])):
        model.compile("sgd", "mse")
        fitted = model.fit(X, np.ones((len(X), 1)), epochs=2, verbose=0).history["loss"]
        found.append([fitted, model.evaluate(X, np.ones((len(X), 1)), verbose=0), model.predict(X, verbose=0)])
        found.append([model(tf.constant(X)), model(tf.constant(X), training=True)])
    return found


def shapes_that_a_class_does_not_compute(tf):
    class Twice(tf.keras.layers.Layer):
        def call(self, x):
            return x * 2

    class Wide(tf.keras.layers.Dense):
        def call(self, x):
            return super().call(x) * 2

    class Model(tf.keras.Model):
        def call(self, x):
            return x

    found = [tf.keras.Sequential([Wide(4)]).compute_output_shape((None, 3)), Wide(4).compute_output_shape((None, 3))]
    for layer in (Twice(), Model(), tf.keras.layers.Layer()):
        try:
            found.append(layer.compute_output_shape((None, 3)))
        except NotImplementedError as error:
            found.append(str(error))
    return found, Twice()(tf.keras.Input((3,))).shape


def dtypes_that_are_none(tf):
    makers = (tf.keras.losses.MeanSquaredError, tf.keras.metrics.Mean, tf.keras.layers.Flatten)
    found = []
    for make in makers:
        for dtype in ("nope", "bfloat16", tf.float64, float):
            try:
                found.append(make(dtype=dtype).dtype)
            except ValueError as error:
                found.append(str(error).partition(". ")[0])
    return found


def layers_that_print_when_they_run(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/printed"

        class Printing(tf.keras.layers.Layer):
            def call(self, x):
                tf.print(self.name, output_stream=f"file://{path}")
                return x

        class Model(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self.out = tf.keras.layers.Dense(1)

            def call(self, x):
                tf.print(self.name, output_stream=f"file://{path}")
                return self.out(x)

        place = tf.keras.Input((3,))
        drawn = tf.keras.Model(place, Printing()(place))
        for model in (tf.keras.Sequential([Printing(), tf.keras.layers.Dense(1)]), Model(), drawn):
            model(X)
            model.predict(X, verbose=0)
        return Path(path).read_text()


def what_a_recomputed_model_wraps(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    recomputed = tf.recompute_grad(model)
    with tf.GradientTape() as tape:
        y = recomputed(tf.constant(X))
    return recomputed.__wrapped__ is model, y, tape.gradient(y, recomputed.__wrapped__.trainable_variables)


def state_of_an_optimizer_is_written(tf):
    v = tf.Variable([1.0, 2.0])
    first, second = (tf.keras.optimizers.SGD(0.1, momentum=0.9, loss_scale_factor=4.0) for _ in range(2))
    first.apply_gradients([(tf.constant([1.0, -1.0]), v)])
    found = [second.built]
    try:
        second.set_weights([])
    except ValueError as error:
        found.append(str(error))
    second.build([v])
    second.set_weights([each.numpy() for each in first.variables])
    second.apply_gradients([(tf.constant([1.0, 1.0]), v)])
    try:
        second.set_weights([np.ones(2)])
    except ValueError as error:
        found.append("not compatible with provided weight shape (2,)" in str(error))
    scaled = [each.scale_loss(tf.constant(2.0)) for each in (second, tf.keras.optimizers.Adam())]
    return found, v, second.variables, scaled


def own_layer_built_of_two_shapes(tf):
    class Two(tf.keras.layers.Layer):
        def build(self, right_shape, left_shape):
            self.shapes = left_shape, right_shape

        def call(self, left, right):
            return left[:, 0] + right[:, 0]

    class Nameless(Two):
        def build(self, left_shape, right):
            pass

    class Astray(Two):
        def build(self, left_shape, middle_shape):
            pass

    left, right, layer = tf.ones((2, 1)), tf.ones((2, 3)), Two()
    found = [layer(left, right), layer.shapes, Two()(left, right=right)]
    for wrong in (Nameless, Astray):
        try:
            found.append(wrong()(left, right))
        except ValueError as error:
            found.append(str(error).partition("For layer")[2].replace("Received", "received"))
    return found


def trainable_is_no_number(tf):
    return tf.keras.layers.Dense(2, trainable=1)


def steps_see_every_example(tf):
    x, y = np.arange(20, dtype=np.float32).reshape(10, 2), np.ones((10, 1), np.float32)
    seen = []

    class Count(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            seen.append(("train", batch))

        def on_test_batch_end(self, batch, logs=None):
            seen.append(("test", batch))

    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.SGD(1e-4), "mse")
    spoken = {"shuffle": False, "verbose": 0, "callbacks": [Count()]}
    shares = [
        model.fit(x, y, steps_per_epoch=3, epochs=2, **spoken).history,
        model.fit(x, y, steps_per_epoch=2, validation_split=0.3, validation_steps=2, **spoken).history,
    ]
    asked = {"steps": 3, "verbose": 0}
    return [shares, seen, model.evaluate(x, y, **asked), model.predict(x, **asked)]


def losses_are_named_also_where_one_is_refused(tf):
    class Own(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return y_pred - y_true

    first = Own().name
    with contextlib.suppress(ValueError):
        Own(reduction="typo")
    return int(Own().name.rpartition("_")[2]) - int((first.rpartition("_")[2]).removeprefix("own") or 0)
