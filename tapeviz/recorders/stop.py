"""The end of a backward pass, or a read of `.grad` -> an exception, if the program is to stop at such a gradient."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from tapeviz.errors import StoppedError
from tapeviz.events.log import EventLog
from tapeviz.events.program.frames import is_library, outward
from tapeviz.events.raw import CODE, INPUTS, LASTI, OUTPUTS, VALUES
from tapeviz.events.summary import oddities
from tapeviz.events.types import BackwardFinished, BackwardStarted, GradientRead, GradientStored, Site
from tapeviz.events.values import is_value, readable
from tapeviz.recorders.bindings import note_variables

REASONS = {"nan": "is not a number somewhere", "inf": "is infinite somewhere", "none": "is None"}


class StopOn:
    """Listens to a log, from `open` until `close`, for the first gradient that is one of `reasons`."""

    explain: ClassVar[Callable[[EventLog, str], str]]
    """(log, reason) -> the finding in words, "" where there is none; set where writers and readers are tied."""

    def __init__(self, log: EventLog, reasons: tuple[str, ...]) -> None:
        self._log = log
        self._reasons = reasons
        self._stored: set[int] = set()
        self._looked: set[Any] = set()
        self._subscriptions: dict[type, Callable[[int], None]] = {BackwardFinished: self._look_at_results}
        if "none" in reasons:
            self._subscriptions |= {GradientStored: self._note_stored, GradientRead: self._look_at_read}

    def open(self) -> None:
        """Begin to listen."""
        for kind, listener in self._subscriptions.items():
            self._log.subscribe(kind, listener)

    def close(self) -> None:
        """Listen no longer."""
        for kind, listener in self._subscriptions.items():
            self._log.unsubscribe(kind, listener)

    def _note_stored(self, record: int) -> None:
        """A gradient was left in a tensor."""
        self._stored.add(self._log.raw[record + OUTPUTS])

    def _look_at_read(self, record: int) -> None:
        """`.grad` was read. If it is None though gradients have been stored, a diagnosis tells whether one is missing.

        There is one diagnosis for each line that reads it, and another one if the tensor had a gradient before.
        """
        raw = self._log.raw
        place = raw[record + CODE], raw[record + LASTI], raw[record + OUTPUTS] in self._stored
        if raw[record + INPUTS] is None and self._stored and place not in self._looked:
            self._looked.add(place)
            found = self._explained("none")
            if found:
                raise StoppedError(found)

    def _look_at_results(self, record: int) -> None:
        ids, values = (self._log.raw[record + slot] for slot in (OUTPUTS, VALUES))
        for index, (raw_id, value) in enumerate(zip(ids, values, strict=True)):
            reason = "none" if raw_id is None else oddity(value, self._reasons)
            if reason in self._reasons:
                raise StoppedError(self._explained(reason) or self._plainly(index, reason))

    def _explained(self, reason: str) -> str:
        """The text of the finding, with the names by which the running functions refer to their tensors."""
        for frame in outward(sys._getframe(1)):
            if not is_library(frame.f_code.co_filename):
                note_variables(self._log, frame)
        return StopOn.explain(self._log, reason)

    def _plainly(self, index: int, reason: str) -> str:
        """The message if there is no finding."""
        *_, started = self._log.of_kind(BackwardStarted).values()
        site = None if started.site is None else self._log.sites[started.site]
        return sentence(self._log.tensors[started.sources[index]].name, site, reason)


def sentence(name: str | None, site: Site | None, reason: str) -> str:
    """The sentence about the gradient of a source, and where it was taken."""
    where = "" if site is None else f" at {site.filename}, line {site.line}"
    return f"the gradient of {f'`{name}`' if name else 'a source'}{where} {REASONS[reason]}."


def reads_numbers(reasons: Iterable[str]) -> bool:
    """Whether one of these reasons can be seen only from the numbers of a gradient."""
    return not {"nan", "inf"}.isdisjoint(reasons)


def oddity(value: Any, reasons: Iterable[str]) -> str:
    """Which of the reasons "nan" and "inf" a gradient is an example of; "" if none, or if its numbers are not known."""
    odd = oddities(readable(value)) if is_value(value) else ()
    return next((reason for reason in reasons if reason in odd), "")


def checked(stop_on: str | Iterable[str] | None) -> tuple[str, ...]:
    """The reasons to stop.

    Raises:
        ValueError: an unknown reason.
    """
    reasons = (stop_on,) if isinstance(stop_on, str) else tuple(stop_on or ())
    unknown = [each for each in reasons if each not in REASONS]
    if unknown:
        raise ValueError(f'stop_on must be "nan", "inf" or "none", or several of them, got {unknown[0]!r}.')
    return reasons
