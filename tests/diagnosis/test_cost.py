"""A diagnosis of a large recording takes little time, and not much more per op than that of a small one."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tapeviz.diagnosis import diagnose
from tapeviz.events import EventLog
from tapeviz.graph import build
from tests.diagnosis.large_programs import LARGE


def seconds(log: EventLog) -> float:
    """Of the processor: other work on the machine does not count."""
    started = time.process_time()
    diagnose(log)
    return time.process_time() - started


@pytest.mark.parametrize("program", LARGE, ids=lambda program: program.__name__)
def test_ten_thousand_ops_take_less_than_two_seconds(program: Callable[[int], EventLog]) -> None:
    """And four times the ops take less than ten times as long."""
    small, large = program(2_500), program(10_000)
    assert len(build(large).ops) > 8_000
    took = min(seconds(large) for _ in range(2))
    assert took < 2.0
    assert took < 10 * max(min(seconds(small) for _ in range(3)), 0.02)
