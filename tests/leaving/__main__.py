"""The long form: `python -m tests.leaving [frameworks]` prints what was tried, and what did not hold."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from tests.leaving.guests import GUESTS, Guest
from tests.leaving.interrupts import broken
from tests.leaving.objects import kept
from tests.leaving.programs import differing

POINTS = 160
"""Lines of each of a guest's recordings: with and without options, of programs that end well or with an error."""
PROGRAMS = 100
RECORDINGS = 2_000


def _interrupts(guest: Guest) -> list[str]:
    told = []
    for phase in ("entering", "leaving"):
        count, wrong = broken(guest, phase, POINTS)
        told += [f"{phase}: {count} errors at lines, {len(wrong)} wrong", *wrong[:5]]
    return told


def _programs(guest: Guest) -> list[str]:
    wrong = differing(guest, range(PROGRAMS))
    return [f"{PROGRAMS} random programs in three ways of recording: {len(wrong)} with other bits or state", *wrong[:5]]


def _objects(guest: Guest) -> list[str]:
    objects, more = kept(guest, RECORDINGS)
    return [f"{RECORDINGS} recordings: {objects.total()} objects more, {more / 1024:.0f} KB more", *map(str, objects)]


def _run(guest: Guest, part: Callable[[Guest], list[str]]) -> None:
    started = time.monotonic()
    told = part(guest)
    print(f"{guest.name} ({time.monotonic() - started:.0f} s)", *told, sep="\n    ", flush=True)


if __name__ == "__main__":
    for name in sys.argv[1:] or GUESTS:
        guest = GUESTS[name]()
        for part in (_interrupts, _programs, _objects):
            _run(guest, part)
