"""What a function prints as it is traced for a recording -> dropped, or held back until it is known to be wanted."""

from __future__ import annotations

import io
import sys
from threading import get_ident


class Muted(io.TextIOBase):
    """Where the text of this thread is dropped, and that of all others written as before."""

    def __init__(self) -> None:
        self._before = sys.stdout
        self._thread = get_ident()

    def write(self, text: str) -> int:
        """Drop it, or write it."""
        return self._keep(text) if get_ident() == self._thread else int(self._before.write(text))

    def flush(self) -> None:
        """Of what was written before."""
        self._before.flush()

    def _keep(self, text: str) -> int:
        return len(text)


class Held(Muted):
    """Where the text of this thread is held back."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: list[str] = []

    def let_go(self) -> None:
        """Write it where it was meant to go."""
        self._before.write("".join(self._texts))

    def _keep(self, text: str) -> int:
        self._texts.append(text)
        return len(text)
