"""Small Keras programs that compile and fit models, evaluate and predict. Run in both frameworks."""

from __future__ import annotations

import contextlib
import io
import warnings

import numpy as np

from tests.framework_programs import fails
from tests.tf.keras.material import CLASSES, X, Y, compiled, network


@fails
def fit_on_labels_alone(tf):
    model = network(tf, tf.keras.layers.Dense(1))
    model.compile("sgd", "mse")
    return model.fit(None, Y, verbose=0)


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
        model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
        for steps in (2, 3, 5, 7):
            model.set_weights([np.ones((1, 1)), np.ones(1)])
            given = {"y": rows, "batch_size": 2, "shuffle": False} if data is rows else {"validation_data": data}
            held = {} if data is rows else {"validation_steps": 2}
            found.append(model.fit(data, epochs=3, steps_per_epoch=steps, verbose=0, **given, **held).history)
            if data is not rows:
                found += [model.evaluate(data, steps=2, verbose=0), model.predict(data, steps=3, verbose=0)]
    return found


def custom_loop(tf):
    model = network(tf, tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2))
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
    model = network(tf, tf.keras.layers.Dense(1))
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


def fit(tf):
    model = compiled(tf, metrics=["mae"])
    seen = model.fit(X, Y, epochs=3, batch_size=3, shuffle=False, verbose=0, validation_data=(X[:2], Y[:2]))
    return [seen.history, seen.epoch, model.get_weights()]


def fit_a_dataset(tf):
    model = compiled(tf, optimizer=tf.keras.optimizers.Adam(0.1))
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(2)
    seen = model.fit(data, epochs=3, verbose=0, validation_data=data)
    return [seen.history, model.get_weights()]


def fit_with_a_held_out_share(tf):
    return compiled(tf).fit(X, Y, epochs=2, verbose=0, shuffle=False, validation_split=0.5).history


def fit_classes(tf):
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model = compiled(tf, loss, "adam", ["accuracy"], units=2)
    return [model.fit(X, CLASSES, epochs=3, verbose=0, shuffle=False).history, model.evaluate(X, CLASSES, verbose=0)]


def fit_yes_or_no(tf):
    loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    model = compiled(tf, loss, "rmsprop", ["accuracy"])
    return model.fit(X, np.float32([0, 1, 1, 0]), epochs=2, verbose=0, shuffle=False).history


def fit_with_an_own_loss(tf):
    model = compiled(tf, loss=lambda y, p: tf.reduce_sum(tf.abs(y - p), axis=-1))
    return model.fit(X, Y, epochs=2, verbose=0, shuffle=False).history


def evaluate_and_predict(tf):
    model = compiled(tf, metrics=["mae", "mse"])
    scores = [model.evaluate(X, Y, verbose=0), model.evaluate(X, Y, verbose=0, return_dict=True, batch_size=3)]
    return [*scores, model.predict(X, verbose=0), model.predict(X, batch_size=3, verbose=0).shape]


def one_batch(tf):
    model = compiled(tf)
    scores = [model.train_on_batch(X, Y), model.test_on_batch(X, Y), model.train_on_batch(X, Y, return_dict=True)]
    return [*scores, model.predict_on_batch(X)]


def prediction_has_no_gradient(tf):
    model = network(tf, tf.keras.layers.Dense(1))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model.predict(tf.constant(X), verbose=0) * 1.0)
    return tape.gradient(loss, model.trainable_variables)


@fails
def fit_without_compile(tf):
    return network(tf, tf.keras.layers.Dense(1)).fit(X, Y, verbose=0)


@fails
def fit_of_different_lengths(tf):
    return compiled(tf).fit(X, Y[:3], verbose=0)


def a_step_of_prediction(tf):
    class Model(tf.keras.Sequential):
        def predict_step(self, data):
            return {"mine": 2.0 * self(data), "one": data[:, 0]}

    return Model([tf.keras.layers.Dense(1, kernel_initializer="ones")]).predict(X, batch_size=2, verbose=0)


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


def validation_now_and_then(tf):
    model = network(tf, tf.keras.layers.Dense(1))
    model.compile("sgd", "mse")
    return model.fit(X, Y, epochs=3, validation_data=(X, Y), validation_freq=2, shuffle=False, verbose=0).history


def _four_batches(tf, *metrics):
    model = network(tf, tf.keras.layers.Dense(1))
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
    model = network(tf, tf.keras.layers.Dense(2, activation="softmax"))
    model.compile("sgd", "mse", metrics=[tf.keras.metrics.F1Score()])
    labels, found = np.eye(2, dtype=np.float32)[CLASSES], []
    told = _told(lambda: found.append([model.fit(X, labels).history, model.evaluate(X, labels)]))
    return told, found


def numbers_next_to_nothing_are_shown_with_an_exponent(tf):
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.SGD(0.0), "mse", metrics=["accuracy"])
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        model.evaluate(np.ones((2, 2)), np.ones((2, 1)), verbose=2)
    return [each for each in shown.getvalue().split(" - ") if ":" in each]


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


def crossentropy_of_labels_of_any_kind(tf):
    results = []
    for units, labels in ((3, np.eye(3)[[0, 1, 2, 0]]), (3, np.array([0, 1, 2, 0])), (1, np.ones((4, 1)))):
        for told in ("crossentropy", "CE"):
            model = tf.keras.Sequential([tf.keras.layers.Dense(units, kernel_initializer="ones")])
            model.compile("sgd", told)
            results.append(model.evaluate(np.full((4, 2), 0.25, np.float32), labels, verbose=0))
    return results


def what_a_training_is_refused(tf):
    x, y, results = np.ones((4, 3), np.float32), np.ones((4, 1), np.float32), []

    def refused(told, x=x, y=y, units=1, **given):
        model = tf.keras.Sequential([tf.keras.layers.Dense(units)])
        try:
            model.compile("sgd", "mse", **told)
            results.append(type(model.fit(x, y, verbose=0, **given)).__name__)
        except Exception as error:
            results.append(type(error).__name__)

    refused({"loss_weights": ["mae"]})
    refused({"loss_weights": [2.0]})
    refused({}, batch_size=-1)
    refused({}, x=x.astype(object))
    refused({}, units=2, y=y[:, 0])  # 4 examples, which a graph does not know, meet 2 units, which it knows
    refused({}, units=2, y=np.ones((4, 3)))
    refused({"run_eagerly": True}, units=2, y=y[:, 0])
    return results


@fails
def a_step_that_tells_nothing(tf):
    class Silent(tf.keras.Sequential):
        def train_step(self, data):
            return None

    model = Silent([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 3)), np.ones((4, 1)), verbose=0)


def products_over_the_examples(tf):
    def told(model, loss):
        model.compile("sgd", loss)
        try:
            model.fit(np.ones((4, 3), np.float32), np.ones((4, 1), np.float32), verbose=0)
        except Exception as error:
            return type(error).__name__, "Matrix size-incompatible: In[0]: [4,1], In[1]: [4,1]" in str(error)

    class Square(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(1)

        def call(self, x):
            return tf.matmul(self.dense(x), self.dense(x))

    dense = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    return told(dense, lambda y_true, y_pred: tf.matmul(y_true, y_pred)), told(Square(), "mse")


def batches_of_other_lengths_than_before(tf):
    """A graph for several lengths leaves them open: that one does not fit is met where it runs."""

    def model_of(shape, *layers):
        model = tf.keras.Sequential([tf.keras.Input(shape), *layers])
        model.compile("sgd", "mse")
        return model

    def told(step, *given):
        try:
            step(*given)
        except Exception as error:
            return type(error).__name__, "unknown rank" in str(error)
        return None

    def ones(*shape):
        return np.ones(shape, np.float32)

    k = tf.keras.layers
    dense, image = model_of((2,), k.Dense(1)), model_of((4, 4, 1), k.Conv2D(2, 3), k.Flatten(), k.Dense(1))
    steps = model_of((None, 2), k.LSTM(1))
    found = [told(dense.predict, ones(4, 3)), told(dense.fit, ones(4, 3), ones(4, 1))]
    found += [told(dense.predict, ones(*shape)) for shape in ((4, 2), (4, 3), (2, 2), (4, 2, 2), (4, 5), (1, 2))]
    found += [told(dense.fit, ones(*x), ones(*y)) for x, y in (((4, 2), (4, 1)), ((4, 3), (4, 1)), ((4, 2), (4, 1)))]
    found += [told(dense.train_on_batch, ones(n, m), ones(n, 1)) for n, m in ((4, 2), (4, 3), (3, 2))]
    found += [told(image.predict, ones(*shape)) for shape in ((1, 4, 4, 1), (1, 5, 5, 1), (4, 4, 1), (2, 4, 4, 1))]
    found += [told(steps.predict, ones(*shape)) for shape in ((1, 3, 2), (1, 5, 2), (1, 5, 3), (1, 4, 2))]
    dense.compile("sgd", "mse")
    return [*found, told(dense.predict, ones(4, 3)), told(dense.fit, ones(4, 3), ones(4, 1))]


def how_many_examples_a_model_is_told(tf):
    """A graph for batches of several sizes does not know them."""

    class Model(tf.keras.Model):
        def __init__(self, length):
            super().__init__()
            self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
            self.length = length

        def call(self, x):
            return self.dense(tf.reshape(x, [self.length(x), 2]))

    found = []
    for length in (lambda x: x.shape[0], lambda x: tf.shape(x)[0], lambda x: -1):
        for examples in (3, 4):
            model = Model(length)
            found.append(model(np.ones((examples, 2), np.float32)))
            model.compile("sgd", "mse")
            try:
                x, y = np.ones((examples, 2), np.float32), np.ones((examples, 1), np.float32)
                found.append(model.fit(x, y, batch_size=2, verbose=0).history["loss"])
            except TypeError as error:
                found.append("Failed to convert elements of [None, 2] to Tensor." in str(error))
    return found


def validation_data_goes_before_a_split(tf):
    model = compiled(tf)
    return model.fit(X, Y, validation_split=0.5, validation_data=(X[:1], Y[:1]), shuffle=False, verbose=0).history


def what_a_run_that_fails_leaves_of_the_weights(tf):
    """A step fails before any of it runs, validation after an epoch."""

    class Forgetful(tf.keras.Model):
        def train_step(self, data):
            logs = super().train_step(data)
            return logs["accuracy"]

    i = tf.keras.Input((3,))
    forgetful = Forgetful(i, tf.keras.layers.Dense(1, kernel_initializer="ones")(i))
    forgetful.compile("sgd", "mse")
    found = []
    for model, data in (
        (compiled(tf, metrics=["nonsense"]), None),
        (compiled(tf), (X, Y[:2])),
        (forgetful, None),
    ):
        with contextlib.suppress(ValueError, KeyError, AttributeError):
            model.fit(X, Y, validation_data=data, verbose=0)
            found.append("no error")
        found.append(model.get_weights())
        found.append(int(model.optimizer.iterations))
    return found


@fails
def predict_on_no_examples(tf):
    return compiled(tf).predict(X[:0], verbose=0)


def training_without_an_optimizer_of_keras(tf):
    class Own(tf.keras.Model):
        def __init__(self, optimizer):
            super().__init__()
            self.w = tf.Variable([[1.0], [2.0], [3.0]])
            self.own = optimizer

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ self.w - y) ** 2)
            self.own(tape.gradient(loss, self.w), self.w)
            return {"loss": loss}

    model = Own(lambda gradient, variable: variable.assign_sub(0.1 * gradient))
    model.compile(optimizer=None)
    return [model.fit(X, Y, epochs=2, batch_size=2, shuffle=False, verbose=0).history, model.w]
