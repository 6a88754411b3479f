"""A training of some trainer -> `watch`, from its beginning to its end."""

from __future__ import annotations

from typing import Any

from tapeviz.live.watch import Watch, watches_here


class Training:
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
