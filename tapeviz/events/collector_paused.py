"""A function that makes many objects and frees few -> the same function, with the garbage collector paused.

A long log becomes millions of small objects that all stay. The collector would walk over them again and again, find
nothing, and take a third of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial, wraps
from typing import ParamSpec, TypeVar

from tapeviz.events.undo import surely

P = ParamSpec("P")
R = TypeVar("R")


def collector_paused(function: Callable[P, R]) -> Callable[P, R]:
    """The function with the collector off while it runs, and as it was when it is done.

    >>> collector_paused(gc.isenabled)(), gc.isenabled()
    (False, True)
    """

    def paused(*args: P.args, **kwargs: P.kwargs) -> R:
        gc.disable()
        return function(*args, **kwargs)

    @wraps(function)
    def calling(*args: P.args, **kwargs: P.kwargs) -> R:
        as_it_was = gc.enable if gc.isenabled() else gc.disable
        return surely(partial(paused, *args, **kwargs), as_it_was)

    return calling
