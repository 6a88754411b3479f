"""Callbacks: their hooks, and those that record the history or call given functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.tf.keras.callbacks.logs import Logs


class Callback:
    """An object whose methods `fit`, `evaluate` and `predict` call (`tf.keras.callbacks.Callback`).

    Override the hooks that you need. `self.model` is the model, and `self.model.stop_training = True` ends `fit`;
    `self.params` are the options of `fit`.

    >>> import tapeviz as tf
    >>> class Shout(tf.keras.callbacks.Callback):
    ...     def on_epoch_end(self, epoch, logs=None):
    ...         print(epoch, sorted(logs))
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> history = model.fit(tf.ones((2, 1)), tf.ones((2, 1)), epochs=2, verbose=0, callbacks=[Shout()])
    0 ['loss']
    1 ['loss']
    """

    params: Logs | None = None
    _model: Any = None

    @property
    def model(self) -> Any:
        """The model that calls it; None before it is set."""
        return self._model

    def set_model(self, model: Any) -> None:
        """Set the model that calls it."""
        self._model = model

    def set_params(self, params: Logs) -> None:
        """Set the options: `verbose`, `epochs` and `steps`."""
        self.params = params

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Called when `fit` begins."""

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Called when `fit` ends, with the logs of its last epoch."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Called when an epoch begins."""

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Called when an epoch ends, with the loss and the metrics, and those of the validation as `val_...`."""

    def on_train_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Called when a batch of `fit` begins."""
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Called when a batch of `fit` ends, with the loss and the metrics so far."""
        self.on_batch_end(batch, logs=logs)

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """The same as `on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """The same as `on_train_batch_end`."""

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """Called when `evaluate` or a validation begins."""

    def on_test_end(self, logs: Logs | None = None) -> None:
        """Called when `evaluate` or a validation ends, with the loss and the metrics."""

    def on_test_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Called when a batch of `evaluate` or a validation begins."""

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Called when a batch of `evaluate` or a validation ends, with the loss and the metrics so far."""

    def on_predict_begin(self, logs: Logs | None = None) -> None:
        """Called when `predict` begins."""

    def on_predict_end(self, logs: Logs | None = None) -> None:
        """Called when `predict` ends."""

    def on_predict_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Called when a batch of `predict` begins."""

    def on_predict_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Called when a batch of `predict` ends, with its `outputs`."""


class History(Callback):
    """The logs of all epochs of `fit` (`tf.keras.callbacks.History`): a list for each metric in `history`.

    >>> seen = History()
    >>> seen.on_train_begin()
    >>> seen.on_epoch_end(0, {"loss": 2.0})
    >>> seen.epoch, seen.history
    ([0], {'loss': [2.0]})
    """

    def __init__(self) -> None:
        self.history: dict[str, list[Any]] = {}

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Clear the list of epochs."""
        self.epoch: list[int] = []

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Append the logs of an epoch."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)

    def set_model(self, model: Any) -> None:
        """Set the model, and become its `history`."""
        super().set_model(model)
        model.history = self


class LambdaCallback(Callback):
    """A callback made of functions (`tf.keras.callbacks.LambdaCallback`), each given by the name of its hook.

    >>> import tapeviz as tf
    >>> shout = tf.keras.callbacks.LambdaCallback(on_epoch_begin=lambda epoch, logs: print("epoch", epoch))
    >>> shout.on_epoch_begin(3, {})
    epoch 3
    """

    def __init__(
        self,
        on_epoch_begin: Callable[..., Any] | None = None,
        on_epoch_end: Callable[..., Any] | None = None,
        on_train_begin: Callable[..., Any] | None = None,
        on_train_end: Callable[..., Any] | None = None,
        on_train_batch_begin: Callable[..., Any] | None = None,
        on_train_batch_end: Callable[..., Any] | None = None,
        **kwargs: Any,
    ) -> None:
        given = {
            "on_epoch_begin": on_epoch_begin,
            "on_epoch_end": on_epoch_end,
            "on_train_begin": on_train_begin,
            "on_train_end": on_train_end,
            "on_train_batch_begin": on_train_batch_begin,
            "on_train_batch_end": on_train_batch_end,
        }
        self.__dict__ |= kwargs | {name: hook for name, hook in given.items() if hook is not None}
