"""Models from the midst of others, inputs in another structure than they were told, losses and steps of one's own."""

from __future__ import annotations

import warnings

import numpy as np

INPUT = np.linspace(-1.0, 1.0, 14, dtype="float32").reshape(7, 2)
TARGET = INPUT.sum(axis=1, keepdims=True)


def _chain(tf):
    """A model of three layers, with what the first two give."""
    dense = tf.keras.layers.Dense
    place = tf.keras.Input((2,), name="start")
    one = dense(3, kernel_initializer="ones", name="one")(place)
    two = dense(4, kernel_initializer="ones", name="two")(one)
    return tf.keras.Model(place, dense(1, kernel_initializer="ones", name="three")(two)), one, two


def models_from_the_midst(tf):
    model, one, two = _chain(tf)
    made = [
        tf.keras.Model(two, model.output),
        tf.keras.Model(one, [two, model.output]),
        tf.keras.Model({"in": one}, two + one[:, :1]),
        tf.keras.Model(model.get_layer("two").input, model.output),
        tf.keras.Model(model.get_layer("one").input, model.get_layer("two").output),
        model,
    ]
    seen = []
    for each in made:
        lines = []
        each.summary(print_fn=lines.append)
        inputs = tf.ones([1, *each.inputs[0].shape[1:]])
        outputs = each({"in": inputs} if isinstance(each.input, dict) else inputs)
        layers = [[layer.name, type(layer).__name__] for layer in each.layers]
        seen.append([layers, [place.name for place in each.inputs], each.output_names, lines, outputs])
    return seen, made[0].get_config(), tf.keras.models.clone_model(made[0]).count_params()


def inputs_in_another_structure(tf):
    places = [tf.keras.Input((2,), name="a"), tf.keras.Input((2,), name="b")]
    total = tf.keras.layers.Add()(places)
    models = [tf.keras.Model(dict(zip("ab", places, strict=True)), total), tf.keras.Model(places, total)]
    models.append(tf.keras.Model({"a": places[0]}, places[0] * 2.0))
    both, seen = [INPUT, INPUT], []
    given = (both, tuple(both), {"a": INPUT, "b": INPUT}, {"a": INPUT, "b": INPUT, "c": INPUT})
    for index, model in enumerate(models):
        for inputs in given if index < 2 else (INPUT, [INPUT], {"a": INPUT}, given[2]):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                outputs = model(inputs)
            seen.append([outputs, [str(each.message) for each in told]])
    return seen


def where_an_input_of_another_rank_was_meant_to_go(tf):
    place = tf.keras.Input((2,), name="mine")
    seen = []
    for places in (place, [place], {"a": place}, [{"foo": place}]):
        try:
            tf.keras.Model(places, place * 2.0)({"a": np.ones(())} if isinstance(places, dict) else np.ones(()))
        except ValueError as error:
            seen.append(type(error).__name__)
    return seen


def a_loss_of_ones_own_with_or_without_training(tf):
    class Plain(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
            self.told = []

        def call(self, inputs):
            return self.dense(inputs)

        def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None):
            return 2.0 * super().compute_loss(x, y, y_pred, sample_weight)

    class Told(Plain):
        def compute_loss(self, x, y, y_pred, sample_weight, training):
            self.told.append(training)
            return (3.0 if training else 1.0) * super(Plain, self).compute_loss(x, y, y_pred, sample_weight)

    class More(Plain):
        def compute_loss(self, x, y, y_pred, sample_weight=None, **kwargs):
            self.told.append(sorted(kwargs))
            return super(Plain, self).compute_loss(x, y, y_pred, sample_weight, **kwargs)

    seen = []
    for kind in (Plain, Told, More):
        model = kind()
        model.compile("sgd", "mse")
        history = model.fit(INPUT, TARGET, verbose=0, shuffle=False).history
        seen.append([history, model.evaluate(INPUT, TARGET, verbose=0), model.train_on_batch(INPUT, TARGET)])
        seen.append(sorted({str(each) for each in model.told}))
    return seen


def one_output_taken_for_two(tf):
    class Twice(tf.keras.Model):
        def __init__(self):
            place = tf.keras.Input((2,))
            super().__init__(place, tf.keras.layers.Dense(1, kernel_initializer="ones")(place))

        def compute_loss(self, x, y, y_pred, sample_weight=None, **kwargs):
            return super().compute_loss(x=x, y=y, y_pred=[y_pred, y_pred], sample_weight=sample_weight, **kwargs)

    model = Twice()
    model.compile("sgd", ["mean_squared_error", "mean_absolute_error"])
    return model.fit(INPUT, (TARGET, TARGET), verbose=0, shuffle=False).history


def batches_that_run_together(tf):
    class Heard(tf.keras.callbacks.Callback):
        def __init__(self):
            super().__init__()
            self.seen = []

        def on_train_batch_begin(self, batch, logs=None):
            self.seen.append(["train", batch])

        def on_train_batch_end(self, batch, logs=None):
            self.seen.append(["trained", batch, logs["loss"]])

        def on_test_batch_end(self, batch, logs=None):
            self.seen.append(["test", batch])

        def on_predict_batch_end(self, batch, logs=None):
            self.seen.append(["predict", batch, logs["outputs"]])

    seen = []
    for together, steps in ((1, None), (2, None), (3, None), (9, None), (2, 2), (3, 2)):
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile("sgd", "mse", steps_per_execution=together)
        heard = Heard()
        told = {"verbose": 0, "callbacks": [heard], "batch_size": 2}
        history = model.fit(INPUT, TARGET, shuffle=False, epochs=2, steps_per_epoch=steps, **told).history
        scores = model.evaluate(INPUT, TARGET, **told)
        seen.append([history, scores, model.predict(INPUT, **told), heard.seen, int(model.optimizer.iterations)])
    return seen
