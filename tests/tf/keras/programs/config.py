"""Small Keras programs that tell how layers and models are made, and make them again. Run in both frameworks."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace

import numpy as np

from tests.framework_programs import fails
from tests.tf.keras.material import INPUT_A, INPUT_B, X, Y, errors, filled, network, outcomes


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


@fails
def sequential_of_unknown_layers(tf):
    class Twice(tf.keras.layers.Layer):
        pass

    return tf.keras.Sequential.from_config(tf.keras.Sequential([Twice()]).get_config())


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
    model = filled(_branching(tf))
    again = filled(tf.keras.Model.from_config(model.get_config()))
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
    refused = errors(lambda: tf.keras.Model.from_config(model.get_config()))
    again = tf.keras.Model.from_config(model.get_config(), custom_objects={"Twice": Twice})
    return [refused, again(tf.constant(X))]


def build_config_of_a_layer_in_two_models(tf):
    shared = tf.keras.layers.Dense(2, name="shared")
    models = [tf.keras.Sequential([tf.keras.Input(shape), shared]) for shape in ((3,), (4, 3))]
    eager = tf.keras.layers.Dense(2)
    eager(tf.constant(X))
    return [model.get_config()["layers"][1]["build_config"] for model in models]


def models_are_cloned(tf):
    model = filled(_branching(tf))
    clone = tf.keras.models.clone_model(model)
    same = bool(np.allclose(clone.get_weights()[0], model.get_weights()[0]))
    return [clone.name, [each.path for each in clone.weights], same, filled(clone)(_example(tf))]


def sequences_are_cloned(tf):
    layers = tf.keras.layers
    built = tf.keras.Sequential([tf.keras.Input((3,), name="in"), layers.Dense(2, name="q")], name="seq")
    waiting = tf.keras.Sequential([layers.Dense(2, name="q")], name="seq")
    clones = [tf.keras.models.clone_model(waiting), tf.keras.models.clone_model(built)]
    waiting(tf.constant(X))
    clones.append(tf.keras.models.clone_model(waiting))
    found = [[each.name, each.built, [w.path for w in each.weights]] for each in clones]
    return [found, clones[1].inputs[0].shape, filled(clones[1])(tf.constant(X))]


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
    return errors(
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


def losses_by_name_class_and_config(tf):
    losses = tf.keras.losses
    names = [losses.get(name).__name__ for name in ("bce", "BCE", "kld", "mape", "msle", "log_cosh", "squared_hinge")]
    made = [losses.get("CategoricalHinge"), losses.get(losses.MeanSquaredError)]
    told = losses.get({"class_name": "Huber", "config": {"delta": 2.0}})
    model = network(tf, tf.keras.layers.Dense(1))
    model.compile(optimizer="sgd", loss=losses.MeanSquaredError)
    values = [each(Y, 2 * Y) for each in (*made, told)]
    return [names, values, errors(lambda: losses.get("logcosh"), lambda: losses.get(3), lambda: losses.get("other"))]


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
    return [outcomes(layer.get_config) for layer in layers]


def own_layers_are_made_again(tf):
    own = _own_layers(tf)
    again = own.Plain.from_config(own.Plain(4, name="p", activity_regularizer="l2").get_config())
    model = tf.keras.Sequential([tf.keras.Input((3,)), own.Heir(5, name="h")])
    twin = tf.keras.models.clone_model(model).layers[0]
    return [
        again.get_config(),
        [again.units, twin.units, twin.name],
        outcomes(lambda: own.Nameless.from_config(own.Nameless(4).get_config())),
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

    return outcomes(Open().get_config, Open(name="o").get_config, Closed(3).get_config, Drawn().get_config)


def _trained(tf, **options):
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.AdamW(0.1, **options), "mse", metrics=["mae"])
    model.optimizer.exclude_from_weight_decay([model.layers[0].bias])
    model.fit(INPUT_A, INPUT_B, verbose=0)
    return model


def copies_train_on(tf):
    copied = (copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model)))
    seen = []
    for options in ({}, {"clipnorm": 1.0}):
        for each in copied:
            model = _trained(tf, **options)
            twin = each(model)
            twin.fit(INPUT_A, INPUT_B, verbose=0)
            told = [int(model.optimizer.iterations), int(twin.optimizer.iterations)]
            seen.append([told, model.get_weights()[0], twin.get_weights()[0]])
    return seen


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


def optimizers_and_losses_from_configs(tf):
    o, losses = tf.keras.optimizers, tf.keras.losses
    made = [o.get({"class_name": "SGD", "config": {"learning_rate": 0.3}}), o.get({"class_name": "adam", "config": {}})]
    made += [o.deserialize(o.serialize(each)) for each in (o.Adam(0.5, name="mine"), o.SGD(momentum=0.9, name="other"))]
    told = [o.serialize(o.RMSprop(name="told")), losses.serialize(losses.Huber(0.5)), losses.serialize(losses.mse)]
    again = losses.deserialize(losses.serialize(losses.BinaryCrossentropy(True, reduction="sum")))
    value = again([[0.0, 1.0]], [[0.5, -1.0]])
    return [type(each).__name__ for each in made], [each.learning_rate for each in made], told, value, o.get(None)
