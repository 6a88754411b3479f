"""A command line -> the recordings of it, each by a process of its own, the last two of them at hand."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from tapeviz.cli.answers import within
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.errors import LogError
from tapeviz.events.store.load import load_file
from tapeviz.events.store.loaded_log import LoadedLog
from tapeviz.phrases import counted

PATIENCE = 600
"""Seconds until a program is interrupted, if nothing else is asked for."""
GRACE = 60
"""Seconds that it then has, to come to its end and to write its log."""
TOLD_OUTPUT = 600
"""Characters that are told of what a program printed at last."""
TAIL, RUN_SAYS = 1 << 16, "\ntapeviz: log: "
"""How many bytes of that are looked through for what `tapeviz run` says first."""


class Recordings:
    """The recordings of one program: its script, or `-m` and a module, and its arguments."""

    def __init__(self, program: Sequence[str], folder: Path) -> None:
        self._program = program
        self._folder = folder
        self._count = 0
        self._logs: list[LoadedLog] = []

    def record(self, seconds: int = PATIENCE) -> str:
        """Run the program as `tapeviz run` does, and say how that ended; after `seconds` it is interrupted.

        Raises:
            LogError: it left no log.
        """
        self._count += 1
        path = self._folder / f"{self._count}.tape"
        with TemporaryFile() as printed:
            ended = self._run(path, printed.fileno(), seconds)
            said = _printed_at_last(printed)
        if not path.exists():
            raise LogError(within(f"Recording {self._count}: the program {ended} and left no log. {said}"))
        log = load_file(path, partial=True)
        self._logs = [*self._logs[-1:], log]
        findings = diagnose(log).groups()
        amiss = ", ".join(f"{first.severity} {first.cause}" for first, *_ in findings[:6]) or "nothing"
        return within(f"Recording {self._count}: the program {ended}. {log!r}. Found: {amiss}. {said}")

    def _run(self, path: Path, output: int, seconds: int) -> str:
        """Run the program; how it ended, in words."""
        command = [sys.executable, "-m", "tapeviz", "run", "--log", str(path), *self._program]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            return f"ended with exit code {process.wait(seconds)}"
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return f"was interrupted after {counted(seconds, 'second')}"

    def last(self) -> LoadedLog:
        """The last recording.

        Raises:
            LogError: there is none.
        """
        if not self._logs:
            raise LogError("Nothing was recorded yet: call record.")
        return self._logs[-1]

    def last_two(self) -> tuple[LoadedLog, LoadedLog]:
        """The last recording but one, and the last.

        Raises:
            LogError: there are not two.
        """
        if len(self._logs) < 2:
            raise LogError("Two recordings are compared: call record, change the program, and call record again.")
        before, after = self._logs
        return before, after


def _printed_at_last(printed: BinaryIO) -> str:
    """The end of what a program printed, ahead of what `tapeviz run` has to say."""
    printed.seek(max(0, printed.seek(0, os.SEEK_END) - TAIL))
    text = printed.read().decode(errors="replace")
    own, said, _ = text.rpartition(RUN_SAYS)
    told = (own if said else text)[-TOLD_OUTPUT:].strip()
    return f"It printed at last:\n{told}" if told else "It printed nothing."
