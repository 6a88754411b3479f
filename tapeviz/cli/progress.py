"""What tapeviz says while it works: on stderr, since stdout is the program's own."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from tapeviz.cli.ranks import rank

PATIENCE = 1.0
CLEAR = "\r\x1b[K"


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Say on stderr, while the block runs for more than a second, what is being done; only if that is a terminal."""
    if not _is_terminal():
        yield
        return
    done = Event()
    telling = Thread(target=_tell, args=(doing, done), daemon=True)
    telling.start()
    try:
        yield
    finally:
        done.set()
        telling.join()


def _tell(doing: str, done: Event) -> None:
    start, told = time.monotonic(), False
    while not done.wait(PATIENCE):
        told = True
        write(f"{CLEAR}tapeviz: {doing} … {time.monotonic() - start:.0f} s")
    if told:
        write(CLEAR)


def say(text: str) -> None:
    """Say something on the process's own stderr, whatever the program has put in its place.

    Where several processes share it, each line says whose it is.
    """
    own = rank()
    who = "tapeviz" if own is None else f"tapeviz, rank {own}"
    lines = text if own is None else text.replace("\n", f"\nrank {own}: ")
    write(f"\n{who}: {lines}\n")


def _is_terminal() -> bool:
    with suppress(AttributeError, OSError, ValueError):  # there is none, or the program has closed it
        return sys.__stderr__ is not None and os.isatty(sys.__stderr__.fileno())
    return False


def write(text: str) -> None:
    """Write to stderr if it is there and open, past Python's buffer: what waits in that when a process ends, and cannot
    be written, changes the exit code."""
    stderr = sys.__stderr__
    with suppress(AttributeError, OSError, ValueError):
        if stderr is not None:
            stderr.flush()
            data = text.encode(stderr.encoding, "backslashreplace")
            while data:
                data = data[os.write(stderr.fileno(), data) :]
