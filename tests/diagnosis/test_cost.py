"""A diagnosis of a large recording takes no longer than a few readings of it, and not much more per op than of a small
one; `python -m benchmarks diagnosis` prints the seconds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks.diagnosis import OPS, SMALL, diagnosing, reading
from benchmarks.large_programs import LARGE
from tapeviz.events import EventLog
from tapeviz.graph import build


@pytest.mark.parametrize("program", LARGE, ids=lambda program: program.__name__)
def test_a_diagnosis_takes_a_few_readings(program: Callable[[int], EventLog]) -> None:
    """And four times the ops take less than ten times as long."""
    small, large = program(SMALL), program(OPS)
    read = reading(large)
    assert len(build(large).ops) > 0.8 * OPS
    took = min(diagnosing(large) for _ in range(2))
    assert took < 8 * read
    assert took < 10 * max(min(diagnosing(small) for _ in range(3)), 0.02)
