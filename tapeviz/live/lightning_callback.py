"""A training by Lightning -> `watch`, for as long as it lasts."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from tapeviz.live.trainer_callback import watching


def lightning_callback(**options: Any) -> Any:
    """A callback of Lightning's that watches a training: `Trainer(callbacks=[tv.lightning_callback()])`.

    It is one for the package that the program has imported, `lightning` or `pytorch_lightning`.

    Args:
        options: those of `watch`.

    Returns:
        The callback, of Lightning's own class.

    Raises:
        TypeError, ValueError: as in `watch`.
        ImportError: Lightning is not installed.

    >>> import tapeviz as tv
    >>> callback = tv.lightning_callback()  # doctest: +SKIP
    """
    return watching(_lightning().Callback, "on_fit_start", "on_fit_end", options)


def _lightning() -> Any:
    """The package of Lightning's that the program uses: a trainer of one takes no callback of the other."""
    if "pytorch_lightning" in sys.modules and "lightning" not in sys.modules:
        return import_module("pytorch_lightning")
    return import_module("lightning.pytorch")
