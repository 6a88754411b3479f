"""A running program -> the processes that it starts by itself, and whether they take gradients that no log has.

A recording is of one process. One that is forked has the hooks of the recording still, and tells by these of its first
gradient. One that begins anew has none: whether it may take any is seen from what it is to run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from mmap import mmap
from multiprocessing import get_start_method
from multiprocessing.process import BaseProcess
from types import CodeType
from typing import Any

from tapeviz.events import BackwardStarted, EventLog
from tapeviz.events.program.frames import is_library
from tapeviz.phrases import counted, listed, quoted
from tapeviz.source.sites import read_lines

MOST = 4096
"""Processes that are told apart."""
FORK = "fork"
DIFFERENTIATES = re.compile(r"backward|grad|\bfit\b|train|tape", re.IGNORECASE)
"""What stands in the file of a function that takes gradients, or has a library take them."""
RECORDS = "tapeviz"
"""What stands in the file of one that records itself."""
NO_GRADIENTS = ("multiprocessing.", "concurrent.futures.", "torch.utils.data.")
"""Modules whose own functions fetch data, or run what comes later, which nothing is known of."""
CHILD_SECONDS = 0.5
"""So much time of the processor tells that a program has left its work to other processes."""
CURE = (
    "Processes that the program starts are not recorded: have a launcher start them, "
    "`tapeviz run --log FOLDER -- torchrun --nproc-per-node 2 train.py`."
)


class Children:
    """The processes that a program has started through `multiprocessing`."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._names: list[str] = []
        self._may: set[int] = set()  # the numbers of those that may take gradients
        self._have = mmap(-1, MOST)  # a byte for each that is forked, which writes there: memory that they share

    def sentence(self, *, is_alone: bool) -> str:
        """What to say of them, on one line; "" where none has taken a gradient, nor is to.

        Of any other process that the program has started nothing is known but its time of the processor: where the log
        `is_alone` in having nothing, that tells.
        """
        have = {number for number in range(len(self._names)) if self._have[number % MOST]}
        some = sorted(have | self._may)
        if not some:
            times = os.times()
            return CURE if is_alone and times.children_user + times.children_system > CHILD_SECONDS else ""
        names = listed(list(dict.fromkeys(quoted(self._names[each]) for each in some)))
        took = "took" if self._may <= have else "may have taken"
        return f"{counted(len(some), 'process')} that the program started to run {names} {took} gradients. {CURE}"

    @contextmanager
    def watched(self, log: EventLog) -> Iterator[None]:
        """A block in which the program runs of which this is the log."""
        before = {name: getattr(BaseProcess, name) for name in ("start", "_bootstrap")}
        acts: dict[str, Callable[..., Any]] = {"start": self.start, "_bootstrap": partial(self._run, log)}
        for name, own in before.items():
            setattr(BaseProcess, name, _instead(own, acts[name]))
        try:
            yield
        finally:
            for name, own in before.items():
                setattr(BaseProcess, name, own)

    def start(self, start: Callable[[Any], None], process: Any) -> None:
        """Start a process."""
        if os.getpid() != self._owner:  # it counts as the one that starts it
            start(process)
            return
        function = _function(process)
        self._names.append(getattr(function, "__qualname__", type(process).__qualname__))
        start(process)
        if _method(process) != FORK and _may_differentiate(function):
            self._may.add(len(self._names) - 1)

    def _run(self, log: EventLog, run: Callable[..., Any], process: Any, *args: Any) -> Any:
        """What a process does that was forked: its first gradient is told of."""
        log.subscribe(BackwardStarted, lambda record: self._tell())
        return run(process, *args)

    def _tell(self) -> None:
        self._have[(len(self._names) - 1) % MOST] = 1


def _instead(own: Callable[..., Any], act: Callable[..., Any]) -> Callable[..., Any]:
    """A method that calls `act` with the one that was there."""

    @wraps(own)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return act(partial(own, **kwargs), self, *args)

    return method


def _method(process: Any) -> str:
    """How a process is started."""
    return getattr(process, "_start_method", None) or get_start_method()


def _function(process: Any) -> Any:
    """What a process runs: the function that it was given, or that a function of a library's was given for it."""
    target = _plain(getattr(process, "_target", None) or type(process).run)
    first = _plain(next(iter(getattr(process, "_args", ())), None))
    code = _code(target)
    is_handed_on = code is not None and is_library(code.co_filename) and _code(first) is not None
    return first if is_handed_on else target


def _may_differentiate(function: Any) -> bool:
    """Whether a function may take gradients in a process of its own, and does not record them itself."""
    code = _code(function)
    if code is None or getattr(function, "__module__", "").startswith(NO_GRADIENTS):
        return False
    text = "\n".join(read_lines(code.co_filename))
    return RECORDS not in text and DIFFERENTIATES.search(text) is not None


def _plain(function: Any) -> Any:
    """A function without the arguments that it was given ahead."""
    while isinstance(function, partial):
        function = function.func
    return function


def _code(function: Any) -> CodeType | None:
    found = getattr(function, "__code__", None)
    return found if isinstance(found, CodeType) else None
