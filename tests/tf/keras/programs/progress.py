"""Small Keras programs on what is printed while a model works, but for the times, run in both frameworks."""

from __future__ import annotations

import contextlib
import io
import re

import numpy as np

from tests.framework_programs import fails
from tests.tf.keras.material import X, Y, compiled

TIMES = re.compile(r"(?<!\d)\d+(?::\d\d)*(s|ms|us)(?=/|\b)")


def _printed(run):
    """The lines that are left where a bar is drawn over the one before, without the times."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        run()
    lines = out.getvalue().split("\n")
    return [re.sub(r"T( T/step)", r"\1", TIMES.sub("T", line.rpartition("\r")[2].rstrip())) for line in lines]


def fit_evaluate_and_predict_print(tf):
    model, texts = compiled(tf, metrics=["mae"]), {}
    for verbose in (0, 1, 2, "auto", 5):
        for epochs in (1, 2):
            texts[f"fit {verbose} {epochs}"] = _printed(
                lambda epochs=epochs, verbose=verbose: model.fit(
                    X, Y, batch_size=2, shuffle=False, epochs=epochs, verbose=verbose
                )
            )
        texts[f"evaluate {verbose}"] = _printed(lambda verbose=verbose: model.evaluate(X, Y, verbose=verbose))
        texts[f"predict {verbose}"] = _printed(lambda verbose=verbose: model.predict(X, verbose=verbose))
    assert texts["fit 1 2"] != texts["fit 2 2"] != texts["fit 0 2"] == [""]
    return texts


def validation_and_rates_are_printed_at_the_end(tf):
    model = compiled(tf)
    rates = tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.5**epoch / 100)
    options = {"validation_data": (X, Y), "callbacks": [rates], "shuffle": False, "epochs": 3}
    return [_printed(lambda verbose=verbose: model.fit(X, Y, verbose=verbose, **options)) for verbose in (1, 2)]


def a_metric_per_class_is_printed_by_its_mean(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_initializer="ones")])
    model.compile("sgd", "mse", metrics=[tf.keras.metrics.F1Score(threshold=0.5)])
    labels = np.float32([[1, 0], [0, 1], [1, 1], [0, 0]])
    return [_printed(lambda verbose=verbose: model.evaluate(X[:4], labels, verbose=verbose)) for verbose in (1, 2)]


def batches_nobody_counted_are_printed(tf):
    model, found = compiled(tf, optimizer=tf.keras.optimizers.SGD(0.0)), []
    data = tf.data.Dataset.from_tensor_slices((X, Y)).filter(lambda x, y: True).batch(2)
    for verbose in (1, 2):
        found.append(_printed(lambda verbose=verbose: model.fit(data, epochs=2, verbose=verbose)))
        found.append(_printed(lambda verbose=verbose: model.evaluate(data, verbose=verbose)))
        found.append(_printed(lambda verbose=verbose: model.fit(data.repeat(), steps_per_epoch=12, verbose=verbose)))
        found.append(_printed(lambda verbose=verbose: model.predict(data, steps=1, verbose=verbose)))
    return found


def small_large_and_negative_numbers_are_printed(tf):
    found = []
    for number in (0.0, 1e-9, 9.9e-4, 1.1e-3, -0.5, -1e-5, 1e8, float("nan"), float("inf"), np.float32([1.0, 2.0])):
        for verbose in (1, 2):
            bar = tf.keras.utils.Progbar(1, verbose=verbose)
            found.append(_printed(lambda bar=bar, number=number: bar.update(1, [("n", number)])))
    return found


def a_bar_averages_what_it_is_not_told_to_show(tf):
    def shown(options, target=3):
        bar = tf.keras.utils.Progbar(target, interval=0, unit_name="sample", **options)

        def run():
            bar.update(1, [("a", 1.0), ("b", 2.0)])
            bar.add(1, [("a", 4.0), ("b", 3.0)])
            bar.update(3, [], finalize=True)

        return _printed(run)

    kinds = [
        {},
        {"stateful_metrics": ["a"]},
        {"stateless_metrics": ["a"]},
        {"width": 5},
        {"verbose": 2},
        {"verbose": 0},
    ]
    return [shown(options, target) for options in kinds for target in (3, 12, None)]


@fails
def a_bar_takes_names_of_one_kind(tf):
    return tf.keras.utils.Progbar(3, stateful_metrics=["a"], stateless_metrics=["b"])
