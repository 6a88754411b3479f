"""A framework -> Python as `scripts.start` runs it, but in a fork of a process that has the framework imported already.

That takes seconds, each time: where it does not matter what is imported when, forks do.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import tapeviz

ROOT = Path(tapeviz.__file__).parents[1]


class Forks:
    """A process that imports a framework and then waits for what to do in forks of it."""

    def __init__(self, framework: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, framework],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def start(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        """Run a script of a folder, or `-m` and a module, with its arguments, as `scripts.start` does."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps([str(folder), *arguments]).encode() + b"\n")
        stdin.flush()
        code = int(stdout.readline())
        return subprocess.CompletedProcess(arguments, code, *((folder / name).read_bytes() for name in STREAMS))

    def close(self) -> None:
        self._process.communicate()


STREAMS = ("stdout", "stderr")
"""The files in its folder that a fork writes to."""


def serve(framework: str) -> list[str]:
    """Fork for each line that comes, and tell how each fork ended; in a fork, return what it is to run."""
    importlib.import_module(framework)
    gc.freeze()  # else each fork would copy what its own garbage collection looks at
    for line in sys.stdin:
        fork = os.fork()
        if not fork:
            folder, *arguments = json.loads(line)
            become(Path(folder))
            return arguments
        print(os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]), flush=True)
    raise SystemExit


def become(folder: Path) -> None:
    """Be a process that was started in a folder, with nothing to read, and whose output goes to files there."""
    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in enumerate(STREAMS, 1):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)


def run(arguments: list[str]) -> None:
    """What Python does with its arguments: a script's errors are told without the frames that ran it."""
    if arguments[0] == "-m":
        sys.argv, sys.path[0] = arguments[1:], ""
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return
    path = str(Path(arguments[0]).absolute())
    sys.argv, sys.path[0] = arguments, os.getcwd()
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__file__ = path
    try:
        exec(compile(Path(path).read_bytes(), path, "exec"), main.__dict__)
    except Exception as error:
        frames = error.__traceback__.tb_next if error.__traceback__ else None
        sys.excepthook(type(error), error.with_traceback(frames), frames)
        raise SystemExit(1) from None


if __name__ == "__main__":
    run(serve(sys.argv[1]))
