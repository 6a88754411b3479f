"""Commits -> a process for each, which imports tapeviz as that commit has it and takes turns when told to.

The programs are today's for every commit; only the `tapeviz` that they import differs.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.frameworks import framework
from benchmarks.programs import PROGRAMS
from benchmarks.timing import turn

ROOT = Path(__file__).parents[1]


class CannotRun(Exception):
    """A version of tapeviz cannot run a program."""


class Version:
    """A process with one version of tapeviz."""

    def __init__(self, harness: Path, package: Path) -> None:
        shutil.copytree(ROOT / "benchmarks", harness / "benchmarks", ignore=shutil.ignore_patterns("__pycache__"))
        (harness / "tapeviz").symlink_to(package)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.versions"],
            cwd=harness,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def turn(self, program: str, contestant: str) -> float:
        """The seconds one step of a program takes there.

        Raises:
            CannotRun: this version lacks what the program needs.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{program}\t{contestant}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        try:
            return float(answer)
        except ValueError:
            raise CannotRun(answer.strip() or "its process ended") from None

    def close(self) -> None:
        self._process.communicate()


@contextmanager
def opened(commit: str | None) -> Iterator[Version]:
    """A commit checked out for as long as the block runs; None is the working tree as it stands.

    Raises:
        subprocess.CalledProcessError: git knows no such commit.
    """
    with TemporaryDirectory() as folder:
        harness, tree = Path(folder) / "harness", Path(folder) / "tree"
        if commit is not None:
            _git("worktree", "add", "--quiet", "--detach", str(tree), commit)
        try:
            version = Version(harness, (ROOT if commit is None else tree) / "tapeviz")
            try:
                yield version
            finally:
                version.close()
        finally:
            if commit is not None:
                _git("worktree", "remove", "--force", str(tree))


def _git(*arguments: str) -> None:
    subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, stdout=subprocess.DEVNULL)


def answer() -> None:
    """The process's side: for every line "program, tab, contestant" the seconds of one turn, or why there are none."""
    steps = {}
    for line in sys.stdin:
        program, contestant = key = tuple(line.rstrip("\n").split("\t"))
        try:
            if key not in steps:
                steps[key] = framework(contestant).step(PROGRAMS[program]())
            print(turn(steps[key]), flush=True)
        except Exception as error:
            print(f"{type(error).__name__}: {error}".replace("\n", " "), flush=True)


if __name__ == "__main__":
    answer()
