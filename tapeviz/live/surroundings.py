"""The interpreter, or the notebook, that a program runs in -> when it shows an error, begins a cell, and ends."""

from __future__ import annotations

import atexit
import sys
from types import TracebackType
from typing import Any, Protocol

from tapeviz.cli.progress import say
from tapeviz.events.program.tracebacks import clean_traceback


class Watcher(Protocol):
    """What wants to know where a program shows its errors, begins a cell of a notebook, and ends."""

    def look_at_error(self, error: BaseException) -> None:
        """An error is about to be shown."""

    def look(self) -> None:
        """It was shown."""

    def rejoin(self) -> None:
        """A cell begins, in a task of its own."""

    def stop(self) -> None:
        """The program ends."""


class Surroundings:
    """Tells a watcher, from `open` until `close`, what it cannot see for itself, and says what it has to say.

    What the program itself puts in the same places in the meantime stays.
    """

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
        self._shows_errors = self._shell is not None and not self._shell.custom_exceptions
        self._before: Any = None

    def open(self) -> None:
        """Begin."""
        atexit.register(self._watcher.stop)
        if self._shell is None:
            self._before, sys.excepthook = sys.excepthook, self._error
            return
        self._shell.events.register("pre_run_cell", self._cell)
        if self._shows_errors:
            self._shell.set_custom_exc((Exception,), self._error_of_cell)

    def close(self) -> None:
        """Leave all as it was."""
        atexit.unregister(self._watcher.stop)
        if self._before is not None and sys.excepthook == self._error:
            sys.excepthook = self._before
        if self._shell is not None and self._cell in self._shell.events.callbacks["pre_run_cell"]:
            self._shell.events.unregister("pre_run_cell", self._cell)
            if self._shows_errors:
                self._shell.set_custom_exc((), None)

    def say(self, text: str) -> None:
        """Say it where errors are shown: in the notebook, or on the process's own stderr."""
        if self._shell is None:
            say(text)
        else:
            print(f"tapeviz: {text}", file=sys.stderr)

    def _cell(self, info: Any) -> None:
        self._watcher.rejoin()

    def _error(self, kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        self._watcher.look_at_error(error)
        clean_traceback(error)
        self._before(kind, error, error.__traceback__)
        self._watcher.look()

    def _error_of_cell(self, shell: Any, kind: Any, error: Any, traceback: Any, tb_offset: int | None = None) -> None:
        self._watcher.look_at_error(error)
        clean_traceback(error)
        shell.showtraceback((kind, error, error.__traceback__), tb_offset=tb_offset, running_compiled_code=True)
        self._watcher.look()
