"""Modules -> Python as a command line starts it, but in forks of a process that has them imported already.

To import a framework takes seconds, each time: where it does not matter what is imported when, forks do.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

import tapeviz

ROOT = Path(tapeviz.__file__).parents[1]
SECONDS = 300
"""How long a fork may take."""


class Forks:
    """A process that imports modules and then waits for what to do in forks of it."""

    def __init__(self, *modules: str) -> None:
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        self._process = subprocess.Popen(
            [sys.executable, __file__, *modules],
            env=os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def start(self, folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
        """Run a script of a folder, or `-m` and a module, with its arguments, and variables of the environment."""
        [done] = self.together(folder, [variables], *arguments)
        return done

    def together(
        self, folder: Path, environments: Sequence[Mapping[str, str]], *arguments: str
    ) -> list[subprocess.CompletedProcess[bytes]]:
        """The same, at once in a fork for each of the environments."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps([str(folder), environments, arguments]).encode() + b"\n")
        stdin.flush()
        codes = json.loads(stdout.readline())
        return [
            subprocess.CompletedProcess(arguments, code, *((folder / name).read_bytes() for name in streams(number)))
            for number, code in enumerate(codes)
        ]

    def close(self) -> None:
        self._process.communicate()


def streams(number: int) -> list[str]:
    """The files in its folder that a fork writes to."""
    return [f"{name}{number or ''}" for name in ("stdout", "stderr")]


def serve(modules: Sequence[str]) -> list[str]:
    """Fork as each line that comes wants it, and tell how the forks ended; in a fork, return what it is to run."""
    for each in modules:
        importlib.import_module(each)
    gc.freeze()  # else each fork would copy what its own garbage collection looks at
    for line in sys.stdin:
        folder, environments, arguments = json.loads(line)
        forks = []
        for number, variables in enumerate(environments):
            fork = os.fork()
            if not fork:
                os.environ.update(variables)
                become(Path(folder), number)
                return list(arguments)
            forks.append(fork)
        print([os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]) for fork in forks], flush=True)
    raise SystemExit


def become(folder: Path, number: int) -> None:
    """Be a process that was started in a folder, with nothing to read, and whose output goes to files there."""
    os.chdir(folder)
    signal.alarm(SECONDS)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for handle, name in enumerate(streams(number), 1):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), handle)


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
    run(serve(sys.argv[1:]))
