"""The garbage collector's thresholds while a recording lasts: it runs about as often as without one.

It counts objects that are made and not freed, and a recording makes some for each that the program makes. None of them
is garbage in a cycle, and to walk over them again and again would take longer than to make them.
"""

from __future__ import annotations

import gc
from typing import NamedTuple

from tapeviz.recorders.patches import Row, Swapped

TIMES = 10
"""How many objects there are with a recording for each that there is without it, about."""


class CollectorThresholds(NamedTuple):
    """As `gc.get_threshold` gives them: of the youngest objects, and of the two older generations."""

    young: int
    middle: int
    old: int


def rows() -> list[Row]:
    """A row that raises the threshold of the youngest objects; what the program itself sets in the meantime stays."""
    before = CollectorThresholds(*gc.get_threshold())
    ours: list[CollectorThresholds] = []

    def put(value: CollectorThresholds) -> None:
        if not ours or gc.get_threshold() == ours[-1]:
            ours.append(value)
            gc.set_threshold(*value)

    def restore() -> None:
        if ours and gc.get_threshold() == ours[-1]:
            gc.set_threshold(*before)

    return [Swapped("garbage collector", before, put, restore, lambda found: found._replace(young=TIMES * found.young))]
