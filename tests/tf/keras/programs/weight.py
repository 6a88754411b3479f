"""Small Keras programs on the variables of layers: described, assigned, frozen. Run in both frameworks."""

from __future__ import annotations

import copy

import numpy as np

from tests.framework_programs import fails
from tests.tf.keras.material import X, Y, answer, filled, network


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


@fails
def kernel_of_another_shape(tf):
    layer = tf.keras.layers.Dense(1)
    layer(tf.constant(X))
    return layer.kernel.assign(np.ones((2, 1)))


def kernel_in_arithmetic(tf):
    layer = filled(network(tf, tf.keras.layers.Dense(2)))
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
    rows = iter(network(tf, tf.keras.layers.Dense(2)).weights[0])
    return [next(rows), next(rows), next(rows)]


@fails
def kernel_is_not_iterated_to_its_end(tf):
    return list(network(tf, tf.keras.layers.Dense(2)).weights[0])


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


def initializer_is_called(tf):
    return [
        tf.keras.initializers.Constant(2.5)((2, 3)),
        tf.keras.initializers.Constant([1.0, 2.0])((3, 2), dtype="float64"),
    ]


def frozen_layer(tf):
    layer = network(tf, tf.keras.layers.Dense(2), tf.keras.layers.Dense(1))
    layer.layers[0].trainable = False
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(tf.constant(X)))
    gradients = tape.gradient(loss, layer.weights)
    paths = [[each.path for each in group] for group in (layer.trainable_variables, layer.non_trainable_variables)]
    return [gradients, paths, layer.layers[0].trainable_weights]


def what_is_trained_is_settled_at_the_first_step(tf):
    found = []
    for eagerly in (False, True):
        model = network(tf, tf.keras.layers.Dense(2), tf.keras.layers.Dense(1))
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


def kernel_is_rebound(tf):
    layer = filled(network(tf, tf.keras.layers.Dense(1)))
    kernel = layer.weights[0]
    kernel += 1.0
    return [kernel, layer.weights[0]]


@fails
def kernel_as_a_bool(tf):
    return bool(network(tf, tf.keras.layers.Dense(1)).weights[0])


def add_weight_by_place(tf):
    layer = tf.keras.layers.Layer(name="own")
    layer.add_weight((2,), "ones")
    layer.add_variable((1, 2), "zeros", name="old")
    return [(each.path, each) for each in layer.weights]


@fails
def add_weight_with_its_name_first(tf):
    return tf.keras.layers.Layer().add_weight("kernel", shape=(2,))


@fails
def add_weight_with_two_shapes(tf):
    return tf.keras.layers.Layer().add_weight((2,), shape=(2,))


def kernels_are_not_replaced(tf):
    k = tf.keras.layers
    weights = [(k.Dense(2), "kernel"), (k.Conv2D(2, 1), "kernel"), (k.Embedding(3, 2), "embeddings")]
    before = [answer(lambda each=each: getattr(*each)) for each in weights]
    weights[0][0](X)
    refused = [answer(lambda each=each: setattr(*each, X)) for each in weights]
    weights[0][0].bias = tf.zeros((2,))
    return [before, refused]


def value_of_a_weight_is_one_variable(tf):
    layer = tf.keras.layers.Dense(1)
    with tf.GradientTape() as tape:
        layer(tf.constant(X))
    kernel = layer.kernel
    watched = [each.ref() for each in tape.watched_variables()]
    return [kernel.value is kernel.value, len({kernel.value.ref(), kernel.value.ref()}), kernel.value.ref() in watched]


def initializers_by_their_long_names(tf):
    initializers = tf.keras.initializers
    told = ["OrthogonalInitializer", "IdentityInitializer", {"class_name": "IdentityInitializer", "config": {}}]
    kinds = [type(initializers.get(each)).__name__ for each in told]
    return [kinds, initializers.get("IdentityInitializer")([2, 3])]


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


def initializers_of_a_length(tf):
    i = tf.keras.initializers
    normal = i.VarianceScaling(2.0, "fan_out", "untruncated_normal", seed=1)
    return i.Ones()(3), i.Zeros()(()), i.Constant(2)(tf.TensorShape([2])), normal([2, 2])


def variables_of_a_layer_that_drops_hold_what_it_draws_by(tf):
    drop = tf.keras.layers.Dropout(0.5, seed=3)
    model = tf.keras.Sequential([tf.keras.Input((2,)), drop, tf.keras.layers.Dense(1)])
    drop(tf.ones([2]), training=True)
    shown = [[each.path for each in found] for found in (model.variables, model.weights, model.non_trainable_variables)]
    model.trainable = False
    state = drop.seed_generator.state
    counts = [len(model.variables), len(model.non_trainable_variables), len(tf.keras.layers.Dropout(0.0).variables)]
    return [shown, counts, repr(state), len(copy.deepcopy(drop).variables), state.trainable]


@fails
def trainable_is_no_number(tf):
    return tf.keras.layers.Dense(2, trainable=1)
