"""A training by Keras -> `watch`, for as long as it lasts."""

from __future__ import annotations

from typing import Any

from tapeviz.live.trainer_callback import watching


def keras_callback(**options: Any) -> Any:
    """A callback of Keras' that watches a training: `model.fit(x, y, callbacks=[tv.keras_callback()])`.

    Args:
        options: those of `watch`.

    Returns:
        The callback, of Keras' own class.

    Raises:
        TypeError, ValueError: as in `watch`.
        ImportError: Keras is not installed.

    >>> import tapeviz as tv
    >>> callback = tv.keras_callback()  # doctest: +SKIP
    """
    from keras.callbacks import Callback

    return watching(Callback, "on_train_begin", "on_train_end", options)
