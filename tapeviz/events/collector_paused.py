"""A function that makes many objects and frees few -> the same function, with the garbage collector paused.

A long log becomes millions of small objects that all stay. The collector would walk over them again and again, find
nothing, and take a third of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial, wraps
from threading import RLock
from typing import ParamSpec, TypeVar

from tapeviz.events.undo import surely

P = ParamSpec("P")
R = TypeVar("R")


class _Pauses:
    """The calls that run without the collector: it is as before the first of them when the last one is done.

    They overlap where several threads read a log. Each step may be repeated, as after an interrupt.
    """

    def __init__(self) -> None:
        self._calls: set[object] = set()
        self._lock = RLock()
        self._was_enabled = False

    def begin(self, call: object) -> None:
        with self._lock:
            if not self._calls:
                self._was_enabled = gc.isenabled()
            self._calls.add(call)
            gc.disable()

    def end(self, call: object) -> None:
        with self._lock:
            if self._calls == {call} and self._was_enabled:
                gc.enable()
            self._calls.discard(call)


_PAUSES = _Pauses()


def collector_paused(function: Callable[P, R]) -> Callable[P, R]:
    """The function with the collector off while it runs, and as it was when it is done.

    >>> collector_paused(gc.isenabled)(), gc.isenabled()
    (False, True)
    """

    def paused(call: object, *args: P.args, **kwargs: P.kwargs) -> R:
        _PAUSES.begin(call)
        return function(*args, **kwargs)

    @wraps(function)
    def calling(*args: P.args, **kwargs: P.kwargs) -> R:
        call = object()
        return surely(partial(paused, call, *args, **kwargs), partial(_PAUSES.end, call))

    return calling
