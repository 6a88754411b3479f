"""Memory that a tape frees -> kept by the process for the next step, instead of returned to the system.

A tape keeps the arrays of a step and frees all of them at once. glibc then returns the free end of its heap to the
system, which hands it out again page by page during the next step; that can take as long as the step itself. glibc
holds back twice the size of the largest mapped block that was ever freed (`mallopt(3)`, "dynamic mmap threshold"), so a
large block is freed here. It is never written to, so it takes no memory. Settings by `MALLOC_*` or `GLIBC_TUNABLES`
prevail; other allocators are not affected.
"""

from __future__ import annotations

import numpy as np

BLOCK = 16 << 20
"""Bytes; at most 32 MiB count. As much may then be allocated in the heap at once, and twice that stays free in it."""


def hold_back() -> None:
    """From now on the process keeps freed memory."""
    np.empty(BLOCK, np.uint8)
