"""Small Keras programs on callbacks, run in both frameworks."""

from __future__ import annotations

import contextlib
import io
import tempfile
import warnings
from pathlib import Path

import numpy as np

from tests.framework_programs import fails
from tests.tf.keras.material import X, Y, compiled, network

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
    model, (callback, seen) = compiled(tf, metrics=metrics), _recorder(tf)
    before = [callback.model, callback.params]
    history = model.fit(
        X, Y, epochs=2, batch_size=3, shuffle=False, verbose=0, validation_data=(X, Y), callbacks=[callback]
    )
    same = [callback.model is model, model.history is history, history.model is model, type(history).__name__]
    return [before, seen, callback.params, same, history.params, history.epoch, model.stop_training]


def callbacks_hear_evaluate_and_predict(tf):
    model, (callback, seen) = compiled(tf), _recorder(tf)
    model.evaluate(X, Y, batch_size=3, verbose=0, callbacks=[callback])
    model.predict(X, batch_size=3, verbose=0, callbacks=callback)
    model.evaluate(X, Y, batch_size=1, verbose=0, steps=2, callbacks=(callback,))
    return [seen, callback.params]


def callbacks_stop(tf):
    results = []
    for stop in ("on_epoch_begin", "on_epoch_end", "on_train_batch_begin", "on_train_batch_end", "on_train_begin"):
        model, (callback, seen) = compiled(tf), _recorder(tf, stop, at=1 if stop == "on_train_begin" else 2)
        options = {"epochs": 4, "batch_size": 1, "shuffle": False, "verbose": 0, "validation_data": (X, Y)}
        history = model.fit(X, Y, callbacks=[callback], **options)
        results.append([stop, [each[0] for each in seen], history.epoch, model.stop_training])
    model, (callback, seen) = compiled(tf), _recorder(tf, "on_test_batch_end")
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

    compiled(tf).fit(X, Y, batch_size=2, shuffle=False, verbose=0, callbacks=[Old()])
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
    compiled(tf).fit(X, Y, batch_size=2, shuffle=False, verbose=0, callbacks=[callback], validation_data=(X, Y))
    return [seen, callback.own]


@fails
def callbacks_that_are_none(tf):
    return compiled(tf).fit(X, Y, verbose=0, callbacks=["early"])


def list_of_callbacks(tf):
    callback, seen = _recorder(tf)
    history = tf.keras.callbacks.History()
    both = tf.keras.callbacks.CallbackList([callback, [history]], add_history=True, model=compiled(tf), epochs=3)
    both.on_train_begin()
    both.on_epoch_begin(0)
    both.on_train_batch_end(4, {"loss": 2.0})
    both.on_test_batch_begin(1, logs={"a": 1})
    both.on_epoch_end(0, {"loss": 3.0})
    both.on_predict_end()
    return [seen, len(both.callbacks), callback.params, history.history, history.epoch, callback.model is not None]


def history_of_ones_own(tf):
    model, history = compiled(tf), tf.keras.callbacks.History()
    for _ in range(2):
        model.fit(X, Y, verbose=0, shuffle=False, callbacks=[history])
    return [history.history, history.epoch, model.history is history]


def _fit_with(tf, *callbacks, epochs=7, rate=0.1, metrics=None, **options):
    """The history, the printed lines and the weights of a fit with callbacks.

    It runs eagerly: callbacks are Python in any case, and Keras takes half a second to trace what would run otherwise.
    """
    model = network(tf, tf.keras.layers.Dense(1))
    model.compile(tf.keras.optimizers.SGD(rate), "mse", metrics=metrics, run_eagerly=True)
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


@fails
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


@fails
def learning_rate_that_is_no_float(tf):
    return _fit_with(tf, tf.keras.callbacks.LearningRateScheduler(lambda epoch: 1))


@fails
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


@fails
def learning_rate_raised(tf):
    return tf.keras.callbacks.ReduceLROnPlateau(factor=1.5)


def fit_ends_at_numbers_that_are_none(tf):
    history, epochs, printed, _ = _fit_with(tf, tf.keras.callbacks.TerminateOnNaN(), rate=30.0, epochs=99)
    return [len(epochs), printed, len(history["loss"])]


@fails
def fit_fails_at_numbers_that_are_none(tf):
    return _fit_with(tf, tf.keras.callbacks.TerminateOnNaN(raise_error=True), rate=30.0, epochs=99)


def logs_in_a_file(tf):
    """The second training goes on in it, with the columns of its own logs."""
    model, found = compiled(tf, metrics=["mae"]), []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "logs.csv"
        for options in ({}, {"separator": ";", "append": True}, {"append": False}):
            logger = tf.keras.callbacks.CSVLogger(path, **options)
            model.fit(X, Y, epochs=2, verbose=0, callbacks=[logger], validation_data=(X, Y) if options else None)
            lines = path.read_text().splitlines()
            found.append([lines[0], len(lines), lines[-1].count(","), lines[-1].count(";"), logger.keys])
    return found
