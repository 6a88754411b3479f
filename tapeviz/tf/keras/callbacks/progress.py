"""The logs of `fit`, `evaluate` and `predict` -> a printed progress bar, or one line for each epoch."""

from __future__ import annotations

from typing import Any

from tapeviz.tf.keras.callbacks.base import Callback
from tapeviz.tf.keras.callbacks.logs import Logs, glanced
from tapeviz.tf.keras.callbacks.progress_bar import Progbar


class ProgbarLogger(Callback):
    """Prints a progress bar for each epoch of `fit`, and for `evaluate` and `predict`.

    This is `tf.keras.callbacks.ProgbarLogger`, which these add unless `verbose=0`. With `verbose=2` it prints only a
    line at the end of each.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    >>> model.compile("sgd", "mse")
    >>> score = model.evaluate(tf.ones((2, 1)), tf.zeros((2, 1)), verbose=2)  # doctest: +ELLIPSIS
    1/1 - 0s - ...s/step - loss: 1.0000
    """

    progbar: Progbar | None = None

    def __init__(self) -> None:
        self.seen = 0
        self.target: int | None = None
        self.verbose: Any = 1
        self.epochs = 1
        self._called_in_fit = False

    def set_params(self, params: Logs) -> None:
        """Set how much to print, and the numbers of epochs and batches."""
        super().set_params(params)
        self.verbose = 1 if params["verbose"] == "auto" else params["verbose"]
        self.epochs, self.target = params["epochs"], params["steps"]

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """From here on validations print nothing, as they are part of the epochs."""
        self._called_in_fit = True

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Start a bar, and print the number of the epoch if there are several."""
        self._begin_()
        if self.verbose and self.epochs > 1:
            print(f"Epoch {epoch + 1}/{self.epochs}", flush=True)

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """Start a bar."""
        if not self._called_in_fit:
            self._begin_()

    def on_predict_begin(self, logs: Logs | None = None) -> None:
        """Start a bar."""
        self._begin_()

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Update the bar."""
        self._draw_(batch, logs)

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Update the bar."""
        if not self._called_in_fit:
            self._draw_(batch, logs)

    def on_predict_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Update the bar."""
        self._draw_(batch, None)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Print the metrics of the epoch."""
        self._end_(logs)

    def on_test_end(self, logs: Logs | None = None) -> None:
        """Print the metrics of `evaluate`."""
        if not self._called_in_fit:
            self._end_(logs)

    def on_predict_end(self, logs: Logs | None = None) -> None:
        """Print the number of batches."""
        self._end_(logs)

    def _begin_(self) -> None:
        self.seen = 0
        self.progbar = Progbar(self.target, verbose=self.verbose, stateless_metrics=())

    def _bar_(self) -> Progbar:
        if self.progbar is None:
            self._begin_()
        assert self.progbar is not None
        return self.progbar

    def _draw_(self, batch: int, logs: Logs | None) -> None:
        self.seen = batch + 1
        bar = self._bar_()
        if self.verbose == 1:
            bar.update(self.seen, glanced(logs or {}).items(), finalize=False)

    def _end_(self, logs: Logs | None) -> None:
        bar = self._bar_()
        if self.target is None:
            self.target = bar.target = self.seen
        bar.update(self.target, (logs or {}).items(), finalize=True)
