"""The garbage collector's thresholds while a recording lasts: it runs about as often as without one.

It counts objects that are made and not freed, and a recording makes some for each that the program makes. None of them
is garbage in a cycle, and to walk over them again and again would take longer than to make them.
"""

from __future__ import annotations

import gc
from functools import partial
from typing import NamedTuple

from tapeviz.recorders.patches import Row, Swapped

TIMES = 10
"""How many objects there are with a recording for each that there is without it, about."""
HIGHEST = (1 << 31) - 1
"""The highest threshold that the collector takes."""


class CollectorThresholds(NamedTuple):
    """As `gc.get_threshold` gives them: of the youngest objects, and of the two older generations."""

    young: int
    middle: int
    old: int


class RaisedThresholds(CollectorThresholds):
    """Those of a recording: several that are open at once raise them once."""


def rows() -> list[Row]:
    """A row that raises the threshold of the youngest objects; what the program itself sets in the meantime stays."""
    before = CollectorThresholds(*gc.get_threshold())
    raised = _raise(before)

    def put(value: CollectorThresholds) -> None:
        if gc.get_threshold() == before:
            gc.set_threshold(*value)

    def restore() -> None:
        if gc.get_threshold() == raised:
            gc.set_threshold(*before)

    make = partial(_raise)  # a function of this recording's own, by which it is taken away
    return [Swapped("garbage collector", before, put, restore, make)]


def _raise(found: CollectorThresholds) -> RaisedThresholds:
    if isinstance(found, RaisedThresholds):
        return found
    return RaisedThresholds(min(TIMES * found.young, HIGHEST), found.middle, found.old)
