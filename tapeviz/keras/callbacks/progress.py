"""The numbers of an epoch, or of a test -> a line that is printed."""

from __future__ import annotations

import numpy as np

from tapeviz.keras.callbacks.base import Callback
from tapeviz.keras.callbacks.logs import Logs


class ProgbarLogger(Callback):
    """Prints a line for each epoch of `fit`, and for `evaluate` (`tf.keras.callbacks.ProgbarLogger`).

    `fit` and `evaluate` add one, unless they are told `verbose=0`. Other than Keras' it draws no bar and tells no time.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    >>> model.compile("sgd", "mse")
    >>> score = model.evaluate(tf.ones((2, 1)), tf.zeros((2, 1)))
    1/1 - loss: 1.0000
    """

    def __init__(self) -> None:
        self.seen = 0
        self._fits = False

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """What is tested from now on is part of the epochs."""
        self._fits = True

    def on_train_end(self, logs: Logs | None = None) -> None:
        """No longer."""
        self._fits = False

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Print which epoch it is, if there are several."""
        epochs = (self.params or {}).get("epochs", 1)
        if epochs > 1:
            print(f"Epoch {epoch + 1}/{epochs}")

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Count the batches."""
        self.seen = batch + 1

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Count the batches, where they are no part of an epoch."""
        if not self._fits:
            self.seen = batch + 1

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Print the numbers of the epoch."""
        self._print_(logs or {})

    def on_test_end(self, logs: Logs | None = None) -> None:
        """Print the numbers of `evaluate`."""
        if not self._fits:
            self._print_(logs or {})

    def _print_(self, logs: Logs) -> None:
        numbers = (f"{name}: {_shown(float(np.mean(value)))}" for name, value in logs.items())
        print(" - ".join([f"{self.seen}/{self.seen}", *numbers]))


def _shown(number: float) -> str:
    """Four digits; of what is next to nothing, with its exponent."""
    return f"{number:.4f}" if abs(number) > _SMALL else f"{number:.4e}"


_SMALL = 1e-3
"""Down to here a number is shown without exponent."""
