"""A layer runs -> its operations are logged in a scope of its name, inside the user's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tapeviz.engine.recording import current
from tapeviz.events.program.frames import enter_frame, resume, scope_called, users_frame


@contextmanager
def scope(name: str, kind: str) -> Iterator[None]:
    """A block that is logged in a scope with a name, of a layer of class `kind`. The user's functions in it have their
    own scopes.
    """
    log = current.get().log
    if log is None:
        yield
        return
    frame = users_frame(2)
    if frame is not log.frame:
        enter_frame(log, frame)
    outer = log.scope
    log.scope = scope_called(name, outer, frame, kind)
    try:
        yield
    finally:
        resume(log, frame, outer)
