"""What a function prints as it is traced for a recording -> dropped, or held back until it is known to be wanted."""

from __future__ import annotations

import sys
from threading import get_ident
from typing import Any


class Muted:
    """Where the text of this thread is dropped; all else is as with the stream that it stands for.

    It is no stream of Python's own: as one is deleted, it is flushed, and a Ctrl-C that comes then is lost.
    """

    def __init__(self) -> None:
        self._before = sys.stdout
        self._thread = get_ident()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._before, name)

    def write(self, text: str) -> int:
        """Drop it, or write it."""
        return self._keep(text) if get_ident() == self._thread else self._before.write(text)

    def writelines(self, lines: list[str]) -> None:
        """Each of them, as the stream's own would pass by what is dropped."""
        for each in lines:
            self.write(each)

    def _keep(self, text: str) -> int:
        return len(text)


class Held(Muted):
    """Where the text of this thread is held back."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: list[str] = []

    def let_go(self) -> None:
        """Write it where it was meant to go."""
        if self._texts:
            self._before.write("".join(self._texts))

    def _keep(self, text: str) -> int:
        self._texts.append(text)
        return len(text)
