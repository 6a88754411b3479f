"""A process among several that run one program -> its rank, the files that are its own, and a quiet end.

Launchers tell each process its rank in the environment. Those that end a process send it SIGTERM first.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from tapeviz.events.store.ranks import rank_file
from tapeviz.validation import folder, log_path

RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
"""Variables in which torchrun and Accelerate, Open MPI, MPICH and Slurm tell a process its rank."""
SIZES = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS")
"""Those in which they tell it, in the same order, how many processes there are."""
TERMINATED = 128 + signal.SIGTERM
"""The exit code of a process that this signal has ended, as shells have it."""


def rank() -> int | None:
    """The rank of this process; None if it runs by itself."""
    for number, size in zip(RANKS, SIZES, strict=True):
        own = os.environ.get(number, "")
        if own.isdigit() and size in os.environ:
            return int(own)
    return None


def place_files(options: Namespace) -> None:
    """Check where the log is to go, and give every file of one rank of several a name of its own."""
    own = rank()
    try:
        if options.log is not None and own is None:
            options.log = log_path(options.log, call="--log", page="--html").absolute()
        elif options.log is not None:
            options.log = rank_file(folder(options.log, "--log").absolute(), own or 0)
            options.log.parent.mkdir(parents=True, exist_ok=True)
    except (ValueError, OSError) as wrong:
        options.parser.error(f"argument --log: {wrong}")
    if own is not None:
        for name in ("html", "json", "sarif"):
            path: Path | None = getattr(options, name)
            if path is not None:
                setattr(options, name, path.with_stem(f"{path.stem}-rank-{own}"))


@contextmanager
def asked_to_end() -> Iterator[None]:
    """A block that SIGTERM ends as `sys.exit` would, in one rank of several; what comes after it is not interrupted.

    A program with a handler of its own keeps it.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if rank() is None or not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
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
