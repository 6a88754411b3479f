"""What a call takes, for tests of how that grows with the size of what it is given."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tapeviz.events.uncollected import uncollected

T = TypeVar("T")

LONG = 0.5
"""Seconds that tell by themselves: of less, what else the processor does is a part that counts."""


@uncollected
def timed(call: Callable[[], T]) -> tuple[T, float]:
    """What a call returns, and the seconds of processor time it takes: the least of three, if it takes no long time.

    The garbage of all tests before is not collected meanwhile, and what a busy machine does beside it is not counted.
    """
    took: list[float] = []
    while len(took) < 3 and not (took and took[0] > LONG):
        started = time.process_time()
        result = call()
        took.append(time.process_time() - started)
    return result, min(took)
