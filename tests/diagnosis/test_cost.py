"""A diagnosis of a large recording takes no longer than a few readings of it, and not much more per op than of a small
one; `python -m benchmarks diagnosis` prints the seconds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tapeviz
from benchmarks.diagnosis import OPS, SMALL, diagnosing, reading
from benchmarks.large_programs import LARGE
from tapeviz.events import EventLog
from tapeviz.graph import build


@pytest.mark.slow
@pytest.mark.parametrize("program", LARGE, ids=lambda program: program.__name__)
def test_a_diagnosis_takes_a_few_readings(program: Callable[[int], EventLog]) -> None:
    """And four times the ops take less than ten times as long."""
    small, large = program(SMALL), program(OPS)
    reading(small)
    read = reading(large)
    assert len(build(large).ops) > 0.8 * OPS
    few, many = diagnosing(small), diagnosing(large)
    if many >= min(8 * read, 5 * few):  # near what is allowed, or beyond: the least of some, on a busy machine
        few, many = min(few, diagnosing(small), diagnosing(small)), min(many, diagnosing(large))
    assert many < min(8 * read, 10 * max(few, 0.02))


def losses_made_anew(steps: int) -> EventLog:
    """A backward pass per step, from a leaf that has the loss's number and nothing behind it."""
    torch = pytest.importorskip("torch")
    net, x = torch.nn.Linear(4, 1), torch.ones(5, 4)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with tapeviz.record() as log:
        for _ in range(steps):
            optimizer.zero_grad()
            loss = net(x).square().mean()
            torch.tensor(loss.item(), requires_grad=True).backward()
            optimizer.step()
    return log


@pytest.mark.torch
def test_many_backward_passes_take_as_long_as_each_of_them() -> None:
    few, many = losses_made_anew(50), losses_made_anew(400)
    reading(few), reading(many)
    assert [each.cause for each in tapeviz.diagnose(many)]
    assert diagnosing(many) < 4 * 8 * max(min(diagnosing(few) for _ in range(3)), 0.01)
