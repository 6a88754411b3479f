"""Thousands of recordings -> how many objects more there are after them, and how many bytes more the process has."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tests.leaving.guests import Guest

WARM = 20
"""Recordings before anything is counted: what is looked up at the first time stays."""


def kinds() -> Counter[str]:
    """How many objects there are of each class, of those that the garbage collector knows."""
    gc.collect()
    return Counter(f"{type(each).__module__}.{type(each).__qualname__}" for each in gc.get_objects())


def resident() -> int:
    """The bytes of the process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def kept(guest: Guest, times: int) -> tuple[Counter[str], int]:
    """The objects, and the bytes, by which there are more after so many recordings, of each kind of ending in turn."""
    blocks: list[Callable[[], Any]] = [guest.program, guest.program, guest.fails]

    def record(count: int) -> None:
        for index in range(count):
            with suppress(ValueError):
                guest.record(guest.options[index % len(guest.options)], blocks[index % len(blocks)])

    record(WARM)
    kinds(), kinds()
    before, at = kinds(), resident()
    record(times)
    return kinds() - before - Counter({_counted(before): 1}), resident() - at


def _counted(counter: Any) -> str:
    return f"{type(counter).__module__}.{type(counter).__qualname__}"


is_measured = sys.platform.startswith("linux")
"""Whether `resident` works here."""
