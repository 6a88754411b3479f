"""A layer runs -> its operations are logged in a scope of its name, inside the user's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tapeviz.engine.recording import current
from tapeviz.events.frames import code_called, enter_frame, resume, users_frame
from tapeviz.events.raw import ScopeNode


@contextmanager
def scope(name: str) -> Iterator[None]:
    """Log what runs in the block in a scope called `name`; code of the user's own in there has its own scopes."""
    log = current.get().log
    if log is None:
        yield
        return
    frame = users_frame(2)
    if frame is not log.frame:
        enter_frame(log, frame)
    outer = log.scope
    log.scope = ScopeNode(outer, code_called(name), frame.f_code, frame.f_lasti)
    try:
        yield
    finally:
        resume(log, frame, outer)
