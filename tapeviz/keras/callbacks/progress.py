"""The numbers of a batch, an epoch, a test or a prediction -> a bar or a line that is printed."""

from __future__ import annotations

from typing import Any

from tapeviz.keras.callbacks.base import Callback
from tapeviz.keras.callbacks.logs import Logs, glanced
from tapeviz.keras.callbacks.progress_bar import Progbar


class ProgbarLogger(Callback):
    """Draws a bar for each epoch of `fit`, for `evaluate` and for `predict` (`tf.keras.callbacks.ProgbarLogger`).

    They add one, unless they are told `verbose=0`; with `verbose=2` it prints one line at the end of each.

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
        """Know how much to print, and how many epochs and batches there will be."""
        super().set_params(params)
        self.verbose = 1 if params["verbose"] == "auto" else params["verbose"]
        self.epochs, self.target = params["epochs"], params["steps"]

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """What is tested from now on is part of the epochs, and silent."""
        self._called_in_fit = True

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """A bar of its own; print which epoch it is, if there are several."""
        self._begin_()
        if self.verbose and self.epochs > 1:
            print(f"Epoch {epoch + 1}/{self.epochs}", flush=True)

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """A bar of its own."""
        if not self._called_in_fit:
            self._begin_()

    def on_predict_begin(self, logs: Logs | None = None) -> None:
        """A bar of its own."""
        self._begin_()

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Draw how far it has got."""
        self._draw_(batch, logs)

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Draw how far it has got."""
        if not self._called_in_fit:
            self._draw_(batch, logs)

    def on_predict_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Draw how far it has got."""
        self._draw_(batch, None)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Print the numbers of the epoch."""
        self._end_(logs)

    def on_test_end(self, logs: Logs | None = None) -> None:
        """Print the numbers of `evaluate`."""
        if not self._called_in_fit:
            self._end_(logs)

    def on_predict_end(self, logs: Logs | None = None) -> None:
        """Print how many batches there were."""
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
