"""A script or a module, and its arguments -> the same run as with `python`, and how it ended.

Whatever a program can see of how it was started is as with `python script.py`: `sys.argv`, `sys.path`, `__main__`, the
exit code, and the traceback, without the frames of recorders.
"""

from __future__ import annotations

import builtins
import os
import pkgutil
import runpy
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from tapeviz.cli.progress import write
from tapeviz.events.program.inspection import is_a
from tapeviz.events.program.tracebacks import clean_traceback


@dataclass(frozen=True)
class Ending:
    """The exit code that `python` would give, and whether the program was interrupted."""

    code: int
    is_interrupted: bool = False

    def leave(self) -> NoReturn:
        """End this process in the same way."""
        if self.is_interrupted:
            sys.excepthook = lambda *_: None  # told already; Python ends itself by the signal, as the shell expects
            raise KeyboardInterrupt
        sys.exit(self.code)


FAILED, INTERRUPTED = Ending(1), Ending(130, is_interrupted=True)


def source(filename: str) -> bytes:
    """The source of a script.

    Raises:
        OSError: it cannot be read.
    """
    return Path(filename).read_bytes()


def is_importable(name: str) -> bool:
    """Whether a script is a folder or an archive, of which `python` runs the `__main__` inside."""
    return pkgutil.get_importer(name) is not None


def run_inside(name: str, arguments: Sequence[str]) -> None:
    """Run a folder or an archive as `python name arguments` does; what it raises is raised here."""
    _begin(name, arguments, os.path.abspath(name))
    _main_module()
    runpy._run_module_as_main("__main__", alter_argv=False)  # type: ignore[attr-defined]


def run_script(filename: str, source: bytes, arguments: Sequence[str]) -> None:
    """Run a file as `python filename arguments` does; what it raises is raised here."""
    path = os.path.join(os.getcwd(), filename)
    _begin(filename, arguments, os.path.dirname(os.path.realpath(path)))
    main = _main_module()
    main.__file__ = path
    main.__loader__ = SourceFileLoader("__main__", path)
    if sys.version_info < (3, 15):
        vars(main)["__cached__"] = None
    exec(compile(source, path, "exec", dont_inherit=True), vars(main))


def run_module(name: str, arguments: Sequence[str]) -> None:
    """Run a module as `python -m name arguments` does; what it raises is raised here."""
    _begin("-m", arguments, os.getcwd())
    _main_module()
    runpy._run_module_as_main(name)  # type: ignore[attr-defined]


def _begin(program: str, arguments: Sequence[str], folder: str) -> None:
    sys.argv[:] = [program, *arguments]
    if not sys.flags.safe_path:
        sys.path[0] = folder


def _main_module() -> ModuleType:
    """A fresh `__main__` in place of the command's."""
    main = ModuleType("__main__")
    vars(main)["__builtins__"] = builtins
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    sys.modules["__main__"] = main
    if "__mp_main__" in sys.modules:  # as `multiprocessing` calls it, to whom functions of it are sent
        sys.modules["__mp_main__"] = main
    return main


def ended_by(error: BaseException | None) -> Ending:
    """How a program ends that raises `error`, or nothing; what `python` would print for it is printed."""
    if error is None:
        return Ending(0)
    if is_a(error, SystemExit):
        return Ending(_exit_code(error))
    clean_traceback(error)
    try:
        getattr(sys, "excepthook", sys.__excepthook__)(type(error), error, error.__traceback__)
    except SystemExit as leaving:
        return Ending(_exit_code(leaving))
    except BaseException as failure:
        clean_traceback(failure)
        write("Error in sys.excepthook:\n")
        sys.__excepthook__(type(failure), failure, failure.__traceback__)
        write("\nOriginal exception was:\n")
        sys.__excepthook__(type(error), error, error.__traceback__)
    return INTERRUPTED if is_a(error, KeyboardInterrupt) else FAILED


def _exit_code(error: Any) -> int:
    code = error.code
    if code is None or is_a(code, int):
        return code or 0
    with suppress(Exception):
        sys.stdout.flush()
    if getattr(sys, "stderr", None) is not None:  # else `print` would take stdout
        with suppress(Exception):
            print(code, file=sys.stderr)
    return 1
