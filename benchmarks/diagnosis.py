"""Recordings of 10,000 ops -> the seconds it takes to read them, and to diagnose them."""

from __future__ import annotations

import time
from collections.abc import Callable

from benchmarks.large_programs import LARGE
from benchmarks.table import table
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.events import EventLog
from tapeviz.graph import build

SMALL, OPS = 2_500, 10_000


def reading(log: EventLog) -> float:
    """The seconds it takes to read a log for the first time, and to build its graph: what every view does first."""
    return seconds(lambda: build(log))


def diagnosing(log: EventLog) -> float:
    """The seconds a diagnosis takes of a log that has been read, and of which nothing else has been worked out."""
    log._read().known.clear()
    return seconds(lambda: diagnose(log))


def seconds(work: Callable[[], object]) -> float:
    """Of the processor: other work on the machine does not count."""
    started = time.process_time()
    work()
    return time.process_time() - started


def report() -> str:
    """Every large program."""
    rows = []
    for program in LARGE:
        small, large = program(SMALL), program(OPS)
        reading(small)
        read, took, less = reading(large), min(diagnosing(large) for _ in range(2)), diagnosing(small)
        name = program.__name__.replace("_", " ")
        rows.append((name, f"{read:.2f}", f"{took:.2f}", f"{took / read:.2f}", f"{took / less:.2f}"))
    heads = ("s to read", "s to diagnose", "ratio", f"/ that of {SMALL:,} ops")
    return table(f"diagnosis: programs of about {OPS:,} ops", heads, rows)
