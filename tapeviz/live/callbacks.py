"""The trainers of Keras, Lightning and Transformers -> `watch`, from the beginning of a training to its end."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from tapeviz.live.watch import Watch, watches_here


class _Training:
    """`watch` for as long as a training lasts; one that is on already goes on, and does not end with it."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._watching = Watch(**options)

    def begin(self) -> None:
        """A training begins."""
        if not watches_here():
            self._watching.start()

    def end(self) -> None:
        """It has ended."""
        self._watching.stop()


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

    training = _Training(options)

    class WatchCallback(Callback):  # type: ignore[misc]
        """`tv.watch()` around a training."""

        def on_train_begin(self, logs: Any = None) -> None:
            """`fit` begins."""
            training.begin()

        def on_train_end(self, logs: Any = None) -> None:
            """`fit` ends."""
            training.end()

    return WatchCallback()


def lightning_callback(**options: Any) -> Any:
    """A callback of Lightning's that watches a training: `Trainer(callbacks=[tv.lightning_callback()])`.

    It is one for the package that the program has imported, `lightning` or `pytorch_lightning`.

    Args:
        options: those of `watch`.

    Raises:
        TypeError, ValueError: as in `watch`.
        ImportError: Lightning is not installed.

    >>> import tapeviz as tv
    >>> callback = tv.lightning_callback()  # doctest: +SKIP
    """
    Callback = _lightning().Callback
    training = _Training(options)

    class WatchCallback(Callback):  # type: ignore[misc, valid-type]
        """`tv.watch()` around a training."""

        def on_fit_start(self, trainer: Any, module: Any) -> None:
            """`fit` begins."""
            training.begin()

        def on_fit_end(self, trainer: Any, module: Any) -> None:
            """`fit` ends."""
            training.end()

    return WatchCallback()


def transformers_callback(**options: Any) -> Any:
    """A callback of Transformers' that watches a training: `Trainer(..., callbacks=[tv.transformers_callback()])`.

    Args:
        options: those of `watch`.

    Raises:
        TypeError, ValueError: as in `watch`.
        ImportError: Transformers is not installed.

    >>> import tapeviz as tv
    >>> callback = tv.transformers_callback()  # doctest: +SKIP
    """
    from transformers import TrainerCallback

    training = _Training(options)

    class WatchCallback(TrainerCallback):  # type: ignore[misc]
        """`tv.watch()` around a training."""

        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            """`train` begins."""
            training.begin()

        def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            """`train` ends."""
            training.end()

    return WatchCallback()


def _lightning() -> Any:
    """The package of Lightning's that the program uses: a trainer of one takes no callback of the other."""
    if "pytorch_lightning" in sys.modules and "lightning" not in sys.modules:
        return import_module("pytorch_lightning")
    return import_module("lightning.pytorch")
