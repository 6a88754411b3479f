"""EventLog -> the error that ended the recording, in words, where nothing was computed after it."""

from __future__ import annotations

from tapeviz.diagnosis.wording.places import site_at, words
from tapeviz.events import BackwardStarted, ErrorRaised, EventLog, OpRecorded, OpSkipped
from tapeviz.phrases import with_article

GOES_ON = (OpRecorded, OpSkipped, BackwardStarted)
"""What says that an error was caught."""


def ended_by(log: EventLog) -> int | None:
    """Where the last error was raised; None if there is none, or the program went on."""
    for at in range(len(log.events) - 1, -1, -1):
        event = log.events[at]
        if isinstance(event, ErrorRaised):
            return at
        if isinstance(event, GOES_ON):
            return None
    return None


def ending(log: EventLog) -> str:
    """The place at which a recording ended in an error, and the class of that; "" where it did not.

    >>> import tapeviz as tv
    >>> try:
    ...     with tv.GradientTape() as tape:
    ...         tv.ones([2]) + tv.ones([3])
    ... except tv.errors.InvalidArgumentError:
    ...     ending(tape.log)
    '<doctest tapeviz.diagnosis.error.ended.ending[1]>, line 3, where an InvalidArgumentError ended the recording'
    """
    at = ended_by(log)
    event = None if at is None else log.events[at]
    if not isinstance(event, ErrorRaised):
        return ""
    return f"{words(site_at(log, at))}, where {with_article(event.error)} ended the recording"
