"""What many small values are told together is what each is told alone, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events.figures import Figures
from tapeviz.events.summaries import Summaries, summarised
from tapeviz.events.summary import Packed, Summary, norm, oddities

SPECIAL = (0.0, -0.0, np.nan, np.inf, -np.inf, 1e-40, 1e30)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 2, 7, 16, 64, 129, 1000])
@pytest.mark.parametrize("scale", [1e-40, 1e-25, 1.0, 1e18])
def test_rows_have_the_statistics_of_each_alone(dtype: type, size: int, scale: float) -> None:
    random = np.random.default_rng(size)
    rows = (random.normal(0, scale, (60, size))).astype(dtype)
    for row, special in zip(rows, SPECIAL * 8, strict=False):
        row[random.random(size) < random.random()] = special
    found, alone = Summaries(rows, [(size,)] * len(rows)), [Summary.of(row) for row in rows]
    assert [repr(found[row]) for row in range(len(rows))] == [repr(each) for each in alone]
    assert found.oddities == [each.oddities for each in alone]


def test_a_log_tells_of_its_values_what_they_are_told_alone() -> None:
    x = tv.Variable(np.linspace(-1.0, 1.0, 12).reshape(3, 4), name="x")
    with tv.GradientTape() as tape:
        y = tv.reduce_sum(tv.sqrt(x) * tv.constant([0.0, 1.0, 2.0, 3.0], dtype="float64"))
    tape.gradient(y, x)
    log = tape.log
    figures, values = Figures(log), [log.value(each) for each in range(len(log.tensors))]
    assert [figures.oddities(each) for each in range(len(values))] == [oddities(each) for each in values]
    norms = [None if each is None else repr(norm(each)) for each in values]
    assert [None if (each := figures.norm(at)) is None else repr(each) for at in range(len(values))] == norms
    assert any(figures.of(each) is not None for each in range(len(values)))


def test_what_is_no_small_array_of_floats_is_told_alone() -> None:
    x = tv.Variable(np.zeros((64, 64)), name="x")
    with tv.GradientTape() as tape:
        y = tv.reduce_sum(tv.gather(x, tv.constant([1, 2])))
    tape.gradient(y, x)
    figures = Figures(tape.log)
    assert figures.of(tape.log.id_of("x")) is None
    assert figures.oddities(tape.log.id_of("x")) == ("zero",)


ARRAYS = (
    *(
        np.float32([[3.0, -4.0], [0.0, 2.0]]),
        np.float32([[1.0, np.nan], [0.0, 2.0]]),
        np.float32([3.0, -4.0, 0.0, 0.0]),
    ),
    *(np.zeros((2, 2), np.float32), np.zeros((0, 3)), np.array([True, False]), np.array([1 + 1j, 2.0])),
    *(np.full(5000, 2.0), np.array(2.0), np.full((2, 2), np.float32(1e-30)), np.array([-0.0, 1e300])),
)


def test_what_is_summarised_together_is_what_each_is_alone() -> None:
    assert summarised(ARRAYS) == [Packed.of(Summary.of(each)) for each in ARRAYS]
