"""A scope of a framework's call ends with the call, and holds nothing of it."""

from __future__ import annotations

import gc
import sys
from weakref import ref

from tapeviz.events import EventLog
from tapeviz.recorders.scopes import Scoped


class Held:
    """Anything that a frame holds."""


def test_it_holds_neither_the_call_nor_what_is_in_it() -> None:
    log = EventLog()

    def call() -> ref[Held]:
        held = Held()
        scope = Scoped(log, "layer", sys._getframe(1), sys._getframe())
        with scope:
            assert list(log.path) == [sys._getframe()]
        assert scope is not None
        return ref(held)

    gc.disable()
    try:
        assert call()() is None
    finally:
        gc.enable()
    assert (log.path, log.scope) == ({}, None)
