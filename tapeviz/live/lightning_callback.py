"""A training by Lightning -> `watch`, for as long as it lasts."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from tapeviz.live.training import Training


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
    training = Training(options)

    class WatchCallback(Callback):  # type: ignore[misc, valid-type]
        """`tv.watch()` around a training."""

        def on_fit_start(self, trainer: Any, module: Any) -> None:
            """`fit` begins."""
            training.begin()

        def on_fit_end(self, trainer: Any, module: Any) -> None:
            """`fit` ends."""
            training.end()

    return WatchCallback()


def _lightning() -> Any:
    """The package of Lightning's that the program uses: a trainer of one takes no callback of the other."""
    if "pytorch_lightning" in sys.modules and "lightning" not in sys.modules:
        return import_module("pytorch_lightning")
    return import_module("lightning.pytorch")
