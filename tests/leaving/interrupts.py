"""A recording, and a line of tapeviz's -> the same recording, with an exception raised before that line.

Tracing says when a line is about to run, so the place does not depend on time. One exception is raised in a recording,
and tracing ends with it, as a second Ctrl-C is another story.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import FrameType
from typing import Any

import tapeviz

OURS = str(Path(tapeviz.__file__).parent)


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
        return self._line if frame.f_code.co_filename.startswith(OURS) else None

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self.count += 1
            if self.count - 1 == self.at:
                self.place = frame.f_code.co_filename.removeprefix(OURS), frame.f_lineno
                sys.settrace(None)
                raise self.error("injected")
        return self._line


@dataclass
class Attempt:
    """A recording that is traced while it is entered, or while it is left.

    Attributes:
        recording: makes what is entered.
        block: what runs in it; its exception is expected to arrive, unless another one is injected.
        phase: "entering" or "leaving".
    """

    recording: Callable[[], Any]
    block: Callable[[], Any]
    phase: str
    options: dict[str, Any] = field(default_factory=dict)

    def run(self, tracer: Tracer) -> BaseException | None:
        """Enter, run the block, and leave; what comes out."""
        try:
            recording = self.recording()
            if self.phase == "entering":
                tracer.on()
            with recording:
                tracer.off()
                try:
                    self.block()
                finally:
                    if self.phase == "leaving":
                        tracer.on()
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


def sample(count: int, most: int, salt: str) -> list[int]:
    """As many numbers below `count`, the same at every run, with the first and the last among them."""
    if count <= most:
        return list(range(count))
    chosen = sorted(range(1, count - 1), key=lambda each: sha256(f"{salt} {each}".encode()).digest())
    return sorted([0, *chosen[: most - 2], count - 1])
