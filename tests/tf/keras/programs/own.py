"""Small Keras programs with layers, models and optimizers of the program's own classes, run in both frameworks."""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from pathlib import Path

import numpy as np

from tests.framework_programs import fails
from tests.tf.keras.material import X, Y, errors, filled, text


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
    filled(block)
    return [[each.path for each in block.weights], block(tf.constant(X)), block.count_params()]


@fails
def own_layer_without_super(tf):
    class Broken(tf.keras.layers.Layer):
        def __init__(self):
            self.dense = tf.keras.layers.Dense(1)

        def call(self, inputs):
            return self.dense(inputs)

    return Broken()(tf.constant(X))


@fails
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
    filled(model)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(tf.constant(X)) - Y))
    gradients = tape.gradient(loss, model.trainable_variables)
    shown = text(lambda show: model.summary(print_fn=show))
    return [before, loss, gradients, [each.path for each in model.weights], [each.name for each in model.layers], shown]


@fails
def subclass_without_call(tf):
    return tf.keras.Model()(tf.constant(X))


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
            texts.append(type(error).__name__)
    return texts


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
        found.append(type(error).__name__)
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


def names_of_ones_own_layer(tf):
    class Wide(tf.keras.layers.Layer):
        def __init__(self, width):
            super().__init__()
            self.width = width

        def call(self, inputs):
            return tf.repeat(inputs, self.width, axis=1)

    return Wide(2)(X)


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
            found.append(type(error).__name__)
    return found, Twice()(tf.keras.Input((3,))).shape


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
            found.append(type(error).__name__)
    return found


def losses_are_named_also_where_one_is_refused(tf):
    class Own(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return y_pred - y_true

    first = Own().name
    with contextlib.suppress(ValueError):
        Own(reduction="typo")
    return int(Own().name.rpartition("_")[2]) - int((first.rpartition("_")[2]).removeprefix("own") or 0)


def own_models_have_placeholders_if_they_tell_a_graph(tf):
    class Free(tf.keras.Model):
        def call(self, x):
            return x

    class Heads(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.inputs, self.outputs = tf.keras.layers.Dense(2), [tf.keras.layers.Dense(1), tf.keras.layers.Dense(1)]

        def call(self, x):
            return [head(self.inputs(x)) for head in self.outputs]

    class Named(tf.keras.Model):
        pass

    class Made(Named):
        def __init__(self, units=2):
            x = tf.keras.Input((3,))
            super().__init__(x, tf.keras.layers.Dense(units, name="out")(x), name="made")

    x = tf.keras.Input((3,))
    named, made, chain = Named(x, tf.keras.layers.Dense(2)(x)), Made(), tf.keras.Sequential([tf.keras.layers.Dense(1)])
    heads = Heads()
    heads(X)
    asked = ("inputs", "outputs", "input_shape", "output_shape", "output_names")
    texts = []
    for model, name in ((model, name) for model in (Free(name="free"), chain) for name in asked):
        try:
            getattr(model, name)
        except AttributeError as error:
            texts.append(type(error).__name__)
    found = [[each.input_shape, each.output_shape, len(each.inputs), len(each.outputs)] for each in (named, made)]
    again = Named.from_config(named.get_config())
    return [found, made.output_names, texts, list(named.get_config()), again.output_shape, len(heads.weights)]


def a_function_with_a_gradient_of_its_own_on_a_weight(tf):
    @tf.custom_gradient
    def straight(x):
        def grad(upstream, variables=None):
            return upstream * 3.0, [upstream * 5.0 for _ in variables]

        return tf.sign(x), grad

    @tf.custom_gradient
    def of_arguments_alone(x):
        return tf.sign(x), lambda upstream: upstream

    layer = tf.keras.layers.Dense(2, kernel_initializer="ones")
    layer.build((None, 1))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(straight(layer.kernel))
        z = tf.reduce_sum(of_arguments_alone(layer.kernel * 1.0))
    return [
        tape.gradient(y, layer.kernel),
        tape.gradient(z, layer.kernel),
        errors(lambda: of_arguments_alone(layer.kernel)),
    ]


def plain_variables_that_a_layer_inside_makes(tf):
    met = []

    class Inner(tf.keras.layers.Layer):
        def build(self, shape):
            met.append(tf.executing_eagerly())
            self.w = tf.Variable(tf.random.normal([shape[-1], 2]))

        def call(self, x):
            return x @ self.w

    class Outer(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def call(self, x):
            return self.inner(x)

    tf.random.set_seed(1)
    outer = Outer()
    return [outer(tf.ones([1, 3])), tf.random.normal([1]), met, len(outer.variables)]


def what_own_layers_give_for_any_batch(tf):
    """The batch may be another axis of an output than the first, or several, or none."""
    vectors, series, any_series = tf.keras.Input((3,)), tf.keras.Input((4, 6)), tf.keras.Input((None, 6))
    functions = [
        (tf.transpose, vectors), (lambda x: tf.reduce_sum(x, 0), vectors), (tf.reduce_mean, vectors),
        (lambda x: tf.matmul(x, x, transpose_b=True), vectors), (lambda x: tf.matmul(x, x, transpose_a=True), vectors),
        (lambda x: tf.transpose(x, [1, 0, 2]), series), (lambda x: tf.transpose(x, [1, 0, 2]), any_series),
        (lambda x: tf.reshape(x, [-1, 6]), series), (lambda x: tf.reshape(x, [-1, 3, 1]), vectors),
        (lambda x: x[0], series), (lambda x: x[None], vectors), (lambda x: tf.stack([x, x]), vectors),
        (lambda x: (x, tf.reduce_sum(x, 0)), vectors), (lambda x: tf.reduce_sum(x, 1, keepdims=True), vectors),
        (lambda x: tf.boolean_mask(x, x[:, 0] > 0), vectors), (lambda x: tf.ones([5, 2]), vectors),
        (tf.shape, vectors), (lambda x: tf.concat([x, x], 0), vectors),
        (lambda x: tf.zeros([tf.shape(x)[0], 7]), vectors),
    ]  # fmt: skip

    class Calling(tf.keras.layers.Layer):
        def __init__(self, function):
            super().__init__()
            self.function = function

        def call(self, inputs):
            return self.function(inputs)

    found = []
    for function, place in functions:
        outputs = Calling(function)(place)
        found.append([tuple(each.shape) for each in (outputs if isinstance(outputs, tuple) else [outputs])])
    gram = Calling(lambda x: tf.matmul(x, x, transpose_b=True))(vectors)
    centred = Calling(lambda x: x - tf.reduce_mean(x, 0))(vectors)
    return found, tf.keras.Model(vectors, [gram, centred])(tf.constant(np.arange(12.0, dtype="f").reshape(4, 3)))
