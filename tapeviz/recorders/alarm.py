"""The end of a backward pass, or a read of `.grad` -> a call, at the first gradient that is NaN, infinite, None, or far
larger than those before."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any, ClassVar

from tapeviz.events.log import EventLog
from tapeviz.events.norms import norms
from tapeviz.events.program.frames import is_library, outward
from tapeviz.events.raw import CODE, INPUTS, LASTI, OUTPUTS, VALUES
from tapeviz.events.summary import oddities
from tapeviz.events.types import BackwardFinished, BackwardStarted, GradientRead, GradientStored, Site
from tapeviz.events.values import is_value, readable
from tapeviz.recorders.bindings import note_variables
from tapeviz.recorders.spikes import Spike, Spikes

NOT_FINITE = {"nan": "is not a number somewhere", "inf": "is infinite somewhere"}
STATES = {**NOT_FINITE, "none": "is None"}
"""What may be wrong with a gradient by itself, and how that is said."""
REASONS = (*STATES, "spike")
"""All reasons for an alarm: what is wrong with a gradient, or with it beside those before."""
MOST_OPEN = 64
"""Passes that may have begun and not ended: far more than are taken within each other."""


@dataclass(frozen=True)
class OddGradient:
    """A gradient that an alarm is for: what is wrong with it, at which call of the program, and the words for that.

    Attributes:
        reason: which.
        place: what is the same whenever the program takes this gradient.
        explained: gives the finding in words, "" where none is sure. It takes a diagnosis.
        plainly: gives a sentence without one; "" where only a diagnosis tells whether anything is wrong.
    """

    reason: str
    place: Hashable
    explained: Callable[[], str]
    plainly: Callable[[], str]


class Alarm:
    """Listens to a log, from `open` until `close`, for gradients that are one of `reasons`.

    It calls `ring` at each. What that raises is raised in the program, at its own call.
    """

    explain: ClassVar[Callable[[EventLog, str], str]]
    """(log, reason) -> the finding in words, "" where there is none; set where writers and readers are tied."""

    def __init__(self, log: EventLog, reasons: tuple[str, ...], ring: Callable[[OddGradient], None]) -> None:
        self._log = log
        self._reasons = reasons
        self._ring = ring
        self._stored: set[int] = set()
        self._looked: set[Any] = set()
        self._calls: dict[int, Hashable] = {}
        self._spikes = Spikes()
        self._subscriptions: dict[type, Callable[[int], None]] = {
            BackwardStarted: self._note_call,
            BackwardFinished: self._look_at_results,
        }
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

    def listen_for(self, reasons: tuple[str, ...]) -> None:
        """From here on only for these of its reasons."""
        self._reasons = reasons

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
            self._ring(OddGradient("none", place, partial(self._explained, "none"), str))

    def _note_call(self, record: int) -> None:
        """A pass has begun: what is the same whenever the program takes this gradient."""
        raw = self._log.raw
        run, (_, sources) = raw[record + INPUTS][0], raw[record + OUTPUTS]
        lasting = len(sources) if self._log.facts.differentiates_arguments else sources
        if len(self._calls) >= MOST_OPEN:  # passes that an error has ended never finish
            self._calls.clear()
        self._calls[run] = raw[record + CODE], raw[record + LASTI], lasting

    def _look_at_results(self, record: int) -> None:
        run, ids, values = (self._log.raw[record + slot] for slot in (INPUTS, OUTPUTS, VALUES))
        call = self._calls.pop(run, None)
        sizes = norms(values) if reads_numbers(self._reasons) else [None] * len(values)
        for index, (raw_id, value, size) in enumerate(zip(ids, values, sizes, strict=True)):
            if raw_id is None:
                self._odd("none", call, index)
            elif size is not None and not isfinite(size):
                self._odd(oddity(value, self._reasons), call, index)
        if "spike" in self._reasons:
            spike = self._spikes.note(call, sizes)
            if spike is not None:
                self._ring(OddGradient("spike", ("spike", call), str, partial(self._spike_text, spike)))

    def _odd(self, state: str, call: Hashable, index: int) -> None:
        if state in self._reasons:
            explained, plainly = partial(self._explained, state), partial(self._plainly, index, state)
            self._ring(OddGradient(state, (state, call), explained, plainly))

    def _explained(self, reason: str) -> str:
        """The text of the finding, with the names by which the running functions refer to their tensors."""
        self._note_names()
        return Alarm.explain(self._log, reason)

    def _note_names(self) -> None:
        for frame in outward(sys._getframe(1)):
            if not is_library(frame.f_code.co_filename):
                note_variables(self._log, frame)

    def _plainly(self, index: int, reason: str) -> str:
        """The message if there is no finding."""
        return sentence(*self._source(index), reason)

    def _spike_text(self, spike: Spike) -> str:
        """What is said of a spike."""
        self._note_names()
        name, site = self._source(spike.largest)
        most = f" Most of it is the gradient of `{name}`." if name and spike.several else ""
        return (
            f"the gradients{_at(site)} are a spike: their norm is {spike.norm:.2g}, {spike.norm / spike.median:.2g} "
            f"times the median of the {spike.passes} passes before, {spike.median:.2g}.{most}"
        )

    def _source(self, index: int) -> tuple[str | None, Site | None]:
        """The name of a source of the last pass, and where its gradient was taken."""
        *_, started = self._log.of_kind(BackwardStarted).values()
        site = None if started.site is None else self._log.sites[started.site]
        return self._log.tensors[started.sources[index]].name, site


def sentence(name: str | None, site: Site | None, state: str) -> str:
    """The sentence about the gradient of a source, and where it was taken."""
    return f"the gradient of {f'`{name}`' if name else 'a source'}{_at(site)} {STATES[state]}."


def _at(site: Site | None) -> str:
    return "" if site is None else f" at {site.filename}, line {site.line}"


def reads_numbers(reasons: Iterable[str]) -> bool:
    """Whether one of these reasons can be seen only from the numbers of a gradient."""
    return any(reason != "none" for reason in reasons)


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
        raise ValueError(f'stop_on must be "nan", "inf", "none" or "spike", or several of them, got {unknown[0]!r}.')
    return reasons
