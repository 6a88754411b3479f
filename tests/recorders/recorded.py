"""A program -> its log, the same at every run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeviz as tv
from tapeviz.events import EventLog


def recorded(program: Callable[[], None], **options: Any) -> EventLog:
    """The log of a program, after one that is not looked at: what is learnt once is known."""
    with tv.record():
        program()
    with tv.record(**options) as log:
        program()
    return log
