"""The index of an epoch -> its learning rate (`tf.keras.callbacks.LearningRateScheduler`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.tf.keras.callbacks.base import Callback
from tapeviz.tf.keras.callbacks.logs import Logs


class LearningRateScheduler(Callback):
    """Sets the learning rate before each epoch.

    Args:
        schedule: a function of the epoch, or of the epoch and the current rate, that returns a float.
        verbose: 1 to print each rate.

    Raises:
        ValueError: in `fit`: the function does not return a float, or the optimizer has no learning rate.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile(tf.keras.optimizers.SGD(0.5), "mse")
    >>> halve = tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2)
    >>> model.fit(tf.ones((2, 1)), tf.ones((2, 1)), epochs=2, verbose=0, callbacks=[halve]).history["learning_rate"]
    [0.25, 0.125]
    """

    def __init__(self, schedule: Callable[..., Any], verbose: int = 0) -> None:
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Set the rate."""
        if not hasattr(self.model.optimizer, "learning_rate"):
            raise ValueError('Optimizer must have a "learning_rate" attribute.')
        try:
            rate = self.schedule(epoch, self._rate_())
        except TypeError:  # a function of the epoch alone
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, np.float32, np.float64)):
            raise ValueError(f"The output of the `schedule` function should be a float. Got: {rate}")
        self.model.optimizer.learning_rate = rate
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {rate}.")

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Add the rate to the logs."""
        if logs is not None:
            logs["learning_rate"] = self._rate_()

    def _rate_(self) -> float:
        return float(np.asarray(self.model.optimizer.learning_rate))
