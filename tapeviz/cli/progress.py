"""What tapeviz says while it works: on stderr, since stdout is the program's own."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

PATIENCE = 1.0
CLEAR = "\r\x1b[K"


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Say on stderr, while the block runs for more than a second, what is being done; only if that is a terminal."""
    if not sys.stderr.isatty():
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
        sys.stderr.write(f"{CLEAR}tapeviz: {doing} … {time.monotonic() - start:.0f} s")
        sys.stderr.flush()
    if told:
        sys.stderr.write(CLEAR)
        sys.stderr.flush()


def say(text: str) -> None:
    """Say something on the process's own stderr, whatever the program has put in its place."""
    print(f"\ntapeviz: {text}", file=sys.__stderr__)
