"""The gradient of every tensor as far as each step has come, as it stands on boxes."""

from __future__ import annotations

import numpy as np

from tapeviz.graph import build
from tapeviz.replay import runs
from tapeviz.views.reading.gradients import GrowingGradients
from tests.literal_logs import Script
from tests.views.samples import cube


def lines(log: Script, name: str) -> list[str]:
    """What stands on the box of a tensor at each step."""
    [run] = runs(log)
    tensor = next(number for number, row in enumerate(log.tensors) if row.name == name)
    growing = GrowingGradients(build(log), run)
    return [growing.at([tensor], step) for step in range(len(run.steps) + 1)]


def test_a_sum_grows_and_stays() -> None:
    assert lines(cube(), "x") == ["", "∇ 9.0 + …", "∇ 27.0"]


def test_a_sum_that_was_not_kept_is_added_up() -> None:
    log = Script()
    x = log.variable("x", 3.0)
    with log.tape(watch=[x]) as tape:
        inner = log.op("mul", x, x, value=9.0, saved=(0, 1))
        y = log.op("mul", inner, x, value=27.0, saved=(0, 1))
    log.backward(tape, y, [x], steps=[(y, [3.0, 9.0]), (inner, [9.0, 9.0])], sums={x: [None, 27.0]})
    assert lines(log, "x") == ["", "∇ 9.0 + …", "∇ 27.0"]


def test_of_a_large_gradient_stands_its_norm() -> None:
    log = Script()
    x = log.variable("x", np.ones((3, 4)))
    with log.tape(watch=[x]) as tape:
        y = log.op("reduce_sum", x, value=12.0)
    log.backward(tape, y, [x], steps=[(y, [np.full((3, 4), 2.0)])])
    assert lines(log, "x") == ["", "∇ norm 6.9282"]


def test_numbers_that_are_not_kept_leave_the_box_empty() -> None:
    log = Script()
    x = log.variable("x", 3.0)
    with log.tape(watch=[x]) as tape:
        y = log.op("square", x, value=9.0)
    log.backward(tape, y, [x], steps=[(y, [None])])
    assert set(lines(log, "x")) == {""}
