"""Small Keras programs on penalties, constraints and added losses, run in both frameworks."""

from __future__ import annotations

import numpy as np

from tests.tf.keras.material import X, Y, errors, filled, network


def weight_penalty(tf):
    layer = filled(network(tf, tf.keras.layers.Dense(2)))
    with tf.GradientTape() as tape:
        loss = sum(tf.reduce_sum(tf.square(each)) for each in layer.trainable_variables)
    return tape.gradient(loss, layer.trainable_variables)


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


def added_losses(tf):
    class Active(tf.keras.layers.Layer):
        def call(self, x):
            self.add_loss(0.1 * tf.reduce_sum(x))
            return x

    layer = Active()
    layer(tf.ones(3))
    layer(tf.ones(3))
    model = network(tf, Active(), tf.keras.layers.Dense(1))
    model.compile("sgd", "mse")
    return [layer.losses, model.fit(X, Y, epochs=2, verbose=0, shuffle=False).history]


def regularizers_of_arrays(tf):
    regularizers = tf.keras.regularizers
    matrix = tf.constant([[1.0, -2.0], [0.5, 3.0], [0.0, 0.25]])
    named = [regularizers.get(name) for name in ("l1", "l2", "L1L2", "orthogonal_regularizer")]
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
    return errors(
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
    model = network(
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
    hidden = layers.Dense(4, "relu", True, "ones", "zeros", "l2", "l1", "L1L2", "non_neg", "max_norm")(hidden)
    hidden = layers.BatchNormalization(beta_regularizer="l1", gamma_constraint="unit_norm")(hidden)
    model = tf.keras.Model(inputs, layers.Dense(1, kernel_constraint=tf.keras.constraints.MaxNorm(0.5))(hidden))
    filled(model)
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
