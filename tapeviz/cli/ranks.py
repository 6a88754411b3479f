"""A process among several that run one program -> its rank, the files that are its own, and a quiet end.

Launchers tell each process its rank in the environment. Those that end a process send it SIGTERM first.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from functools import cache
from pathlib import Path
from types import FrameType

from tapeviz.events.store.ranks import rank_file, rank_files
from tapeviz.validation import folder, log_path

RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "LOCAL_RANK")
"""Variables in which torchrun and Accelerate, Open MPI, MPICH, Slurm and Lightning tell a process its rank."""
SIZES = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", "WORLD_SIZE")
"""Those in which they tell it, in the same order, how many processes there are."""
TERMINATED = 128 + signal.SIGTERM
"""The exit code of a process that this signal has ended, as shells have it."""


@cache
def rank() -> int | None:
    """The rank of this process, as it was started; None if it runs by itself."""
    return rank_in(os.environ)


def rank_in(environment: Mapping[str, str]) -> int | None:
    """The rank that an environment tells a process; None if it tells none.

    >>> rank_in({"RANK": "3", "WORLD_SIZE": "4"}), rank_in({"LOCAL_RANK": "1", "WORLD_SIZE": "4", "NODE_RANK": "1"})
    (3, None)
    """
    for number, size in zip(RANKS, SIZES, strict=True):
        own = environment.get(number, "")
        is_of_all = number != "LOCAL_RANK" or environment.get("NODE_RANK", "0") == "0"
        if own.isdigit() and size in environment and is_of_all:
            return int(own)
    return None


def place_files(options: Namespace) -> None:
    """Check where the log is to go, and give every file of one rank of several a name of its own."""
    own = rank()
    try:
        if options.log is None:
            pass
        elif own is not None:
            options.log = rank_file(folder(options.log, "--log").absolute(), own)
            options.log.parent.mkdir(parents=True, exist_ok=True)
        elif options.log.is_dir():  # which a run before has made, whose program started processes of its own
            options.log = emptied(options.log.absolute())
        else:
            options.log = log_path(options.log, call="--log", page="--html").absolute()
    except (ValueError, OSError) as wrong:
        options.parser.error(f"argument --log: {wrong}")
    if own is not None:
        _end_names(options, f"-rank-{own}")


def numbered(options: Namespace, number: int) -> Namespace:
    """The options for one of several logs of a run: from the second on, every file has its `number` in its name."""
    each = copy(options)
    if number > 1:
        _end_names(each, f"-{number}")
    return each


def _end_names(options: Namespace, end: str) -> None:
    for name in ("html", "json", "sarif"):
        path: Path | None = getattr(options, name)
        if path is not None:
            setattr(options, name, path.with_stem(path.stem + end))


def emptied(place: Path) -> Path:
    """A folder for logs, without those of a run before, which may have had more ranks.

    Raises:
        OSError: it cannot be made.
    """
    place.mkdir(parents=True, exist_ok=True)
    for each in rank_files(place).values():
        each.unlink()
    return place


@contextmanager
def asked_to_end(*, is_rank: bool) -> Iterator[None]:
    """A block that SIGTERM ends as `sys.exit` would, in one rank of several; what comes after it is not interrupted.

    A program with a handler of its own keeps it.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_rank or not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _leave)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is _leave:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(TERMINATED)
