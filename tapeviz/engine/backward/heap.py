"""The memory of arrays that a tape lets go of stays with the process, for those of the next step.

A tape keeps the arrays of a step and lets go of all of them at once. Then glibc hands the free end of its heap back to
the system, which has to give it out again page by page as the next step runs: that takes up to as long as the step.
How much it holds back is twice the largest block of its own that was ever freed (`mallopt(3)`, "dynamic mmap
threshold"), so one is freed here. It is never written to, so it takes no memory. What was set by `MALLOC_*` or
`GLIBC_TUNABLES` stays as it is; other allocators do not mind.
"""

from __future__ import annotations

import numpy as np

BLOCK = 16 << 20
"""Bytes; at most 32 MiB count. As much may then be allocated in the heap at once, and twice that stays free in it."""


def hold_back() -> None:
    """From now on free memory of a few steps stays with the process."""
    np.empty(BLOCK, np.uint8)
