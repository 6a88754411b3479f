"""A recording, and a line of tapeviz's -> the same recording, with an exception raised before that line.

Tracing says when a line is about to run, so the place does not depend on time. One exception is raised in a recording,
and tracing ends with it, as a second Ctrl-C is another story.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import tapeviz as tv
from tapeviz.engine.tape import GradientTape
from tapeviz.events.program.frames import outward
from tests.leaving.guests import Guest, ops_of
from tests.sampling import sample

OURS = str(Path(tv.__file__).parent)
DESTRUCTORS = frozenset((GradientTape.__del__.__code__,))
"""What CPython calls while it frees an object, where it drops every exception."""


class Tracer:
    """Counts the lines of tapeviz's that run while it is on, and raises an exception before one of them.

    Attributes:
        at: the line, counted from 0; None to raise nothing.
        count: how many have run.
        place: where the exception was raised; None if it was not.
    """

    def __init__(self, at: int | None = None, error: type[BaseException] = KeyboardInterrupt) -> None:
        self.at = at
        self.error = error
        self.count = 0
        self.place: tuple[str, int] | None = None

    def on(self) -> None:
        """Begin to trace what is called from now on."""
        if self.place is None:
            sys.settrace(self._called)

    @staticmethod
    def off() -> None:
        """Trace no longer."""
        sys.settrace(None)

    def _called(self, frame: FrameType, event: str, arg: Any) -> Any:
        is_ours = frame.f_code.co_filename.startswith(OURS)
        return self._line if is_ours and DESTRUCTORS.isdisjoint(each.f_code for each in outward(frame)) else None

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self.count += 1
            if self.count - 1 == self.at:
                self.place = frame.f_code.co_filename.removeprefix(OURS), frame.f_lineno
                sys.settrace(None)
                raise self.error("injected")
        return self._line


@dataclass(frozen=True)
class Attempt:
    """A recording of a guest's program that is traced while it is entered, or while it is left.

    Attributes:
        options: those of the recording.
        phase: "entering" or "leaving".
        is_failing: whether the program ends with an error.
    """

    guest: Guest
    options: dict[str, Any]
    phase: str
    is_failing: bool

    def run(self, tracer: Tracer) -> BaseException | None:
        """Enter, run the program, and leave; what comes out."""

        def block() -> None:
            tracer.off()
            try:
                (self.guest.fails if self.is_failing else self.guest.program)()
            finally:
                if self.phase == "leaving":
                    tracer.on()

        try:
            if self.phase == "entering":
                tracer.on()
            self.guest.record(self.options, block)
        except BaseException as error:
            return error.with_traceback(None)
        finally:
            tracer.off()
        return None

    def lines(self) -> int:
        """How many lines of tapeviz's it runs."""
        tracer = Tracer()
        self.run(tracer)
        return tracer.count

    def broken(self, at: int, error: type[BaseException]) -> list[str] | None:
        """What is not as it should be after an exception before one line; None if that line did not run this time."""
        tracer, before = Tracer(at, error), self.guest.left()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = self.run(tracer)
        if tracer.place is None:
            return None
        wrong = [f"{out!r} came out"] if error is KeyboardInterrupt and type(out) is not KeyboardInterrupt else []
        wrong += _differences(before, self.guest.left(), "is not as it was")
        log = self.guest.record(self.options, self.guest.program)
        if ops_of(log) != self.guest.ops:
            wrong.append(f"the next recording has {ops_of(log)}")
        wrong += _differences(before, self.guest.left(), "is not as it was after the next recording")
        return [f"{self.phase}, {error.__name__} before {tracer.place}: {each}" for each in wrong]


def _differences(before: list[Any], after: list[Any], what: str) -> list[str]:
    pairs = enumerate(zip(before, after, strict=True))
    return [f"part {index} of the state {what}" for index, (one, other) in pairs if one != other]


def attempts(guest: Guest, phase: str) -> Iterator[Attempt]:
    """With all options, and programs that end well and with an error."""
    for options in guest.options:
        for is_failing in (False, True):
            attempt = Attempt(guest, options, phase, is_failing)
            yield attempt


def points(guest: Guest, phase: str, most: int) -> Iterator[tuple[Attempt, int]]:
    """Lines of all attempts, at most so many of each, the same at every run, the first and the last among them."""
    for attempt in attempts(guest, phase):
        count = min(attempt.lines() for _ in range(3))  # some more at the first time, of what is looked up once
        chosen = sample(range(1, count - 1), most - 2, lambda at: f"{guest.name} {phase} {at}")
        for at in sorted({0, *chosen, count - 1}) if count else ():
            yield attempt, at


ERRORS = (KeyboardInterrupt, RuntimeError)


def broken(guest: Guest, phase: str, most: int) -> tuple[int, list[str]]:
    """How often one of the errors was raised at a line, and what was not as it should be after that."""
    tried = [attempt.broken(at, error) for attempt, at in points(guest, phase, most) for error in ERRORS]
    reached = [wrong for wrong in tried if wrong is not None]
    return len(reached), [each for wrong in reached for each in wrong]
