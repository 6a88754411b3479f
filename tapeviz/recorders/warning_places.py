"""A warning about a call that goes through a recorder -> the same warning, about the line that made the call."""

from __future__ import annotations

import warnings
from typing import Any, TextIO

from tapeviz.events.program.tracebacks import WATCHING, own_caller


class Warnings:
    """Shows warnings, from `open` until `close`, with the same line of the program as without a recording.

    Recordings in several threads may end in any order: one that ends before a later one is removed together with that.
    What the program itself sets as `warnings.showwarning` in the meantime stays.
    """

    def __init__(self) -> None:
        self._is_open = True
        self._before: Any = None

    def open(self) -> None:
        """Begin."""
        self._before = warnings.showwarning
        warnings.showwarning = self._show

    def close(self) -> None:
        """Warnings are shown as before."""
        self._is_open = False
        while isinstance(top := getattr(warnings.showwarning, "__self__", None), Warnings) and not top._is_open:
            warnings.showwarning = top._before

    def _show(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        caller = own_caller(filename) if filename.startswith(WATCHING) else None
        if caller is not None:
            filename, lineno, line = caller.f_code.co_filename, caller.f_lineno, None
        self._before(message, category, filename, lineno, file, line)
