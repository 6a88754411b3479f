"""A function that writes files -> what is in them when a system call of its fails, or the process ends there.

Every call runs in a process of its own, which shares nothing with the next one but the disk.
"""

from __future__ import annotations

import errno
import io
import os
import resource
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from tapeviz.events import EventLog
from tests.hostile.exporters import Exporter

Kind: TypeAlias = Literal["kill", "full", "limit"]
KINDS: tuple[Kind, ...] = ("kill", "full", "limit")
BUFFER = 512
"""Bytes that are written at once: few, so that even a small file takes several system calls."""
FAILED = 3
"""The exit code of a process in which the call raised an OSError."""
ENDS: dict[Kind, set[int]] = {"kill": {-signal.SIGKILL}, "full": {FAILED}, "limit": {FAILED, 0}}
"""How a process may end that was struck so; what fits under a limit is written."""


@dataclass
class Fault:
    """At the system call of the number `at`, counted from 0, the disk is full, or the process is killed.

    Of a limit, `at` is the most bytes that a file may have.
    """

    kind: Kind
    at: int
    count: int = 0

    def install(self) -> None:
        """From now on, in this process."""
        if self.kind == "limit":
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.at, resource.RLIM_INFINITY))
            return
        io.open = self._opened  # type: ignore[assignment]
        os.fsync = self._before(os.fsync)
        os.replace = self._before(os.replace)

    def strike(self) -> None:
        """A system call is about to be made."""
        self.count += 1
        if self.count - 1 == self.at:
            if self.kind == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _before(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def struck(*args: Any, **options: Any) -> Any:
            self.strike()
            return call(*args, **options)

        return struck

    def _opened(self, file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        if set(mode) & set("wax+") and "b" in mode:
            self.strike()
            return io.BufferedWriter(_Struck(self, file, mode), BUFFER)
        return _OPEN(file, mode, *args, **options)


_OPEN = io.open


class _Struck(io.FileIO):
    """A file each of whose writes may be struck."""

    def __init__(self, fault: Fault, file: Any, mode: str) -> None:
        super().__init__(file, mode.replace("b", ""))
        self._fault = fault

    def write(self, data: Any, /) -> int:
        self._fault.strike()
        return super().write(data)


def in_a_process(call: Callable[[], object]) -> int:
    """Run a call in a process of its own; its exit code, negative where a signal ended it."""
    process = os.fork()
    if not process:
        try:
            call()
        except OSError:
            os._exit(FAILED)
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def content(folder: Path) -> dict[str, bytes]:
    """The files in a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@dataclass(frozen=True)
class Rewriting:
    """An exporter, and a folder in which it wrote files of the log `before`, to be replaced by those of `after`."""

    exporter: Exporter
    before: EventLog
    after: EventLog
    folder: Path

    def _fresh(self) -> None:
        for path in self.folder.iterdir():
            path.unlink()
        self.exporter(self.before, self.folder)

    def faults(self, kind: Kind, most: int) -> Iterator[Fault]:
        """Faults of one kind, at most so many, spread evenly over all that it does."""
        self._fresh()
        if kind == "limit":
            total = max(path.stat().st_size for path in self.folder.iterdir())
        else:
            total = self._calls()
        yield from (Fault(kind, at) for at in sorted({total * number // most for number in range(most)}))

    def _calls(self) -> int:
        """How many system calls it makes."""
        reading, writing = os.pipe()

        def count() -> None:
            fault = Fault("full", -1)
            fault.install()
            self.exporter(self.after, self.folder)
            os.write(writing, str(fault.count).encode())

        code = in_a_process(count)
        os.close(writing)
        with os.fdopen(reading) as told:
            assert code == 0
            return int(told.read())

    def wrong(self, fault: Fault) -> list[str]:
        """What is not as it should be after a fault."""
        self._fresh()
        old = content(self.folder)

        def struck() -> None:
            fault.install()
            self.exporter(self.after, self.folder)

        code = in_a_process(struck)
        found = content(self.folder)
        parts = {name for name in found if name.endswith(".part")}
        self.exporter(self.after, self.folder)
        new = content(self.folder)
        told = [f"{name} is lost" for name in old if found.get(name) not in (old[name], new.get(name))]
        told += [f"{name} is neither" for name in found.keys() - old.keys() - parts if found[name] != new.get(name)]
        if code not in ENDS[fault.kind]:
            told.append(f"exit code {code}")
        if parts and fault.kind != "kill":
            told.append(f"{parts} were left")
        told += [f"{name} stays" for name in new if name.endswith(".part")]
        return [f"{fault.kind} at {fault.at}: {each}" for each in told]
