"""The base class of a trainer's callbacks -> a callback that watches from the beginning of a training to its end."""

from __future__ import annotations

from typing import Any

from tapeviz.live.watch import Watch, watches_here


def watching(base: type, begins: str, ends: str, options: dict[str, Any]) -> Any:
    """A callback by which `watch` is on from one event of the trainer until another.

    One that is on already goes on, and does not end with the training.
    """
    made = Watch(**options)

    def begin(self: Any, *args: Any, **kwargs: Any) -> None:
        if not watches_here():
            made.start()

    def end(self: Any, *args: Any, **kwargs: Any) -> None:
        made.stop()

    return type("WatchCallback", (base,), {begins: begin, ends: end})()
