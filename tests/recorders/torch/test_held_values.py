"""What counts against the budget of a log of PyTorch's, and what stays of the values that it lets go of."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from weakref import ref

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events import OpSkipped
from tapeviz.events.memory.records import LARGE, ROOM
from tapeviz.events.summary import Summary
from tapeviz.events.values import OBJECT

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch
_left_alone = pytest.importorskip("tapeviz.recorders.torch.held_values")._left_alone


def test_a_variable_counts_when_the_program_has_let_go_of_it() -> None:
    with tv.record() as log:
        w = torch.ones(100, 100, requires_grad=True)
        before = log.bytes
        w.sum()
        assert log.bytes - before < w.nbytes
        held, nbytes = log.bytes, w.nbytes
        del w
        assert log.bytes == held + nbytes


@pytest.mark.parametrize("is_ending", [False, True])
def test_nothing_is_counted_when_the_interpreter_ends(*, is_ending: bool) -> None:
    """The program lets go of its variables then, and modules have let go of each other."""
    told: list[int] = []
    values: Any = type("Values", (), {"own": lambda _, raw_id: told.append(raw_id)})()
    _left_alone(ref(values), 7, None, lambda: is_ending)
    assert told == ([] if is_ending else [7])


def test_what_an_optimizer_has_written_over_does_not_count() -> None:
    w, x = torch.ones(2000, requires_grad=True), torch.ones(2000)
    optimizer = torch.optim.SGD([w], lr=0.1)
    with tv.record() as log:
        counted = []
        for _ in range(4):
            optimizer.zero_grad()
            (w * x).sum().backward()
            optimizer.step()
            counted.append(log.bytes)
    grown = {later - earlier for earlier, later in pairwise(counted[1:])}
    arrays = 3 * w.nbytes  # the product, and the gradients that arrive there and at the variable
    assert len(grown) == 1
    assert max(grown) < arrays + 10 * OBJECT


def test_a_small_variable_is_copied_before_it_is_written_and_counts_from_then_on() -> None:
    w = torch.ones(100, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    with tv.record() as log:
        (w * 3).sum().backward()
        before = log.bytes
        optimizer.step()
        assert log.bytes >= before + w.nbytes
    np.testing.assert_array_equal(log.value("w"), np.ones(100, np.float32))


def test_values_that_go_together_leave_what_each_would() -> None:
    rows = torch.randn(3000, 200, generator=torch.Generator().manual_seed(0))
    rows[7, 3] = torch.nan
    rows[8] = 0.0
    with tv.record(max_bytes=LARGE) as log:
        for at in range(len(rows)):
            rows.select(0, at).neg()
    made = [op.outputs[0] for op in log.of_kind(OpSkipped).values() if op.op == "neg"]
    values = [log.value(each) for each in made]
    gone = [at for at, value in enumerate(values) if isinstance(value, Summary)]
    assert 1000 < len(gone) < len(values)
    assert gone == list(range(len(gone)))
    assert [repr(values[at]) for at in gone] == [repr(Summary.of(-rows[at].numpy())) for at in gone]
    assert LARGE - LARGE // ROOM - 2 * (rows[0].nbytes + OBJECT) < log.bytes <= LARGE


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda: torch.nn.BatchNorm1d(4), (8, 4)),
        (lambda: torch.nn.BatchNorm2d(4, momentum=None), (2, 4, 3, 3)),
        (lambda: torch.nn.InstanceNorm1d(4, track_running_stats=True), (2, 4, 5)),
    ],
)
def test_running_statistics_are_what_they_were_when_they_were_met(make: Any, shape: tuple[int, ...]) -> None:
    """No version counter tells that a normalization has updated them; what it computes is as without a recording."""
    data = torch.randn(3, *shape)
    plain = make()
    for each in data:
        plain(each)
    norm = make()
    with tv.record() as log:
        for each in data:
            norm(each)
    assert torch.equal(norm.running_mean, plain.running_mean)
    assert log.value("norm.running_mean").tolist() == [0.0] * 4
    assert log.value("norm.running_var").tolist() == [1.0] * 4
