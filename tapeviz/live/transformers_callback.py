"""A training by Transformers -> `watch`, for as long as it lasts."""

from __future__ import annotations

from typing import Any

from tapeviz.live.trainer_callback import watching


def transformers_callback(**options: Any) -> Any:
    """A callback of Transformers' that watches a training: `Trainer(..., callbacks=[tv.transformers_callback()])`.

    Args:
        options: those of `watch`.

    Returns:
        The callback, of Transformers' own class.

    Raises:
        TypeError, ValueError: as in `watch`.
        ImportError: Transformers is not installed.

    >>> import tapeviz as tv
    >>> callback = tv.transformers_callback()  # doctest: +SKIP
    """
    from transformers import TrainerCallback

    return watching(TrainerCallback, "on_train_begin", "on_train_end", options)
