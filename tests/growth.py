"""What a call takes, for tests of how that grows with the size of what it is given."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tapeviz.events.collector_paused import collector_paused

T = TypeVar("T")


@collector_paused
def timed(call: Callable[[], T], below: float = 0.0) -> tuple[T, float]:
    """What a call returns, and the seconds of processor time it takes: the least of three, or the first below a bound.

    The garbage of all tests before is not collected meanwhile, and what a busy machine does beside it is not counted.
    """
    took = []
    for _ in range(3):
        started = time.process_time()
        result = call()
        took.append(time.process_time() - started)
        if took[-1] < below:
            break
    return result, min(took)
