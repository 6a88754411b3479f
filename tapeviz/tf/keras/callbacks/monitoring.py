"""The metrics of each epoch -> callbacks that react when one of them stops improving, or becomes NaN."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from tapeviz.tf.keras.callbacks.base import Callback
from tapeviz.tf.keras.callbacks.logs import Logs


class Monitor(Callback):
    """Base class of callbacks that check whether a metric improves from epoch to epoch.

    Args:
        monitor: the metric's name in the logs.
        mode: "min" if lower is better, "max" if higher is; "auto": the metric of that name knows.
        min_delta: the smallest change that counts as an improvement.
    """

    def __init__(self, monitor: str, mode: str, min_delta: float) -> None:
        if mode not in ("auto", "min", "max"):
            warnings.warn(f"{type(self).__name__} mode {mode!r} is unknown, fallback to auto mode.", stacklevel=3)
            mode = "auto"
        self.monitor, self.mode = monitor, mode
        self.min_delta = abs(min_delta)
        self._upward: bool | None = None
        self._begin_()

    def _begin_(self) -> None:
        self.best: Any = None
        self.wait = 0

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Reset the state of an earlier `fit`."""
        self._begin_()

    def _seen_in_(self, logs: Logs) -> Any:
        """The monitored metric in the logs, or None.

        Raises:
            ValueError: it is unknown whether higher or lower is better.
        """
        if self._upward is None:
            self._upward = self._is_better_high_()
        return logs.get(self.monitor)

    def _is_better_(self, value: Any, than: Any) -> bool:
        """Whether a number is better than another one, or the first one (`than` is None)."""
        if than is None:
            return True
        return bool(value - self.min_delta > than if self._upward else value + self.min_delta < than)

    def _is_better_high_(self) -> bool:
        name = self.monitor.removeprefix("val_")
        if self.mode != "auto" or name == "loss":
            return self.mode == "max"
        for metric in self.model.metrics:
            for each in getattr(metric, "metrics", [metric]):
                if each.name == name and getattr(each, "_direction_", None) is not None:
                    return bool(each._direction_ == "up")
        raise ValueError(
            f"{type(self).__name__} cannot know if {self.monitor!r} is to fall or rise: give mode='min' or 'max'."
        )


class EarlyStopping(Monitor):
    """Ends `fit` when a metric has stopped improving (`tf.keras.callbacks.EarlyStopping`).

    Args:
        monitor: the metric's name in the logs.
        min_delta: the smallest change that counts as an improvement.
        patience: the number of epochs without improvement after which `fit` ends.
        verbose: 1 to print when it stops.
        mode: "min" if lower is better, "max" if higher is; "auto": the metric of that name knows.
        baseline: a value that the metric must be better than, too.
        restore_best_weights: whether to restore the weights of the best epoch at the end.
        start_from_epoch: the first epoch to check.

    Raises:
        ValueError: in `fit`: it is unknown whether higher or lower is better.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> stop = tf.keras.callbacks.EarlyStopping("loss", min_delta=9.0, patience=1)
    >>> model.fit(tf.ones((2, 1)), tf.ones((2, 1)), epochs=9, verbose=0, callbacks=[stop]).epoch
    [0, 1]
    """

    best: float | None
    best_weights: list[Any] | None

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
        start_from_epoch: int = 0,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.restore_best_weights, self.start_from_epoch = restore_best_weights, start_from_epoch

    def _begin_(self) -> None:
        super()._begin_()
        self.stopped_epoch = self.best_epoch = 0
        self.best_weights = None

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Look at the number."""
        value = self._seen_in_(logs or {})
        if value is None:
            _warn_of_absence("Early stopping", self.monitor, logs)
        if value is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self._keep_(epoch)
        self.wait += 1
        if self._is_better_(value, self.best):
            self.best = value
            self._keep_(epoch)
            if self.baseline is None or self._is_better_(value, self.baseline):
                self.wait = 0
        elif self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def _keep_(self, epoch: int) -> None:
        self.best_epoch = epoch
        if self.restore_best_weights:
            self.best_weights = self.model.get_weights()

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Restore the best weights."""
        if self.stopped_epoch and self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                print(f"Restoring model weights from the end of the best epoch: {self.best_epoch + 1}.")
            self.model.set_weights(self.best_weights)


class ReduceLROnPlateau(Monitor):
    """Lowers the learning rate when a metric has stopped improving (`tf.keras.callbacks.ReduceLROnPlateau`).

    Args:
        monitor: the metric's name in the logs.
        factor: the rate is multiplied by it; less than 1.
        patience: the number of epochs without improvement after which the rate is lowered.
        verbose: 1 to print each new rate.
        mode: "min" if lower is better, "max" if higher is; "auto": the metric of that name knows.
        min_delta: the smallest change that counts as an improvement.
        cooldown: the number of epochs after each change that do not count towards `patience`.
        min_lr: the lowest rate.

    Raises:
        ValueError: a factor of 1 or more; in `fit`: it is unknown whether higher or lower is better.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile(tf.keras.optimizers.SGD(0.5), "mse")
    >>> lower = tf.keras.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_delta=9.0)
    >>> model.fit(tf.ones((2, 1)), tf.ones((2, 1)), epochs=3, verbose=0, callbacks=[lower]).history["learning_rate"]
    [0.5, 0.5, 0.25]
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0.0,
        **kwargs: Any,
    ) -> None:
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau does not support a factor >= 1.0. Received factor={factor}")
        super().__init__(monitor, mode, min_delta)
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr

    def _begin_(self) -> None:
        super()._begin_()
        self.cooldown_counter = 0

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Check the metric, and add the rate to the logs."""
        logs = {} if logs is None else logs
        logs["learning_rate"] = float(np.asarray(self.model.optimizer.learning_rate))
        value = self._seen_in_(logs)
        if value is None:
            _warn_of_absence("Learning rate reduction is", self.monitor, logs)
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self._is_better_(value, self.best):
            self.best, self.wait = value, 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._lower_(epoch, logs["learning_rate"])

    def _lower_(self, epoch: int, rate: float) -> None:
        if rate <= np.float32(self.min_lr):
            return
        rate = max(rate * self.factor, self.min_lr)
        self.model.optimizer.learning_rate = rate
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {rate}.")
        self.cooldown_counter, self.wait = self.cooldown, 0

    def in_cooldown(self) -> bool:
        """Whether epochs do not count towards `patience` at present."""
        return self.cooldown_counter > 0


class TerminateOnNaN(Callback):
    """Ends `fit` when the loss is NaN or infinite (`tf.keras.callbacks.TerminateOnNaN`).

    Args:
        raise_error: whether to raise an error then.

    Raises:
        RuntimeError: in `fit`, with `raise_error`.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> stop = tf.keras.callbacks.TerminateOnNaN()
    >>> model.fit(tf.ones((2, 1)), tf.fill((2, 1), 1e30), epochs=9, verbose=0, callbacks=[stop]).epoch
    Batch 0: Invalid loss, terminating training
    [0]
    """

    def __init__(self, raise_error: bool = False) -> None:
        self.raise_error = raise_error

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Check the loss."""
        loss = (logs or {}).get("loss")
        if loss is None or np.isfinite(loss):
            return
        if self.raise_error:
            raise RuntimeError(
                f"NaN or Inf loss encountered at batch {batch}. Loss value: {loss}. Terminating training immediately."
            )
        print(f"Batch {batch}: Invalid loss, terminating training")
        self.model.stop_training = True


def _warn_of_absence(what: str, monitor: str, logs: Logs | None) -> None:
    warnings.warn(
        f"{what} conditioned on metric `{monitor}` which is not available. "
        f"Available metrics are: {','.join(logs or {})}",
        stacklevel=5,  # at the call of `fit`
    )
