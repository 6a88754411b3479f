"""A training by Transformers -> `watch`, for as long as it lasts."""

from __future__ import annotations

from typing import Any

from tapeviz.live.training import Training


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

    training = Training(options)

    class WatchCallback(TrainerCallback):  # type: ignore[misc]
        """`tv.watch()` around a training."""

        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            """`train` begins."""
            training.begin()

        def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            """`train` ends."""
            training.end()

    return WatchCallback()
