"""Small programs that compile and train models, each run under TensorFlow and under tapeviz."""

from __future__ import annotations

from functools import partial

import numpy as np

from tests.framework_programs import fails
from tests.tf.keras.material import errors, network

X = np.float32([[0.5, -1.0, 2.0], [1.5, 0.2, -0.3], [0.0, 0.1, 0.9], [-2.0, 1.0, 0.4]])
Y = np.float32([[1.0], [0.0], [0.5], [-1.0]])


def _dense(tf):
    return network(tf, tf.keras.layers.Dense(1, name="out"))


def means_of_variables_take_their_places_after_fit(tf):
    results = []
    for options in ({"use_ema": True, "ema_momentum": 0.5}, {"use_ema": True, "ema_overwrite_frequency": 0}):
        model = _dense(tf)
        model.compile(tf.keras.optimizers.SGD(0.1, **options), "mse")
        losses = [model.fit(X, Y, batch_size=2, epochs=n, shuffle=False, verbose=0).history for n in (2, 0, 1)]
        results += [losses, model.get_weights(), [np.array(each) for each in model.optimizer.variables]]
    return results


def a_scaled_loss_in_fit(tf):
    model = _dense(tf)
    model.compile(tf.keras.optimizers.SGD(0.1, loss_scale_factor=4.0), "mse")
    losses = model.fit(X, Y, batch_size=2, epochs=2, shuffle=False, verbose=0).history
    return [losses, model.get_weights(), model.optimizer.scale_loss(tf.constant(2.0))]


def weights_by_what_initializers_may_be(tf):
    layer = tf.keras.layers.Layer()
    add = layer.add_weight
    given = [
        add(shape=(2,), initializer=np.ones),
        add(shape=(2,), initializer=tf.constant([1.0, 2.0])),
        add(shape=(2,), initializer=lambda shape, dtype: tf.ones(shape, dtype) * len(dtype)),
        add(shape=(2,), initializer="ones", dtype="float16"),
    ]
    return given + errors(
        lambda: add(shape=(2,), initializer=3.0),
        lambda: add(shape=(2,), initializer=0),
        lambda: add(shape=(2,), initializer="abc"),
        lambda: add(shape=(2,), dtype="abc"),
    )


def what_models_and_optimizers_refuse(tf):
    k, place = tf.keras.layers, tf.keras.Input((1,))

    class Falling(tf.keras.optimizers.schedules.LearningRateSchedule):
        def __call__(self, step):
            return 1.0 / (tf.cast(step, tf.float32) + 1.0)

    model = _dense(tf)
    model.compile("sgd", "mse")
    four = tf.data.Dataset.from_tensor_slices((X, Y, Y[:, 0], Y)).batch(2)
    return [
        *errors(
            lambda: tf.keras.Model(place, k.Dense(1, name="x")(k.Dense(1, name="x")(place))),
            lambda: tf.keras.Model([place, tf.keras.Input((1,), name=place.name)], place),
            lambda: model.get_layer("out", 0),
            lambda: tf.keras.optimizers.Optimizer(),
            lambda: tf.keras.optimizers.SGD(Falling()).get_config(),
            lambda: model.fit(four, verbose=0),
        ),
        tf.keras.optimizers.SGD(Falling()).learning_rate,
    ]


def labels_by_names(tf):
    k, place = tf.keras.layers, tf.keras.Input((3,), name="in")
    one, two = k.Dense(1, name="one")(place), k.Dense(1, name="two")(place)
    single, listed = tf.keras.Model(place, one), tf.keras.Model(place, [one, two])
    named = tf.keras.Model(place, {"one": one, "two": two})
    for model in (single, listed, named):
        model.compile("sgd", "mse")
    bare = tf.keras.Sequential([k.Dense(1)])
    bare.compile("sgd", {"out": "mse"})
    return errors(
        lambda: single.fit(X, {"one": Y}, verbose=0),
        lambda: single.fit(X, {"one": Y, "two": Y}, verbose=0),
        lambda: listed.fit(X, {"one": Y, "two": Y}, verbose=0),
        lambda: listed.fit(X, {"one": Y, "other": Y}, verbose=0),
        lambda: named.fit(X, {"two": Y, "one": Y}, verbose=0),
        lambda: named.fit(X, {"one": Y, "other": Y}, verbose=0),
        lambda: named.fit(X, {"one": Y}, verbose=0),
        lambda: named.fit(X, [Y, Y], verbose=0),
        lambda: bare.fit(X, Y, verbose=0),
    )


def layers_that_need_more_than_an_input_in_a_sequence(tf):
    class Needs(tf.keras.layers.Layer):
        def call(self, x, training):
            return x

    class Takes(tf.keras.layers.Layer):
        def call(self, *, x):
            return x

    return errors(*[partial(tf.keras.Sequential([kind()]), X) for kind in (Needs, Takes)])


def data_for_validation(tf):
    model = _dense(tf)
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")

    def trained(**options):
        return model.fit(X, Y, shuffle=False, verbose=0, **options).history

    found = [trained(validation_data=data) for data in ([X, Y], [X, Y, Y[:, 0] ** 2], (X, Y))]
    found += [trained(validation_split=share) for share in (0.25, 0.01, 0.7)]
    return found + errors(*[partial(trained, validation_split=share) for share in (1.0, 0.8)])


def losses_and_metrics_for_some_outputs(tf):
    place = tf.keras.Input((3,))
    outputs = [
        tf.keras.layers.Dense(n, name=name, kernel_initializer="ones")(place) for n, name in ((1, "a"), (2, "b"))
    ]
    model, labels = tf.keras.Model(place, outputs), [Y, np.zeros((4, 2), np.float32)]

    def scores(given=labels, loss="mse", **options):
        model.compile("sgd", loss, **options)
        return model.evaluate(X, given, verbose=0, return_dict=True)

    return [
        scores(loss=["mse"]),
        scores(loss=["mse"], loss_weights=[3.0]),
        scores(loss_weights=[3.0]),
        scores([Y], loss=["mse", None], metrics=["mae", "mse"]),
        scores(metrics={"b": "mae"}),
        *errors(
            lambda: scores(loss=["mse", "mae", "mse"]),
            lambda: scores(loss_weights=[3.0, 2.0]),
            lambda: scores(metrics={"b": "mae", "other": "mae"}),
            lambda: scores(metrics=["mae"]),
            lambda: scores(metrics=["mae", "mse", "mae"]),
        ),
    ]


def weights_of_examples_for_several_outputs(tf):
    place = tf.keras.Input((3,))
    outputs = [tf.keras.layers.Dense(1, name=name, kernel_initializer="ones")(place) for name in "ab"]
    listed, named = (tf.keras.Model(place, each) for each in (outputs, dict(zip("ab", outputs, strict=True))))
    one, two = np.float32([1, 2, 0, 3]), np.float32([0, 1, 0, 0])

    def scores(model, labels, weights):
        model.compile("sgd", "mse")
        return model.evaluate(X, labels, sample_weight=weights, verbose=0, return_dict=True)

    both, apart = [Y, -Y], {"a": Y, "b": -Y}
    found = [scores(listed, both, each) for each in (one, one[:, None], [one, two])]
    found += [scores(named, apart, each) for each in (one, {"b": two, "a": one})]
    return found + errors(
        lambda: scores(listed, both, {"a": one, "b": two}),
        lambda: scores(listed, both, [one]),
        lambda: scores(listed, both, [one, two, one]),
        lambda: scores(listed, both, (one, two)),
        lambda: scores(named, apart, [one, two]),
        lambda: scores(named, apart, {"a": one}),
        lambda: scores(named, apart, {"a": one, "c": two}),
        lambda: scores(listed, both, np.ones((4, 2), np.float32)),
    )


def losses_by_names_of_outputs(tf):
    k, place = tf.keras.layers, tf.keras.Input((3,))
    chain = tf.keras.Sequential([tf.keras.Input((3,)), k.Dense(1, name="out")])
    drawn = tf.keras.Model(place, k.Dense(1, name="out")(place))
    named = tf.keras.Model(place, {"a": k.Dense(1)(place), "b": k.Dense(1)(place)})

    def fit(model, loss, labels=Y):
        model.compile("sgd", loss)
        model.fit(X, labels, verbose=0)

    assert not hasattr(chain, "output_names")
    return errors(
        lambda: fit(chain, {"out": "mse"}),
        lambda: fit(drawn, {"out": "mse"}),
        lambda: fit(drawn, {"other": "mse"}),
        lambda: fit(named, {"a": "mse"}, {"a": Y, "b": Y}),
        lambda: fit(named, {"a": "mse", "other": "mse"}, {"a": Y, "b": Y}),
    )


def what_layers_give_and_take_besides_tensors(tf):
    class Gives(tf.keras.layers.Layer):
        def __init__(self, what):
            super().__init__()
            self.what = what

        def call(self, x):
            return self.what

    dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
    one = dense(tf.ones((2, 3)))
    return [
        one,
        dense([tf.ones((2, 3))]),
        *[Gives(what)(each) for what in (None, 3) for each in (tf.ones((1, 2)),)],
        Gives(None)(tf.keras.Input((2,))),
        *errors(
            lambda: Gives(3)(tf.keras.Input((2,))),
            lambda: Gives("a")(tf.keras.Input((2,))),
            lambda: dense([tf.ones((2, 3)), tf.ones((2, 3))]),
            lambda: tf.keras.Sequential([tf.keras.Input((2,)), Gives(3)]),
        ),
    ]


def training_is_told_by_its_name(tf):
    class Own(tf.keras.layers.Layer):
        def call(self, x, training=None):
            return x if training is None else x * 2.0

    own, x = Own(), tf.ones((1, 2))
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    return [
        own(x, None),
        own(x, training=tf.constant(True)),
        *errors(
            lambda: own(x, tf.constant(True)),
            lambda: own(x, np.array(True)),
            lambda: own(x, True),
            lambda: tf.keras.layers.Dropout(0.5)(x, tf.constant(True)),
            lambda: model(x, x),
        ),
    ]


def what_a_compiled_model_says_it_measures(tf):
    model = _dense(tf)
    model.compile("sgd", "mse", metrics=["mae"])
    return repr(model.metrics)


def weights_are_set_by_arrays(tf):
    kernel, bias = np.ones([3, 1]), np.zeros(1)
    layers = [_dense(tf).layers[-1], _dense(tf)]
    given = [kernel.tolist(), [0.0]], [kernel, [0.0]], [kernel, 0.0], [None, None], [tf.constant(kernel), bias]
    return errors(*[partial(layer.set_weights, each) for layer in layers for each in given])


def what_a_variable_of_keras_has_not(tf):
    kernel = _dense(tf).weights[0]
    names = "read_value", "is_initialized", "ref", "experimental_ref", "device", "get_shape", "set_shape", "shape"
    return [(hasattr(kernel, name), hasattr(kernel.value, name)) for name in names]


@fails
def loops_begin_with_a_variable_of_keras(tf):
    kernel = _dense(tf).weights[0]
    return tf.while_loop(lambda x: tf.reduce_sum(x) < 100.0, lambda x: x + 20.0, [kernel])


def reductions_by_their_earlier_names(tf):
    names, mse = tf.keras.losses.Reduction, tf.keras.losses.MeanSquaredError
    results = [mse(reduction=each)(Y[:, 0], X[:, 0]) for each in (names.NONE, names.SUM, names.SUM_OVER_BATCH_SIZE)]
    checks = [partial(names.validate, "auto"), partial(names.validate, "mean"), lambda: mse(reduction=names.AUTO)]
    return [results, names.all(), *errors(*checks)]


def metrics_are_not_added_to_layers(tf):
    return errors(lambda: tf.keras.layers.Layer().add_metric(1.0, name="a"))


def weights_that_begin_as_an_array(tf):
    dense, x = tf.keras.layers.Dense, tf.ones([1, 3])
    kernel = np.arange(6.0).reshape(3, 2)
    given = kernel, tf.constant(kernel), tf.Variable(kernel), kernel.T, kernel.tolist(), 2.0, np.float32(2.0)
    results = errors(*[partial(lambda each: dense(2, kernel_initializer=each)(x), each) for each in given])
    return [results, tf.keras.initializers.get(kernel)((3, 2), "int32")]


def functions_of_models(tf):
    class Twice:
        def __call__(self, x, times=2):
            return x * times

    model, x = _dense(tf), tf.TensorSpec([None, 3])
    drops = tf.keras.Sequential([tf.keras.layers.Dropout(0.5, seed=1)])
    results = [np.isin(tf.function(drops)(tf.ones([2, 9]), training=True), [0.0, 2.0]).all()]
    for each in (model, model.layers[-1], Twice()):
        concrete = tf.function(each).get_concrete_function(x)
        results += [concrete(tf.constant(X)), repr(concrete.structured_input_signature)]
    return results


def objects_by_short_configs(tf):
    k = tf.keras
    modules = k.initializers, k.losses, k.metrics, k.regularizers, k.constraints
    made = k.optimizers.get({"class_name": "SGD"}), k.initializers.get({"class_name": "Zeros"})
    given = {}, {"config": {}}, {"class_name": "None"}
    refused = errors(*[partial(module.get, each) for module in modules for each in given])
    return [[type(each).__name__ for each in made], refused]
