"""A running program -> the processes that it starts by itself, recorded, or whether they take gradients unrecorded.

A recording is of one process. One that is to run a function of the program's, or the program once more, gets a
recording of its own. Of the others, one that is forked has the hooks of the recording still, and tells by these of its
first gradient; one that begins anew has none: whether it may take any is seen from what it is to run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from mmap import mmap
from multiprocessing import get_start_method
from multiprocessing.process import BaseProcess
from types import CodeType
from typing import Any

from tapeviz.cli.progress import say
from tapeviz.cli.started import Recorded, StartedRanks
from tapeviz.cli.workers import library, of_worker, trainers_watched
from tapeviz.events import BackwardStarted, EventLog
from tapeviz.events.program.exceptions import text_of
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
UNRECORDED = "A process that the program starts is not recorded"
CURE = "have a launcher start them, `tapeviz run --log FOLDER -- torchrun --nproc-per-node 2 train.py`."
IN_EACH = 'in each, `with tv.record() as log` and `tv.save(log, f"FOLDER/rank-{rank}.tape")` do so.'


class Children:
    """The processes that a program has started.

    Args:
        ranks: those that are recorded.
    """

    def __init__(self, ranks: StartedRanks) -> None:
        self._ranks = ranks
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
            return self._of_others() if is_alone else ""
        names = listed(list(dict.fromkeys(quoted(self._names[each]) for each in some)))
        took = "took" if self._may <= have else "may have taken"
        who = f"{counted(len(some), 'process')} that the program started to run {names}"
        return f"{who} {took} gradients, unrecorded: {CURE}"

    def _of_others(self) -> str:
        """What to say of the processes of a program that has nothing in its log, as far as it has left its work to any.

        Where that work is recorded by itself, nothing.
        """
        times, title = os.times(), library()
        has_others = title or times.children_user + times.children_system >= CHILD_SECONDS
        if self._ranks.count and has_others:
            return "The processes that the program started have recorded nothing, or ended before they could write it."
        if title and RECORDS not in _text(getattr(sys.modules.get("__main__"), "__file__", None) or ""):
            return f"What workers of {title} do is not recorded, but the loops of its trainers: {IN_EACH}"
        return f"Programs that the program starts are not recorded: {CURE}" if has_others and not title else ""

    @contextmanager
    def watched(self, log: EventLog) -> Iterator[None]:
        """A block in which the program runs of which this is the log."""
        acts: dict[tuple[type, str], Callable[..., Any]] = {
            (BaseProcess, "start"): self.start,
            (BaseProcess, "join"): self._join,
            (BaseProcess, "_bootstrap"): partial(self._run, log),
            (subprocess.Popen, "__init__"): self._command,
        }
        before = {place: getattr(*place) for place in acts}
        for (kind, name), own in before.items():
            setattr(kind, name, _instead(own, acts[kind, name]))
        try:
            with trainers_watched(self._loop):
                yield
        finally:
            for (kind, name), own in before.items():
                setattr(kind, name, own)

    def start(self, start: Callable[[Any], None], process: Any) -> None:
        """Start a process."""
        if os.getpid() != self._owner:  # it counts as the one that starts it
            start(process)
            return
        function = _function(process)
        is_programs, is_fork = _is_programs(function), _method(process) == FORK
        may = is_programs and (is_fork or _may_differentiate(function))
        if may and self._is_recorded(process):
            start(process)
            return
        self._names.append(getattr(function, "__qualname__", type(process).__qualname__))
        start(process)
        if may and not is_fork:
            self._may.add(len(self._names) - 1)

    def _is_recorded(self, process: Any) -> bool:
        """Whether a process that runs a function of the program's does so under a recording; from here on it does."""
        if not self._ranks.are_recorded or getattr(process, "_target", None) is None:
            return False
        try:
            if _is_handed_on(process):
                process._args = (self._ranks.recorded(process._args[0]), *process._args[1:])
            else:
                process._target = self._ranks.recorded(process._target)
        except OSError as error:
            say(f"{UNRECORDED}: {text_of(error)}")
            return False
        return True

    def _loop(self, loop: Any) -> Any:
        """A loop for workers that a library starts elsewhere, to be recorded there."""
        if not self._ranks.are_recorded or os.getpid() != self._owner or not _is_programs(_plain(loop)):
            return loop
        try:
            return of_worker(loop, self._ranks.of_workers(), self._ranks.how)
        except OSError as error:
            say(f"{UNRECORDED}: {text_of(error)}")
            return loop

    def _join(self, join: Callable[..., None], process: Any, *args: Any, **kwargs: Any) -> None:
        join(process, *args, **kwargs)
        if os.getpid() == self._owner:
            self._ranks.waited()

    def _command(self, begin: Callable[..., None], process: Any, args: Any, *others: Any, **options: Any) -> None:
        """Begin another program, or this one once more."""
        is_own = os.getpid() == self._owner
        recorded = self._ranks.command(args, options.get("env") or os.environ) if is_own else None
        begin(process, recorded or args, *others, **options)
        if recorded:
            self._ranks.began(process)

    def _run(self, log: EventLog, run: Callable[..., Any], process: Any, *args: Any, **kwargs: Any) -> Any:
        """What a process does that was forked: the first gradient that no log will have is told of."""
        if not any(isinstance(each, Recorded) for each in (process._target, *process._args[:1])):
            log.subscribe(BackwardStarted, lambda record: self._tell())
        return run(process, *args, **kwargs)

    def _tell(self) -> None:
        self._have[(len(self._names) - 1) % MOST] = 1


def _instead(own: Callable[..., Any], act: Callable[..., Any]) -> Callable[..., Any]:
    """A method that calls `act` with the one that was there."""

    @wraps(own)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return act(own, self, *args, **kwargs)

    return method


def _method(process: Any) -> str:
    """How a process is started."""
    return getattr(process, "_start_method", None) or get_start_method()


def _function(process: Any) -> Any:
    """What a process runs: the function that it was given, or that a function of a library's was given for it."""
    if _is_handed_on(process):
        return _plain(process._args[0])
    return _plain(getattr(process, "_target", None) or type(process).run)


def _is_handed_on(process: Any) -> bool:
    """Whether a process is to run a function of a library's that is given the one to run, as `mp.spawn` has one."""
    code = _code(_plain(getattr(process, "_target", None)))
    given = next(iter(getattr(process, "_args", ())), None)
    return code is not None and is_library(code.co_filename) and _code(_plain(given)) is not None


def _is_programs(function: Any) -> bool:
    """Whether a function is one that the program runs in a process of its own, and does not record itself."""
    code = _code(function)
    if code is None or getattr(function, "__module__", "").startswith(NO_GRADIENTS):
        return False
    return RECORDS not in _text(code.co_filename)


def _may_differentiate(function: Any) -> bool:
    """Whether such a function may take gradients."""
    code = _code(function)
    return code is not None and DIFFERENTIATES.search(_text(code.co_filename)) is not None


def _text(filename: str) -> str:
    """What is in a file of the program's."""
    return "\n".join(read_lines(filename))


def _plain(function: Any) -> Any:
    """A function without the arguments that it was given ahead."""
    while isinstance(function, partial):
        function = function.func
    return function


def _code(function: Any) -> CodeType | None:
    found = getattr(function, "__code__", None)
    return found if isinstance(found, CodeType) else None
