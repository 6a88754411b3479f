"""EventLog -> the error with which the recording ends, in words: the last one, if nothing was computed after it."""

from __future__ import annotations

from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BackwardStarted, ErrorRaised, EventLog, OpRecorded, OpSkipped
from tapeviz.phrases import with_article
from tapeviz.source.places import site_at

GOES_ON = (OpRecorded, OpSkipped, BackwardStarted)
"""What says that an error was caught."""


def ended_by(log: EventLog) -> tuple[int, ErrorRaised] | None:
    """The last error and where it was raised; None if there is none, or the program went on."""
    for at in range(len(log.events) - 1, -1, -1):
        event = log.events[at]
        if isinstance(event, ErrorRaised):
            return at, event
        if isinstance(event, GOES_ON):
            return None
    return None


def ending(log: EventLog) -> str:
    """The place of the error that a recording ends with, and the class of that; "" where it ends with none.

    It may have ended the program, or that may have caught it and had nothing more to compute.

    >>> import tapeviz as tv
    >>> try:
    ...     with tv.GradientTape() as tape:
    ...         tv.ones([2]) + tv.ones([3])
    ... except tv.errors.InvalidArgumentError:
    ...     ending(tape.log).partition(", ")[2]
    'line 3, where an InvalidArgumentError was raised, after which nothing was recorded'
    """
    found = ended_by(log)
    if found is None:
        return ""
    at, error = found
    return f"{words(site_at(log, at))}, where {with_article(error.error)} was raised, after which nothing was recorded"
