"""The processes that a program starts by itself, as `mp.spawn` does -> the same, each under a recording, as ranks.

A rank writes its log when it ends. What all of them show is said by the program's own process, once they have ended.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from tapeviz.cli.launch import recording_command
from tapeviz.cli.progress import say
from tapeviz.cli.ranks import asked_to_end, emptied, rank_in
from tapeviz.events import BackwardStarted, EventLog, GradientUnseen
from tapeviz.events.program.exceptions import text_of
from tapeviz.events.program.inspection import attributes
from tapeviz.events.store.load import load
from tapeviz.events.store.ranks import Ranks, rank_file, rank_files
from tapeviz.events.store.save import save
from tapeviz.recorders.bindings import note_names
from tapeviz.recorders.frameworks import is_looked_at
from tapeviz.recorders.record import record

OWN = "program.tape"
"""The log of the program's own process, in a folder with those of ranks that it started."""
GRACE = 60
"""Seconds that a process has to write its log once the program has ended."""


@dataclass(frozen=True)
class How:
    """How the program is recorded, and so each process of it."""

    values: str | None
    steps: int | None
    stop_on: tuple[str, ...]

    def record(self) -> record:
        """A recording.

        Raises:
            ValueError: the options do not fit each other.
        """
        return record(values=self.values, steps=self.steps, stop_on=self.stop_on)

    def arguments(self) -> list[str]:
        """The same on a command line."""
        options: dict[str, Any] = {"--values": self.values, "--steps": self.steps, "--stop-on": ",".join(self.stop_on)}
        return [word for name, value in options.items() if value for word in (name, str(value))]

    def save(self, log: EventLog, path: Path) -> Path:
        """Write the log of such a recording."""
        return save(log, path, values="none" if self.values == "none" else "kept")


@dataclass(frozen=True)
class Recorded:
    """What a process is to run, under a recording. A forked one goes on with the one that its parent had begun."""

    target: Callable[..., Any]
    path: Path
    how: How

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it, and write a log unless nothing was there to record."""
        log, begin = EventLog(), 0
        try:
            with self.how.record() as log:
                begin = log.end
                try:
                    with asked_to_end(is_rank=True):
                        return self.target(*args, **kwargs)
                finally:
                    note_names(log, attributes(sys.modules.get("__main__")))
        finally:
            if any(map(is_looked_at, islice(log.events, begin, None))):
                self._save(log)

    def _save(self, log: EventLog) -> None:
        try:
            self.how.save(log, self.path)
        except Exception as error:
            say(f"writing the log {self.path} failed: {type(error).__name__}: {text_of(error)}")


@dataclass
class StartedTogether:
    """Processes that run one program: all that were started before the program waited for one of them."""

    place: Path
    count: int = 0
    is_awaited: bool = False

    def has_logs(self) -> bool:
        """Whether any of them has left a log; else the folder is removed."""
        if rank_files(self.place):
            return True
        with suppress(OSError):
            self.place.rmdir()
        return False


class StartedRanks:
    """The processes that a program starts by itself: how each is recorded, where its log lies, and who waits for it.

    Args:
        how: how they are recorded.
        log: where the program's own log is to go; None for nowhere.
        program: the program's script, or its module.
        are_recorded: whether any is; the program may be one rank of several, which a launcher has started.
    """

    def __init__(self, how: How, log: Path | None, program: str, *, are_recorded: bool = True) -> None:
        self.are_recorded = are_recorded
        self.how = how
        self._log = log
        self._is_folder = log is not None and log.is_dir()
        self._program = program
        self._groups: list[StartedTogether] = []
        self._commands: list[subprocess.Popen[Any]] = []
        self._rank: int | None = None  # of the program's own process, if it is one of them

    def place_of_own(self) -> Path | None:
        """Where the program's own log is to go: into the folder of the ranks if this is where it was to go."""
        is_folder = self._is_folder or any(each.place == self._log and each.has_logs() for each in self._groups)
        return self._log / OWN if self._log is not None and is_folder else self._log

    def recorded(self, target: Callable[..., Any]) -> Recorded:
        """What a process is to run, recorded as the next rank."""
        group = self._group()
        group.count += 1
        return Recorded(target, rank_file(group.place, group.count - 1), self.how)

    def of_workers(self) -> Path:
        """Where those log that a library starts elsewhere, by ranks of its own."""
        self.waited()  # they train together, and with no others
        group = self._group()
        group.count += 1
        self.waited()
        return group.place

    def waited(self) -> None:
        """The program has waited for one of them: what it starts from now on are others."""
        for group in self._groups[-1:]:
            group.is_awaited = True

    def command(self, command: Any, environment: Mapping[str, str]) -> list[str] | None:
        """The command of another process of this program, under a recording; None if it is none.

        One is what runs the program's own script or module in an environment that has a rank, as Lightning's launcher.
        """
        is_python = isinstance(command, list) and command[:1] == [sys.executable]
        if not (self.are_recorded and is_python) or rank_in(environment) is None:
            return None
        if not any(each == self._program or _is_same(each, self._program) for each in command[1:]):
            return None
        try:
            return recording_command(command, ["-o", str(self._group().place), *self.how.arguments()])
        except ValueError:
            return None

    def began(self, command: subprocess.Popen[Any]) -> None:
        """Such a command has begun."""
        self._commands.append(command)
        self._rank = rank_in(os.environ)

    @property
    def count(self) -> int:
        """How many have begun."""
        return sum(each.count for each in self._groups) + len(self._commands)

    def logs(self, own: EventLog) -> list[tuple[EventLog | Ranks, Path | None]]:
        """The logs of all of them once they have ended, each with the folder where they stay, and the program's `own`.

        That is left out where it has no gradients beside theirs, and where its process is one of the ranks, as its
        environment said when it started the others: then it is among theirs.
        """
        self._wait()
        groups = [each for each in self._groups if each.has_logs()]
        if len(groups) == 1 and self._rank is not None and self._rank not in rank_files(groups[0].place):
            self.how.save(own, rank_file(groups[0].place, self._rank))
            own = EventLog()
        found: list[tuple[EventLog | Ranks, Path | None]] = [
            (load(each.place, partial=True), self._log and each.place) for each in groups
        ]
        takes_gradients = bool(own.of_kind(BackwardStarted, GradientUnseen))
        return [*found, (own, None)] if takes_gradients or not found else found

    def _wait(self) -> None:
        for child in multiprocessing.active_children():
            if not child.daemon:  # Python itself waits for these, and ends the others
                child.join()
        for command in self._commands:
            with suppress(subprocess.TimeoutExpired):
                command.wait(GRACE)

    def close(self) -> None:
        """Remove folders that were for this run alone."""
        for group in self._groups if self._log is None else ():
            shutil.rmtree(group.place, ignore_errors=True)

    def _group(self) -> StartedTogether:
        if not self._groups or self._groups[-1].is_awaited:
            self._groups.append(StartedTogether(self._place(len(self._groups) + 1)))
        return self._groups[-1]

    def _place(self, number: int) -> Path:
        """A folder for logs: `out` if this is where a log is to go, and `run-ranks` for `run.tape`."""
        if self._log is None:
            return Path(tempfile.mkdtemp(prefix="tapeviz-"))
        name = f"{self._log.stem}-ranks" if self._log.suffix else self._log.name
        place = self._log.with_name(name if number == 1 else f"{name}-{number}")
        if place == self._log and place.is_file():  # the log of a run before, which this one replaces
            place.unlink()
        return emptied(place)


def _is_same(one: str, other: str) -> bool:
    """Whether two names are of one file."""
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)
