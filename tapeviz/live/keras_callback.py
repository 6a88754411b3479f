"""A training by Keras -> `watch`, for as long as it lasts."""

from __future__ import annotations

from typing import Any

from tapeviz.live.training import Training


def keras_callback(**options: Any) -> Any:
    """A callback of Keras' that watches a training: `model.fit(x, y, callbacks=[tv.keras_callback()])`.

    Args:
        options: those of `watch`.

    Raises:
        TypeError, ValueError: as in `watch`.
        ImportError: Keras is not installed.

    >>> import tapeviz as tv
    >>> callback = tv.keras_callback()  # doctest: +SKIP
    """
    from keras.callbacks import Callback

    training = Training(options)

    class WatchCallback(Callback):  # type: ignore[misc]
        """`tv.watch()` around a training."""

        def on_train_begin(self, logs: Any = None) -> None:
            """`fit` begins."""
            training.begin()

        def on_train_end(self, logs: Any = None) -> None:
            """`fit` ends."""
            training.end()

    return WatchCallback()
