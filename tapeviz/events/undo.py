"""What is changed for a recording -> changed back when it ends: all of it, whatever is raised, and at whatever line.

Ctrl-C can come before any line of Python, those that clean up included. So two rules hold wherever a recording begins
or ends: what undoes a change is known before the change is made; and it may be called twice, after half of the change,
or without it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeVar

T = TypeVar("T")
Step = Callable[[], object]
Method = TypeVar("Method", bound=Callable[..., Any])


class Undo:
    """What is to run when a recording ends, so that all is as it was before: the latest change is undone first.

    >>> undo = Undo()
    >>> undo.add(lambda: print("first in"))
    >>> undo.add(lambda: print("first out"))
    >>> undo.run()
    first out
    first in
    >>> undo.is_due
    False
    """

    def __init__(self) -> None:
        self._steps: list[Step] = []

    @property
    def is_due(self) -> bool:
        """Whether there are steps that have not run."""
        return bool(self._steps)

    def add(self, step: Step) -> None:
        """Have `step` run before those that were added earlier. To be called before the change that it undoes."""
        self._steps.append(step)

    def run(self) -> None:
        """Run every step, each on its own; one that is broken off, by Ctrl-C or an error, runs once more.

        Raises:
            BaseException: the interrupt, when all steps have run.
            Exception: what a step raised, if there was no interrupt; several as an `ExceptionGroup`.
        """
        raised: list[BaseException] = []
        while self._steps:
            broken_off = _raised_by(self._steps[-1])
            raised += broken_off
            if broken_off:
                raised += filter(_is_interrupt, _raised_by(self._steps[-1]))
            self._steps.pop()
        for interrupt in filter(_is_interrupt, raised):
            raise interrupt
        if raised:
            raise raised[0] if len(raised) == 1 else BaseExceptionGroup("several errors", raised)


def _raised_by(step: Step) -> list[BaseException]:
    """Run a step; what it raises."""
    try:
        step()
    except BaseException as error:
        return [error]
    return []


def _is_interrupt(error: BaseException) -> bool:
    return not isinstance(error, Exception)


# An interrupt comes before a line. The first line of a block is still outside of the `try` above it, and the first one
# of a `finally` at the end of a block that went well outside of both. Hence a `try` on one line, and two of them.


def surely(act: Callable[[], T], last: Step) -> T:
    """Call `act`, and `last` after it, at least once, wherever an interrupt comes. What `act` returns."""
    try: return _followed(act, last)  # noqa: E701  # fmt: skip
    finally: last()  # noqa: E701  # fmt: skip


def _followed(act: Callable[[], T], last: Step) -> T:
    try: return act()  # noqa: E701  # fmt: skip
    finally: last()  # noqa: E701  # fmt: skip


def ended_by(last: Callable[..., object]) -> Callable[[Method], Method]:
    """A decorator: a method after which `last` is `surely` called with the same arguments, from its first line on."""

    def decorate(method: Method) -> Method:
        @wraps(method)
        def ending(*args: Any) -> Any:
            try: return _followed(partial(method, *args), partial(last, *args))  # noqa: E701  # fmt: skip
            finally: last(*args)  # noqa: E701  # fmt: skip

        return ending  # type: ignore[return-value]

    return decorate
